import { queue as contract } from '../../contract/operations/index.ts'
import { roomNotices } from '../../contract/catalogue/notices.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import type { Room } from './room.ts'
import type { RoomNotice } from './room-notices.ts'
import type { RoomContext } from './room-context.ts'

/** Elements in order, each as an object (3-chatrooms Queue: list). */
export const elementsOf = ({ queue }: Room): Record<string, string>[] =>
  // Own properties, whatever the key is.
  [...queue].map(([key, { value }]) =>
    Object.defineProperty({}, key, { value, enumerable: true, writable: true, configurable: true }),
  )

const changed = (
  operator: string,
  queueChange: object,
  id: RoomNotice['id'] = roomNotices.queueChanged,
): RoomNotice => ({
  id,
  operator,
  clientType: 'REST',
  more: { queueChange: JSON.stringify(queueChange) },
})

/** Makes the handlers. */
export const createRoomQueue = (context: Pick<RoomContext, 'commit'>) => ({
  /** Adds an element, or changes the one with its key; 414 when full. */
  async offer(room: Room, operator: string, key: string, value: string): Promise<void> {
    const { queue, row } = room
    const known = queue.get(key)
    if (!known && queue.size >= row.queueLimit)
      throw new Refused(414, `the queue is full: ${row.queueLimit} elements at most`)
    const place = known?.place ?? ([...queue.values()].at(-1)?.place ?? 0) + 1
    const element = { roomid: row.roomid, element: key, value, place }
    await context.commit(room, { element }, [changed(operator, { _e: 'OFFER', key, content: value })])
  },
  /** Takes the first element or that of a key; 404 if none. */
  async poll(room: Room, operator: string, wanted: string | undefined): Promise<{ key: string; value: string }> {
    const key = wanted ?? room.queue.keys().next().value
    const found = key === undefined ? undefined : room.queue.get(key)
    if (key === undefined || !found)
      throw new Refused(404, wanted === undefined ? 'the queue is empty' : 'no element has this key')
    const { value } = found
    await context.commit(room, { elementOut: key }, [changed(operator, { _e: 'POLL', key, content: value })])
    return { key, value }
  },
  drop: (room: Room, operator: string): Promise<void> =>
    context.commit(room, { clearsQueue: true }, [changed(operator, { _e: 'DROP' }, roomNotices.queueEmptied)]),
})

/** Queue operations (behaviour.md#queue). Serialised per room, so that no element is given twice. */
export function queueOperations(context: RoomContext, queue: RoomQueue): Served[] {
  return [
    serve(contract.offer, ({ roomid, key, value }, { application: { uid } }) =>
      context.on(uid, roomid, 414, async (room) => {
        await queue.offer(room, room.row.creator, key, value)
        return { desc: {} }
      }),
    ),
    serve(contract.poll, ({ roomid, key }, { application: { uid } }) =>
      context.on(uid, roomid, 404, async (room) => ({ desc: await queue.poll(room, room.row.creator, key) })),
    ),
    serve(contract.list, ({ roomid }, { application: { uid } }) => ({
      desc: { list: elementsOf(context.must(uid, roomid, 414)) },
    })),
    serve(contract.drop, ({ roomid }, { application: { uid } }) =>
      context.on(uid, roomid, 414, async (room) => {
        await queue.drop(room, room.row.creator)
        return { desc: {} }
      }),
    ),
    serve(contract.init, ({ roomid, sizeLimit }, { application: { uid } }) =>
      context.on(uid, roomid, 414, async (room) => {
        const change = { clearsQueue: true, room: { ...room.row, queueLimit: sizeLimit } }
        await context.commit(room, change, [
          changed(room.row.creator, { _e: 'INIT', sizeLimit }, roomNotices.queueEmptied),
        ])
        return { desc: {} }
      }),
    ),
  ]
}

/** Handlers on a room's queue, serialised per room; they notify those inside. */
export type RoomQueue = ReturnType<typeof createRoomQueue>
