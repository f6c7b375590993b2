import type { Kysely } from 'kysely'
import type { RoomMemberTable, RoomQueueTable, RoomRobotTable, RoomTable, Tables } from '../storage/schema.ts'

/** What changes about one room, in the database and then in memory alike. */
export interface RoomChange {
  /** The room as it is from now on. */
  readonly room?: RoomTable
  /** Somebody as they are from now on; without any measure or role they are forgotten. */
  readonly member?: RoomMemberTable
  /** Robots that come, and accounts that are robots no more. */
  readonly robots?: readonly RoomRobotTable[]
  readonly robotsOut?: readonly string[]
  /** The queue is emptied first. */
  readonly queueEmptied?: boolean
  /** An element that is new or changed, and one that is taken. */
  readonly element?: RoomQueueTable
  readonly elementOut?: string
}

/** Everything stored about rooms besides what was said there, of which only the last time is read. */
export interface StoredRooms {
  readonly rooms: RoomTable[]
  readonly members: RoomMemberTable[]
  readonly robots: RoomRobotTable[]
  readonly elements: RoomQueueTable[]
  /** The time of the last line of each room that has one, in ms. */
  readonly lastLines: readonly { readonly roomid: number; readonly at: number }[]
}

/** Whether there is anything to keep of somebody. */
export const isWorthKeeping = ({ admin, ordinary, blacklisted, muted, mutedUntil }: RoomMemberTable): boolean =>
  admin + ordinary + blacklisted + muted + mutedUntil > 0

/** Reads all rooms, queues in their order; one look into the index of lines for each room. */
export async function loadRooms(db: Kysely<Tables>): Promise<StoredRooms> {
  const newest = await db
    .selectFrom('room')
    .select((row) => [
      'roomid',
      // Of shown lines alone: only they stand in the order that people read, and a held one is stamped anew when it is let through.
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

/** Writes a change of a room within the caller's transaction. */
export async function writeRoom(transaction: Kysely<Tables>, roomid: number, change: RoomChange): Promise<void> {
  const { room, member, robots = [], robotsOut = [], queueEmptied, element, elementOut } = change
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
  if (queueEmptied) await transaction.deleteFrom('roomQueue').where('roomid', '=', roomid).execute()
  if (element)
    await transaction
      .insertInto('roomQueue')
      .values(element)
      .onConflict((conflict) => conflict.columns(['roomid', 'element']).doUpdateSet({ ...element }))
      .execute()
  if (elementOut !== undefined)
    await transaction.deleteFrom('roomQueue').where('roomid', '=', roomid).where('element', '=', elementOut).execute()
}
