import { queue as contract } from '../../contract/operations/index.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../http/refusal.ts'
import type { Room } from './room.ts'
import { roomNotices, type RoomNotice } from './room-notices.ts'
import type { RoomWork } from './room-work.ts'

/** The elements of a room's queue in order, each as an object of its own (3-chatrooms Queue: list). */
export const elementsOf = ({ queue }: Room): Record<string, string>[] =>
  // Own members whatever the key is called.
  [...queue].map(([key, { value }]) => Object.defineProperty({}, key, { value, enumerable: true, writable: true, configurable: true }))

/** Serves the queue of a room (3-chatrooms Endpoints; decisions, Chatrooms). Calls on one room have their turn one after the other, so that no element is given twice. */
export function queueOperations(work: RoomWork): Served[] {
  const changed = ({ row }: Room, queueChange: object, id: RoomNotice['id'] = roomNotices.queueChanged): RoomNotice => ({
    id,
    operator: row.creator,
    clientType: 'REST',
    more: { queueChange: JSON.stringify(queueChange) },
  })

  return [
    serve(contract.offer, ({ roomid, key, value }, { application: { uid } }) =>
      work.on(uid, roomid, 414, async (room) => {
        const { queue, row } = room
        const known = queue.get(key)
        if (!known && queue.size >= row.queueLimit) throw new Refused(414, `the queue is full: ${row.queueLimit} elements at most`)
        const place = known?.place ?? ([...queue.values()].at(-1)?.place ?? 0) + 1
        await work.commit(room, { element: { roomid, element: key, value, place } }, [changed(room, { _e: 'OFFER', key, content: value })])
        return { desc: {} }
      }),
    ),
    serve(contract.poll, ({ roomid, key: wanted }, { application: { uid } }) =>
      work.on(uid, roomid, 404, async (room) => {
        const key = wanted ?? room.queue.keys().next().value
        const found = key === undefined ? undefined : room.queue.get(key)
        if (key === undefined || !found) throw new Refused(404, wanted === undefined ? 'the queue is empty' : 'no element has this key')
        const { value } = found
        await work.commit(room, { elementOut: key }, [changed(room, { _e: 'POLL', key, content: value })])
        return { desc: { key, value } }
      }),
    ),
    serve(contract.list, ({ roomid }, { application: { uid } }) => ({ desc: { list: elementsOf(work.must(uid, roomid, 414)) } })),
    serve(contract.drop, ({ roomid }, { application: { uid } }) =>
      work.on(uid, roomid, 414, async (room) => {
        await work.commit(room, { queueEmptied: true }, [changed(room, { _e: 'DROP' }, roomNotices.queueEmptied)])
        return { desc: {} }
      }),
    ),
    serve(contract.init, ({ roomid, sizeLimit }, { application: { uid } }) =>
      work.on(uid, roomid, 414, async (room) => {
        const change = { queueEmptied: true, room: { ...room.row, queueLimit: sizeLimit } }
        await work.commit(room, change, [changed(room, { _e: 'INIT', sizeLimit }, roomNotices.queueEmptied)])
        return { desc: {} }
      }),
    ),
  ]
}
