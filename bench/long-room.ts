import { DatabaseSync } from 'node:sqlite'

/** Fills a room in the database of a service that does not run, with so many lines, half of which are by one account, and so many members. */
export function fillRoom(path: string, roomid: number, lines: number, members: number): void {
  const database = new DatabaseSync(path)
  const { uid } = database.prepare('select uid from room where roomid = ?').get(roomid) as { uid: number }
  const line =
    database.prepare(`insert into roomLine (line, uid, roomid, sender, clientId, at, type, attach, ext, nick, avatar, clientType, state)
    values (?, ?, ?, ?, ?, ?, 0, ?, '', 'Someone', '', 'WEB', 'shown')`)
  const member = database.prepare(
    `insert into roomMember (roomid, accid, admin, ordinary, blacklisted, muted, mutedUntil, updated) values (?, ?, 0, 1, 0, 0, 0, ?)`,
  )
  const { last } = database.prepare('select coalesce(max(line), 0) as last from roomLine').get() as { last: number }
  const begun = Date.now() - 3_600_000
  database.exec('begin')
  for (let number = 1; number <= lines; number++)
    line.run(
      last + number,
      uid,
      roomid,
      number % 2 ? 'speaker' : `u${number % 5000}`,
      `c${number}`,
      begun + Math.floor((number / lines) * 3_500_000),
      'something that was said',
    )
  for (let number = 0; number < members; number++) member.run(roomid, `m${number}`, begun + number)
  database.prepare('update linePosition set value = ?').run(last + lines)
  database.exec('commit')
  database.close()
}
