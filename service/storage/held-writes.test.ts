import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { silentLog } from '../log.ts'
import { createHeldWrites, inForce } from './held-writes.ts'

const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
const made = () => {
  const clock = manualClock()
  const told: (string | undefined)[] = []
  const held = createHeldWrites({ clock, log: silentLog, changed: () => told.push(held.reason()) })
  const disk = { refuses: true, written: [] as string[] }
  const write = (what: string) => () => {
    if (disk.refuses) return Promise.reject(full)
    disk.written.push(what)
    return Promise.resolve()
  }
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms)
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
  }
  return { held, told, disk, write, pass }
}

it('a write that the disk takes is not owed', async () => {
  const { held, told, disk, write } = made()
  disk.refuses = false
  expect(await held.hold('one', write('one'))).toBeUndefined()
  expect([held.reason(), told, disk.written]).toEqual([undefined, [], ['one']])
})

it('a refused one is tried again until the disk takes it, and what is owed is told', async () => {
  const { held, told, disk, write, pass } = made()
  expect(await held.hold('one', write('one, first'))).toBe('full')
  expect(await held.hold('one', write('one'))).toBe('full')
  expect(await held.hold('two', write('two'), write('two again'))).toBe('full')
  await pass(60_000)
  expect([disk.written, held.reason()]).toEqual([[], 'full'])
  disk.refuses = false
  await pass(10_000)
  expect([disk.written, told]).toEqual([
    ['one', 'two again'],
    ['full', undefined],
  ])
})

it('what is owed is written before it is undone, or not undone', async () => {
  const { held, disk, write } = made()
  await held.hold('one', write('one'))
  await expect(held.settle('one')).rejects.toThrow('ENOSPC')
  disk.refuses = false
  await held.settle('one')
  await held.settle('one')
  expect([disk.written, held.reason()]).toEqual([['one'], undefined])
})

it('a last try is made at the end', async () => {
  const { held, disk, write, pass } = made()
  await held.hold('one', write('one'))
  disk.refuses = false
  await held.close()
  await pass(60_000)
  expect(disk.written).toEqual(['one'])
})

it('the answer says that it holds, and what a restart does', () => {
  expect(inForce(undefined)).toEqual({})
  expect(inForce('full').msg).toMatch(/in force, but not stored.*disk.*full.*restart before then undoes it/)
})
