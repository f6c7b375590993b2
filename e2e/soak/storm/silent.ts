import { count, loopback, openTcp, portOf, rounds, type Attack } from './attack.ts'

/** Connections at once to each listener; from how many addresses. */
const [most, addresses, perRound] = [600, 8, 100] as const

/** TCP connections to every listener that never say anything. */
export const silentConnections: Attack = {
  name: 'silent connections to every listener',
  async run({ service, companionPorts }, over, tried) {
    const ports = [...[service.baseUrl, service.mediaUrl, service.rtmpUrl].map(portOf), ...companionPorts]
    await Promise.all(
      ports.map(async (port) => {
        let held = 0
        await rounds(over, 500, async (number) => {
          const opened = Array.from({ length: Math.min(perRound, most - held) }, (_, index) =>
            openTcp(port, loopback(33, (number + index) % addresses), over),
          )
          for (const socket of await Promise.all(opened)) {
            count(tried, socket ? 'opened' : 'refused')
            if (!socket) continue
            held += 1
            socket.once('close', () => (held -= 1))
          }
        })
      }),
    )
  },
}
