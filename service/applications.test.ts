import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createMemoryJournal } from './journal/memory-journal.ts'
import { manualClock } from '../platform/testing/manual-clock.ts'
import { createApplications } from './applications.ts'
import { openStore } from './storage/testing/open-store.ts'
import type { Store } from './storage/store.ts'

const clock = manualClock()
let dir: string
let store: Store
let count: number
beforeEach(async () => {
  count = 0
  dir = mkdtempSync(join(tmpdir(), 'sidestage-applications-'))
  store = await openStore(dir)
})
afterEach(async () => {
  await store.close()
  rmSync(dir, { recursive: true, force: true })
})
const load = (tenants: readonly (readonly [name: string, appKey: string])[], localTargets = true) =>
  createApplications(
    store.db,
    tenants.map(([name, appKey]) => ({ name, credentials: { appKey, appSecret: `secret of ${appKey}` } })),
    { journal: createMemoryJournal(store), clock, random: (bytes) => Buffer.alloc(bytes, ++count), localTargets },
  )

it('an application has a number of ten digits by its name, whatever its key pair, and is found by key', async () => {
  const { uid } = (await load([['main', 'one']])).byKey('one')!
  expect(uid).toBe(1_000_000_000 + 0x01010101)
  const again = await load([
    ['main', 'two'],
    ['other', 'three'],
  ])
  expect(again.byKey('two')).toMatchObject({ uid, name: 'main', appKey: 'two', appSecret: 'secret of two' })
  expect(again.byKey('one')).toBeUndefined()
  expect(again.byUid(uid)).toBe(again.byKey('two'))
  expect(again.byKey('three')!.uid).not.toBe(uid)
  expect(again.byUid(5)).toBeUndefined()
})

it('two applications cannot have the same AppKey', async () => {
  await expect(
    load([
      ['main', 'one'],
      ['other', 'one'],
    ]),
  ).rejects.toThrow('two applications have the same AppKey')
})

it('a new application has these settings', async () => {
  expect((await load([['main', 'one']])).byKey('one')!.settings).toEqual({
    ownerPresent: true,
    liveEnabled: true,
    vodEnabled: true,
    frozen: false,
    oneTimeCheckSum: false,
    pushLifeDays: 30,
    localTargets: true,
    recordingDays: 0,
    recordingGigabytes: 0,
    recordingLinkHours: 24,
    callsPerMinute: 0,
    blockSeconds: 10,
    recallMinutes: 2,
    historyDays: 30,
    roamingDays: 7,
    offlineDays: 7,
    teamSize: 200,
    teamsPerOwner: 100,
    roomsPerCreator: 1000,
    roomAdmins: 100,
    roomLimited: 10_000,
    roomRobots: 1000,
    roomNotices: 500,
  })
})

it('changed settings are used at once and kept, and the others stay', async () => {
  const applications = await load([['main', 'one']])
  const application = applications.byKey('one')!
  const changed = await applications.updateSettings(application.uid, {
    frozen: true,
    liveEnabled: false,
    pushLifeDays: 2,
    vodEnabled: undefined,
  })
  expect(changed).toMatchObject({ frozen: true, liveEnabled: false, pushLifeDays: 2, vodEnabled: true })
  expect(applications.byKey('one')!.settings).toEqual(changed)
  expect(await applications.readSettings(application.uid)).toEqual(changed)
  expect(await applications.updateSettings(application.uid, {})).toEqual(changed)
  expect((await load([['main', 'one']])).byKey('one')!.settings).toEqual(changed)
})

it('targets on this computer are allowed as the listeners are bound, until a setting says otherwise', async () => {
  const allowed = async (localTargets: boolean) =>
    (await load([['main', 'one']], localTargets)).byKey('one')!.settings.localTargets
  expect([await allowed(true), await allowed(false)]).toEqual([true, false])
  const applications = await load([['main', 'one']], false)
  await applications.updateSettings(applications.byKey('one')!.uid, { localTargets: true })
  expect([await allowed(true), await allowed(false)]).toEqual([true, true])
})
