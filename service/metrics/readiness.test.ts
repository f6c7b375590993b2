import { expect, it } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { temporaryFolder } from '../hub/testing/fixture.ts'
import { openStore } from '../storage/testing/open-store.ts'
import { breakTables } from '../testing/beside.ts'
import { lookForFaults, noFaults, type CheckedParts } from './readiness.ts'

const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })

it('tells of each thing that does not work: database, disk, owed writes, outbox, listeners, Redis', async () => {
  const folder = temporaryFolder()
  const store = await openStore(folder.path)
  const works: CheckedParts = {
    db: store.db,
    dataDir: folder.path,
    held: { reason: () => undefined },
    outbox: { isBroken: () => false },
    listening: () => [true, true],
  }
  const look = (parts: Partial<CheckedParts>) => lookForFaults({ ...works, ...parts }, systemClock)
  try {
    expect(await look({})).toEqual(noFaults)
    expect(await look({ trial: () => full })).toEqual({ ...noFaults, disk: true })
    // The file of another trial says nothing of the disk.
    expect(await look({ trial: () => Object.assign(new Error('there'), { code: 'EEXIST' }) })).toEqual(noFaults)
    expect(await look({ held: { reason: () => 'full' } })).toEqual({ ...noFaults, disk: true })
    expect(await look({ outbox: { isBroken: () => true } })).toEqual({ ...noFaults, outbox: true })
    expect(await look({ listening: () => [true, false] })).toEqual({ ...noFaults, listeners: true })
    expect(await look({ backed: { isCutOff: () => true } })).toEqual({ ...noFaults, redis: true })
    expect(await look({ backed: { isCutOff: () => false } })).toEqual(noFaults)
    await breakTables(folder.path, 'streamPosition')
    expect(await look({})).toEqual({ ...noFaults, store: true })
  } finally {
    await store.close()
    folder.remove()
  }
})

it('takes a database that does not answer within a second for one that does not work', async () => {
  const never: { executeTakeFirstOrThrow: () => Promise<never> } = {
    executeTakeFirstOrThrow: () => new Promise(() => undefined),
  }
  const db = { selectFrom: () => ({ select: () => never }) } as unknown as CheckedParts['db']
  const asked: number[] = []
  const clock = {
    ...systemClock,
    after(ms: number, call: () => void) {
      asked.push(ms)
      queueMicrotask(call)
      return () => undefined
    },
  }
  const parts = {
    db,
    dataDir: '.',
    held: { reason: () => undefined },
    outbox: { isBroken: () => false },
    listening: () => [],
    trial: () => undefined,
  }
  expect(await lookForFaults(parts, clock)).toEqual({ ...noFaults, store: true })
  expect(asked).toEqual([1000])
})
