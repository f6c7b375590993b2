import { expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import type { Quarantine, QuarantineEntry } from '../../platform/quarantine.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createMemoryBus } from '../bus/memory-bus.ts'
import { createNodeCommands } from '../bus/node-commands.ts'
import { silentLog } from '../log.ts'
import type { Caller } from '../http/dispatch.ts'
import type { Adopt } from './own-quarantine.ts'
import { quarantineOperations } from './quarantine-operations.ts'

const entry = (id: string, more: Partial<QuarantineEntry> = {}): QuarantineEntry => ({
  id,
  at: 1,
  reason: 'unknown',
  detail: 'a detail',
  paths: ['files/a'],
  count: 1,
  bytes: 10,
  seen: false,
  until: 2,
  ...more,
})

const nobodyElse = { commands: createNodeCommands(createMemoryBus({ log: silentLog }), 'one'), clock: manualClock() }

/** The operations over a quarantine in memory, called by the application 7, which is the service's own. */
function bench(entries: readonly QuarantineEntry[], adopters: readonly Adopt[] = []) {
  const seen: unknown[] = []
  const quarantine: Quarantine = {
    list: () => [...entries],
    restore: (id: string) =>
      Promise.resolve(
        id === 'known'
          ? {
              restored: ['files/a', 'recordings/b'],
              taken: Array.from({ length: 30 }, (_, index) => `files/${index}`),
            }
          : undefined,
      ),
    remove: (id: string) => Promise.resolve(id === 'known'),
    see: (ids: readonly string[]) => void seen.push(ids),
  } as Partial<Quarantine> as Quarantine
  const served = quarantineOperations({
    ...nobodyElse,
    log: silentLog,
    quarantine,
    adopters,
    isMain: (uid) => uid === 7,
  })
  const call = async (operation: Operation, args: object, uid = 7): Promise<unknown> =>
    served.find((one) => one.operation === operation)!.answer!(
      args as never,
      { application: { uid }, subnet: '127.0.0.1' } as Caller,
    )
  return { call, seen }
}

it('lists 1000 entries at most, and counts all of them with their bytes', async () => {
  const { call } = bench(Array.from({ length: 1001 }, (_, index) => entry(String(index))))
  const { ret } = (await call(local.quarantine, {})) as { ret: { list: object[]; count: number; bytes: number } }
  expect([ret.list.length, ret.count, ret.bytes]).toEqual([1000, 1001, 10_010])
})

it('names 20 paths of an entry and 300 characters of its detail at most', async () => {
  const paths = Array.from({ length: 21 }, (_, index) => `files/${index}`)
  const { call } = bench([entry('one', { paths, count: 5000, detail: 'd'.repeat(301), seen: true })])
  expect(await call(local.quarantine, {})).toEqual({
    ret: {
      list: [
        {
          id: 'one',
          at: 1,
          reason: 'unknown',
          detail: 'd'.repeat(300),
          paths: paths.slice(0, 20),
          count: 5000,
          bytes: 10,
          seen: true,
          until: 2,
        },
      ],
      count: 1,
      bytes: 10,
    },
  })
})

it('offers what was put back to one kind of file after the other, until one takes it', async () => {
  const asked: unknown[] = []
  const adopter = (name: string, takes: (path: string) => boolean): Adopt => {
    return (uid, path) => {
      asked.push([name, uid, path])
      return Promise.resolve(takes(path))
    }
  }
  const { call } = bench(
    [],
    [adopter('uploads', (path) => path.startsWith('files/')), adopter('recordings', () => true)],
  )
  const answer = (await call(local.restoreQuarantined, { id: 'known' })) as {
    ret: { restored: number; taken: string[] }
  }
  expect(asked).toEqual([
    ['uploads', 7, 'files/a'],
    ['uploads', 7, 'recordings/b'],
    ['recordings', 7, 'recordings/b'],
  ])
  expect([answer.ret.restored, answer.ret.taken.length]).toEqual([2, 20])
})

it('has nothing for another application, and no entry that is not there', async () => {
  const { call, seen } = bench([entry('known')])
  expect(await call(local.quarantine, {}, 8)).toEqual({ ret: { list: [], count: 0, bytes: 0 } })
  for (const operation of [local.restoreQuarantined, local.removeQuarantined]) {
    await expect(call(operation, { id: 'known' }, 8)).rejects.toMatchObject({ code: 618 })
    await expect(call(operation, { id: 'unknown' })).rejects.toMatchObject({ code: 618 })
  }
  await call(local.seeQuarantined, { idList: ['known'] }, 8)
  expect(seen).toEqual([])
  await call(local.seeQuarantined, { idList: ['known'] })
  expect(seen).toEqual([['known']])
  expect(await call(local.removeQuarantined, { id: 'known' })).toEqual({})
})
