import { count, loopback, openTcp, portOf, rounds, type Attack } from './attack.ts'

const requests = 1600

/** Connections that each ask for the stream 1,600 times at once. */
export const pipelinedGets: Attack = {
  name: 'pipelined HTTP-FLV requests',
  async run({ service, cid }, over, tried) {
    const text = `GET /live/${cid}.flv HTTP/1.1\r\nHost: ${new URL(service.mediaUrl).host}\r\n\r\n`.repeat(requests)
    await rounds(over, 250, async (number) => {
      const socket = await openTcp(portOf(service.mediaUrl), loopback(35, number % 16), over)
      count(tried, socket ? 'connections' : 'refused')
      if (!socket) return
      socket.once('close', () => count(tried, 'ended'))
      socket.write(text)
    })
  },
}
