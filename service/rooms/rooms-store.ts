import type { Kysely } from 'kysely'
import type { RoomMemberTable, RoomQueueTable, RoomRobotTable, RoomTable } from '../storage/room-tables.ts'
import type { Tables } from '../storage/schema.ts'

/** A change of a room, for database and memory. */
export interface RoomChange {
  /** New row of the room. */
  readonly room?: RoomTable
  /** New row of a member; deleted if it has neither measure nor role. */
  readonly member?: RoomMemberTable
  readonly robots?: readonly RoomRobotTable[]
  readonly robotsOut?: readonly string[]
  /** Empties the queue first. */
  readonly clearsQueue?: boolean
  /** A new or changed element, and a removed one. */
  readonly element?: RoomQueueTable
  readonly elementOut?: string
}

/** Whether a member's row has any content. */
export const isWorthKeeping = ({ admin, ordinary, blacklisted, muted, mutedUntil }: RoomMemberTable): boolean =>
  admin + ordinary + blacklisted + muted + mutedUntil > 0

/** Reads all rooms, with queues in order; one index look-up of lines per room. */
export async function loadRooms(db: Kysely<Tables>) {
  const newest = await db
    .selectFrom('room')
    .select((row) => [
      'roomid',
      // Only shown lines are ordered for readers; held ones get a new time on release.
      row
        .selectFrom('roomLine')
        .select('roomLine.at')
        .whereRef('roomLine.roomid', '=', 'room.roomid')
        .where('roomLine.state', '=', 'shown')
        .orderBy('roomLine.at', 'desc')
        .orderBy('roomLine.line', 'desc')
        .limit(1)
        .as('at'),
    ])
    .execute()
  return {
    rooms: await db.selectFrom('room').selectAll().execute(),
    members: await db.selectFrom('roomMember').selectAll().execute(),
    robots: await db.selectFrom('roomRobot').selectAll().execute(),
    elements: await db.selectFrom('roomQueue').selectAll().orderBy('roomid').orderBy('place').execute(),
    lastLines: newest.flatMap(({ roomid, at }) => (at === null ? [] : [{ roomid, at }])),
  }
}

/** Stored state of rooms; of the lines only the time of each room's last one, in ms. */
export type StoredRooms = Awaited<ReturnType<typeof loadRooms>>

/** Writes a change in the caller's transaction. */
export async function writeRoom(transaction: Kysely<Tables>, roomid: number, change: RoomChange): Promise<void> {
  const { room, member, robots = [], robotsOut = [], clearsQueue, element, elementOut } = change
  if (room)
    await transaction
      .insertInto('room')
      .values(room)
      .onConflict((conflict) => conflict.column('roomid').doUpdateSet({ ...room }))
      .execute()
  if (member && isWorthKeeping(member))
    await transaction
      .insertInto('roomMember')
      .values(member)
      .onConflict((conflict) => conflict.columns(['roomid', 'accid']).doUpdateSet({ ...member }))
      .execute()
  else if (member)
    await transaction.deleteFrom('roomMember').where('roomid', '=', roomid).where('accid', '=', member.accid).execute()
  for (const accid of robotsOut)
    await transaction.deleteFrom('roomRobot').where('roomid', '=', roomid).where('accid', '=', accid).execute()
  if (robots.length > 0)
    await transaction
      .insertInto('roomRobot')
      .values([...robots])
      .execute()
  if (clearsQueue) await transaction.deleteFrom('roomQueue').where('roomid', '=', roomid).execute()
  if (element)
    await transaction
      .insertInto('roomQueue')
      .values(element)
      .onConflict((conflict) => conflict.columns(['roomid', 'element']).doUpdateSet({ ...element }))
      .execute()
  if (elementOut !== undefined)
    await transaction.deleteFrom('roomQueue').where('roomid', '=', roomid).where('element', '=', elementOut).execute()
}
