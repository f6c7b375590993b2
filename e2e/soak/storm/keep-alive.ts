import { count, loopback, openTcp, portOf, rounds, type Attack } from './attack.ts'

/** Connections at once, and addresses that they come from. */
const [most, addresses, perRound] = [3000, 250, 100] as const

/** Connections from many addresses that ask once and then stay. */
export const keepAlive: Attack = {
  name: 'keep-alive connections from many addresses',
  async run({ service, cid }, over, tried) {
    const [port, { host }] = [portOf(service.mediaUrl), new URL(service.mediaUrl)]
    let held = 0
    await rounds(over, 500, async (number) => {
      const opened = Array.from({ length: Math.min(perRound, most - held) }, (_, index) =>
        openTcp(port, loopback(0, 2 + ((number * perRound + index) % addresses)), over),
      )
      for (const socket of await Promise.all(opened)) {
        count(tried, socket ? 'opened' : 'refused')
        if (!socket) continue
        held += 1
        socket.once('close', () => (held -= 1))
        socket.write(`GET /watch/${cid}/state HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      }
    })
  },
}
