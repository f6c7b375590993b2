import { afterEach, beforeEach, expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createMemoryJournal } from '../journal/memory-journal.ts'
import { startRig, type Rig } from '../outbox/testing/rig.ts'
import { copyDelivery, copyKind, createCopies } from './copies.ts'

let rig: Rig
beforeEach(async () => {
  rig = await startRig({ clock: manualClock() })
})
afterEach(() => rig.close())
const journalled = () => ({ db: rig.store.db, journal: createMemoryJournal(rig.store) })

it('an application has no address and the kinds 1 and 4 until they are set, and has them after a restart', async () => {
  expect(rig.copies.target(rig.uid)).toEqual({ kinds: [1, 4] })
  await rig.copies.set(rig.uid, { url: 'http://127.0.0.1:9/', kinds: [2] })
  await rig.copies.set(rig.otherUid, { kinds: [3] })
  const again = await createCopies({ ...journalled(), outbox: rig.outbox })
  expect([again.target(rig.uid), again.target(rig.otherUid)]).toEqual([
    { url: 'http://127.0.0.1:9/', kinds: [2] },
    { kinds: [3] },
  ])
  // Without an address nothing is copied.
  expect([again.wants(rig.uid, 2), again.wants(rig.uid, 1), again.wants(rig.otherUid, 3)]).toEqual([true, false, false])
})

it('an address that could not be stored is not used: the one before it stays, or none', async () => {
  const fails = new Error('not now')
  const copies = await createCopies({
    ...journalled(),
    outbox: { put: () => Promise.resolve(''), redirect: () => Promise.reject(fails), drop: () => Promise.resolve() },
  })
  await expect(copies.set(rig.uid, { url: 'http://127.0.0.1:9/', kinds: [1] })).rejects.toBe(fails)
  expect(copies.target(rig.uid)).toEqual({ kinds: [1, 4] })
  await copies.set(rig.uid, { kinds: [2] })
  await expect(copies.set(rig.uid, { url: 'http://127.0.0.1:9/', kinds: [1] })).rejects.toBe(fails)
  expect(copies.target(rig.uid)).toEqual({ kinds: [2] })
})

it('waiting copies go to a new address, and are dropped without one, of that application and kind only', async () => {
  const asked: unknown[] = []
  const copies = await createCopies({
    ...journalled(),
    outbox: {
      put: () => Promise.resolve(''),
      redirect: (_transaction, what) => {
        asked.push(['redirect', what])
        return Promise.resolve()
      },
      drop: (_transaction, what) => {
        asked.push(['drop', what])
        return Promise.resolve()
      },
    },
  })
  await copies.set(rig.uid, { url: 'http://127.0.0.1:9/', kinds: [1] })
  await copies.set(rig.uid, { kinds: [1] })
  expect(asked).toEqual([
    ['redirect', { uid: rig.uid, kind: copyKind, url: 'http://127.0.0.1:9/' }],
    ['drop', { uid: rig.uid, kind: copyKind }],
  ])
})

it('a copy of an application whose key pair is not known is not signed', async () => {
  const delivery = copyDelivery({ byUid: () => undefined, clock: manualClock() })
  await expect(delivery.headers(1, '{}')).rejects.toThrow('the key pair of this application is not known')
})
