import { expect, onTestFinished, test } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { temporaryFolder } from '../hub/testing/fixture.ts'
import { createMemoryJournal } from '../journal/memory-journal.ts'
import { madeAgain } from '../journal/testing/made-again.ts'
import { silentLog } from '../log.ts'
import { openStore } from '../storage/testing/open-store.ts'
import { memoryKeys } from './target-keys.ts'
import { createTargetsStore, type TargetEdit } from './targets-store.ts'
import { createTargets } from './targets.ts'

const cid = 'a'.repeat(32)
const given = { name: 'there', preset: 'custom', url: 'rtmp://a.example/live', start: 'push' } as const

/** A database; `start` is a service over it, whose encoders push nothing. */
async function stored() {
  const folder = temporaryFolder()
  const store = await openStore(folder.path)
  onTestFinished(async () => {
    await store.close()
    folder.remove()
  })
  return async (outdated?: () => void) => {
    const journal = madeAgain(createMemoryJournal(store))
    const none = (): never => {
      throw new Error('nothing is on air')
    }
    const targets = await createTargets({
      store: createTargetsStore(store),
      journal,
      keys: memoryKeys(),
      source: { hub: { join: none, dropped: none, stream: () => undefined }, on: () => () => undefined },
      connection: { resolve: none, ownPorts: () => [], ownAddresses: () => [], program: 'test', ca: undefined },
      clock: manualClock(),
      random: (bytes) => Buffer.alloc(bytes),
      maxTargets: 2,
      outdated,
      changed: () => undefined,
      log: silentLog,
    })
    onTestFinished(() => targets.close())
    const byAnother = (edit: TargetEdit): void => journal.byAnother('target', edit)
    return { targets, byAnother, rows: () => targets.list(cid).map(({ row }) => row) }
  }
}

test('targets are the same in a service that has loaded them and is given their changes', async () => {
  const start = await stored()
  const one = await start()
  const first = (await one.targets.add(cid, { ...given, key: 'k' })) as number
  const row = { targetId: first, cid, ...given, keyState: 'given', keyVersion: 0 }
  const other = await start()
  other.byAnother({ kind: 'add', cid, row })
  expect([one.rows(), other.rows()]).toEqual([[row], [row]])

  await one.targets.change(cid, first, { url: 'rtmp://b.example/live', start: 'hand' })
  const values = { url: 'rtmp://b.example/live', start: 'hand', keyState: 'forgotten' }
  other.byAnother({ kind: 'change', cid, targetId: first, values })
  expect(other.rows()).toEqual(one.rows())
  expect(one.targets.list(cid)[0]).toMatchObject({ key: undefined, row: { keyState: 'forgotten' } })

  // Numbers are of all services, and are not given again.
  await one.targets.remove(cid, first)
  other.byAnother({ kind: 'remove', cid, targetId: first })
  const second = (await other.targets.add(cid, given)) as number
  expect([one.rows(), second > first]).toEqual([[], true])
  one.byAnother({ kind: 'add', cid, row: { targetId: second, cid, ...given, keyState: '' } })
  expect(one.rows()).toEqual(other.rows())

  await one.targets.forget(cid)
  other.byAnother({ kind: 'forget', cid })
  expect([one.rows(), other.rows(), (await start()).rows()]).toEqual([[], [], []])
})

test('another key at the same address is known of by its version, in a cluster alone', async () => {
  const start = await stored()
  const asked: string[] = []
  const alone = await start()
  const targetId = (await alone.targets.add(cid, { ...given, key: 'k' })) as number
  await alone.targets.change(cid, targetId, { key: 'l' })
  expect(alone.rows()).toMatchObject([{ keyVersion: 0 }])
  const one = await start(() => asked.push('one'))
  // Given after its start, as it keeps keys in memory.
  await one.targets.change(cid, targetId, { key: 'm' })
  await one.targets.change(cid, targetId, { key: 'm' })
  expect(one.rows()).toMatchObject([{ keyVersion: 1 }])
  const other = await start(() => asked.push('other'))
  expect([other.rows(), other.targets.keyless()]).toEqual([one.rows(), one.rows()])
  await one.targets.change(cid, targetId, { key: 'n' })
  expect(one.targets.list(cid)).toMatchObject([{ key: 'n', row: { keyVersion: 2 } }])
  expect(asked).toEqual([])
  other.byAnother({ kind: 'change', cid, targetId, values: { keyVersion: 2 } })
  other.byAnother({ kind: 'change', cid, targetId, values: { name: 'here' } })
  expect([asked, other.targets.keyVersion({ cid, targetId, url: given.url })]).toEqual([['other'], 2])
  // The release before this one tells no version.
  other.byAnother({ kind: 'add', cid, row: { targetId: 9, cid, ...given, keyState: 'given' } })
  other.byAnother({ kind: 'add', cid, row: { targetId: 10, cid, ...given, keyState: '' } })
  expect(asked).toEqual(['other', 'other'])
  expect(other.rows().map(({ keyVersion }) => keyVersion)).toEqual([2, 0, 0])
})

test('a channel has no more targets than it may have, whoever adds them', async () => {
  const start = await stored()
  const { targets } = await start()
  const added = await Promise.all(Array.from({ length: 4 }, () => targets.add(cid, given)))
  expect(added.filter((one) => one === 'full')).toHaveLength(2)
})
