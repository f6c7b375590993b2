import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { scratch } from '../testing/rig.ts'
import { type ActionLog, openActionLog } from './action-log.ts'
import { actionLimit } from './action-limit.ts'

let folder: ReturnType<typeof scratch>
let file: string
let log: ActionLog
beforeEach(() => {
  folder = scratch()
  file = path.join(folder.dir, 'actions.db')
  log = openActionLog(file)
})
afterEach(() => {
  log.close()
  folder[Symbol.dispose]()
})
const begin = (at: number, operator = 'ana', seat = false): number =>
  log.begin({
    profileId: 'local',
    roomid: 7,
    at,
    operator,
    seat,
    what: { kind: 'queueClear' },
    why: '',
    undoes: null,
  })
const timesOf = (): number[] => log.list({ profileId: 'local', limit: 1_000 }).map(({ at }) => at)
/** Plays that the entries so far are so many, or so large. */
const count = (change: string): void => {
  const database = new DatabaseSync(file)
  database.exec(`update author set ${change}`)
  database.close()
}
const counted = (): unknown[] => {
  const database = new DatabaseSync(file)
  const rows = database.prepare('select author, seat, entries, bytes from author order by author').all()
  database.close()
  return rows.map((row) => ({ ...row }))
}

it('has room for 100,000 entries of the host, and as many of all seats', () => {
  begin(1)
  begin(2)
  count(`entries = ${actionLimit.entries}`)
  begin(3)
  expect([actionLimit.entries, timesOf()]).toEqual([100_000, [3, 2, 1]])
  begin(4)
  expect(timesOf()).toEqual([4, 3, 2])
  expect(log.dropped('local', 7)).toEqual({ entries: 1, until: 1 })
  // Those of seats are counted by themselves.
  begin(5, 'mei', true)
  expect(timesOf()).toEqual([5, 4, 3, 2])
})

it('has room for 32 MiB of the host, and as much of all seats', () => {
  begin(1)
  begin(2)
  count(`bytes = ${actionLimit.bytes}`)
  begin(3)
  expect([actionLimit.bytes, timesOf()]).toEqual([32 * 1024 * 1024, [3, 2, 1]])
  count(`bytes = ${actionLimit.bytes} + 1`)
  begin(4)
  expect(timesOf()).toEqual([4, 3, 2])
})

it('drops of the seats the oldest entry of the one that has the most bytes', () => {
  begin(1, 'ana')
  begin(2, 'mei', true)
  begin(3, 'rob', true)
  begin(4, 'rob', true)
  count(`entries = ${actionLimit.entries} where author like '1 % rob'`)
  begin(5, 'kim', true)
  expect(timesOf()).toEqual([5, 4, 2, 1])
})

it('counts entries with their outcomes, and counts nothing of what was dropped', () => {
  const id = begin(1)
  const empty = counted() as [{ bytes: number }]
  expect(empty).toMatchObject([{ author: '0 local ana', seat: 0, entries: 1 }])
  log.end(id, { result: 'done', code: 200, detail: 'é' })
  const { bytes } = (counted() as [{ bytes: number }])[0]
  // Two bytes of text, what belongs to an outcome, and its details in JSON.
  expect(bytes - empty[0].bytes).toBe(100 + 2 + Buffer.byteLength('{}'))
  count(`entries = ${actionLimit.entries} + 1`)
  begin(2, 'ana')
  expect(counted()).toMatchObject([{ author: '0 local ana', bytes: empty[0].bytes, entries: actionLimit.entries + 1 }])
})
