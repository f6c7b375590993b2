import { manualWallClock } from '../../platform/testing/manual-clock.ts'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { accounts, chatrooms, history, live, local, recordings, statistics } from '../../contract/operations/index.ts'
import { itOnSqlite } from '../testing/engines.ts'
import { startService, type TestService } from '../testing/start-service.ts'

/** Long reads, and what of them must stay off the event loop. */
let service: TestService
const clock = manualWallClock()
const prepared: string[] = []
let cid = ''
let roomid = 0
beforeAll(async () => {
  service = await startService({ clock })
  for (const accid of ['ann', 'bob']) await service.call(accounts.create, { accid })
  cid = (await service.call(live.create, { name: 'show' })).ret!.cid
  roomid = (await service.call(chatrooms.create, { creator: 'ann', name: 'room' })).chatroom!.roomid
  const prepare = DatabaseSync.prototype.prepare
  vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, sql: string) {
    prepared.push(sql)
    return prepare.call(this, sql)
  })
})
afterAll(async () => {
  vi.restoreAllMocks()
  await service.close()
})

const reads: Readonly<Record<string, readonly [table: RegExp, ask: () => Promise<{ readonly code: number }>]>> = {
  'the history of a room': [
    /from "roomLine" where "roomid" = \? and "state"/,
    () => service.call(local.roomHistory, { roomid }),
  ],
  'the history of a conversation': [
    /from "event" where .*"conversation"/,
    () => service.call(history.session, { from: 'ann', to: 'bob', limit: 100, endtime: clock.now() }),
  ],
  'log-ins of an account': [/from "logInRecord"/, () => service.call(history.userEvents, { accid: 'ann', limit: 100 })],
  'files of a channel': [/from "recording" where "state"/, () => service.call(recordings.videoList, { cid })],
  'files of a channel in a time': [
    /from "recording" where "state"/,
    () => service.call(recordings.videoListInRange, { cid, beginTime: clock.now() - 1000, endTime: clock.now() }),
  ],
  'callbacks that wait': [/count\(\*\) as "total" from "delivery"/, () => service.call(local.deliveries, {})],
  'rooms by what was said in an hour': [
    /from "roomStat" where "uid"/,
    () => service.call(statistics.topn, { period: 'hour', timestamp: clock.now() - 7_200_000 }),
  ],
}

itOnSqlite.each(Object.keys(reads))('are made on their own thread: %s', async (what) => {
  const [table, ask] = reads[what]!
  prepared.length = 0
  expect((await ask()).code).toBe(200)
  expect(prepared.filter((sql) => table.test(sql))).toEqual([])
})

itOnSqlite.each(Object.keys(reads))('are noted by the tests, so that their plans are read: %s', async (what) => {
  const [table, ask] = reads[what]!
  expect((await ask()).code).toBe(200)
  const noted = readFileSync(new URL(`../../out/statements/${process.pid}.jsonl`, import.meta.url), 'utf8')
  const statements = noted
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { readonly sql: string }).sql]))
  expect(statements.some((sql) => sql.startsWith('select') && table.test(sql))).toBe(true)
})
