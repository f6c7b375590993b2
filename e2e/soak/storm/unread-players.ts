import { RtmpTestClient } from '../../../service/ingest/testing/rtmp-test-client.ts'
import { count, loopback, openTcp, portOf, rounds, type Attack } from './attack.ts'

/** Players at once that never read. */
const [maxFlv, maxRtmp, perRound] = [200, 100, 10] as const

/** Players of HTTP-FLV and RTMP that ask for the stream and read nothing of it. */
export const unreadPlayers: Attack = {
  name: 'players that never read',
  async run({ service, cid }, over, tried) {
    const held = { flv: 0, rtmp: 0 }
    const flv = async (index: number): Promise<void> => {
      const socket = await openTcp(portOf(service.mediaUrl), loopback(40, index), over)
      count(tried, socket ? 'HTTP-FLV' : 'refused')
      if (!socket) return
      held.flv += 1
      socket.once('close', () => (held.flv -= 1))
      socket.pause().write(`GET /live/${cid}.flv HTTP/1.1\r\nHost: ${new URL(service.mediaUrl).host}\r\n\r\n`)
    }
    const rtmp = async (index: number): Promise<void> => {
      const client = await RtmpTestClient.open(portOf(service.rtmpUrl), false, loopback(41, index)).catch(
        () => undefined,
      )
      count(tried, client ? 'RTMP' : 'refused')
      if (!client) return
      held.rtmp += 1
      client.socket.once('close', () => (held.rtmp -= 1))
      over.addEventListener('abort', () => client.close(), { once: true })
      await client.connect()
      await client.ask('play', cid)
      client.socket.pause()
    }
    await rounds(over, 500, async (number) => {
      const some = Array.from({ length: perRound }, (_, index) => (number * perRound + index) % 250)
      await Promise.all(
        some.flatMap((index) => [
          ...(held.flv < maxFlv ? [flv(index)] : []),
          ...(held.rtmp < maxRtmp ? [rtmp(index)] : []),
        ]),
      )
    })
  },
}
