import { robots as contract } from '../../contract/operations/index.ts'
import { roomNotices } from '../../contract/catalogue/notices.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import { isBlacklisted } from './room.ts'
import type { RoomNotice } from './room-notices.ts'
import type { RoomContext } from './room-context.ts'

const outcome = (asked: readonly string[], done: readonly string[]) => {
  const succeeded = new Set(done)
  const failed = asked.filter((accid) => !succeeded.has(accid))
  return { desc: { failAccids: JSON.stringify(failed), successAccids: JSON.stringify(done) } }
}

/** Robot operations: accounts that count as online and do not speak (behaviour.md#roles-and-lists). */
export function robotOperations(context: RoomContext): Served[] {
  const { accounts, limits, registry } = context.options
  const comesOrGoes = (id: RoomNotice['id'], accid: string, ext?: string): RoomNotice => ({
    id,
    operator: accid,
    clientType: 'REST',
    target: [accid],
    ext,
  })

  return [
    serve(contract.add, ({ roomid, accids, roleExt = '', notifyExt }, { application: { uid } }) =>
      context.on(uid, roomid, 414, async (room) => {
        if (room.row.valid === 0) throw new Refused(403, 'the room is closed')
        const once = [...new Set(accids)]
        const registered = once.filter((accid) => accounts.find(uid, accid))
        const isIn = (accid: string): boolean => room.robots.has(accid) || room.inside.has(accid)
        const coming = registered.filter((accid) => !isIn(accid) && !isBlacklisted(room, accid))
        if (coming.length === 0) {
          // Nothing was done; a specific reason has its own code.
          if (registered.some((accid) => isBlacklisted(room, accid)))
            throw new Refused(13003, 'blacklisted from the room')
          if (registered.some(isIn)) throw new Refused(417, 'in the room already')
          return outcome(once, [])
        }
        const { roomRobots } = limits(uid)
        if (room.robots.size + coming.length > roomRobots)
          throw new Refused(419, `the room may have ${roomRobots} robots`)
        const robots = coming.map((accid) => ({ roomid, accid, ext: roleExt, entered: registry.stamp(room) }))
        await context.commit(
          room,
          { robots },
          coming.map((accid) => comesOrGoes(roomNotices.entered, accid, notifyExt)),
        )
        return outcome(once, coming)
      }),
    ),
    serve(contract.remove, ({ roomid, accids }, { application: { uid } }) =>
      context.on(uid, roomid, 404, async (room) => {
        const once = [...new Set(accids)]
        const leaving = once.filter((accid) => room.robots.has(accid))
        if (leaving.length > 0)
          await context.commit(
            room,
            { robotsOut: leaving },
            leaving.map((accid) => comesOrGoes(roomNotices.left, accid)),
          )
        return outcome(once, leaving)
      }),
    ),
  ]
}
