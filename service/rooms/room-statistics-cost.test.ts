import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StatementSync } from 'node:sqlite'
import { afterEach, expect, vi } from 'vitest'
import { openStore } from '../storage/testing/open-store.ts'
import { createRoomPeriods } from './room-periods.ts'
import { createRoomStatistics } from './room-statistics.ts'
import { itOnSqlite } from '../testing/engines.ts'

const folder = mkdtempSync(join(tmpdir(), 'sidestage-statistics-'))
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

itOnSqlite('somebody new costs one statement for the hour and one for the day, and counts as active once', async () => {
  const at = Date.parse('2027-06-01T10:00:00Z')
  const store = await openStore(folder)
  const statistics = await createRoomStatistics(store.db, createRoomPeriods('UTC'), { now: () => at })
  const statEvents = Array.from({ length: 10 }, (_, number) => ({
    uid: 1,
    roomid: 7,
    accid: `u${number}`,
    at,
    what: 'enters' as const,
  }))
  const ran = [vi.spyOn(StatementSync.prototype, 'all'), vi.spyOn(StatementSync.prototype, 'run')]
  await statistics.count(store.db, statEvents)
  expect(ran.reduce((sum, { mock }) => sum + mock.calls.length, 0)).toBe(2 * (statEvents.length + 1))
  // Never confirmed as stored, so the same accounts are looked up again.
  await statistics.count(store.db, statEvents)
  const rows = await store.db.selectFrom('roomStat').select(['active', 'enters']).execute()
  expect(rows).toEqual([
    { active: 10, enters: 20 },
    { active: 10, enters: 20 },
  ])
  await store.close()
})
