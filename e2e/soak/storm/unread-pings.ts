import { userControl, rtmpType } from '../../../service/media/rtmp-message.ts'
import { RtmpTestClient } from '../../../service/ingest/testing/rtmp-test-client.ts'
import { count, portOf, rounds, type Attack } from './attack.ts'

const ping = Buffer.alloc(6)
ping.writeUInt16BE(userControl.pingRequest)
/** Pings of one round; what waits in this process is bounded too. */
const [perRound, maxWaiting] = [2000, 4 << 20] as const

/** An RTMP player that pings and reads no answer. */
export const unreadPings: Attack = {
  name: 'an RTMP player that pings without reading',
  async run({ service, cid }, over, tried) {
    let client: RtmpTestClient | undefined
    await rounds(over, 20, async () => {
      if (!client || client.ended) {
        client = await RtmpTestClient.open(portOf(service.rtmpUrl), false, '127.34.0.1').catch(() => undefined)
        if (!client) return
        await client.connect()
        count(tried, await client.ask('play', cid))
        client.socket.pause()
      }
      if (client.socket.writableLength > maxWaiting) return
      for (let number = 0; number < perRound; number++) client.send(rtmpType.userControl, 0, ping)
      count(tried, 'pings', perRound)
    })
    client?.close()
  },
}
