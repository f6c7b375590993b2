import { expect, it } from 'vitest'
import { reading, useTask } from './task.ts'

/** Work that is done when it is let, and how often it was begun. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>()
  let begun = 0
  return {
    begun: () => begun,
    let: resolve,
    work: (): Promise<void> => {
      begun += 1
      return promise
    },
  }
}

it('does one thing at a time: what is asked for beside another is not done', async () => {
  const { run, busy } = useTask()
  const [first, second] = [held(), held()]
  const done = run('save', first.work)
  expect(busy.value).toBe('save')
  expect(await run('remove', second.work)).toBe(false)
  expect(await run(reading, second.work)).toBe(false)
  first.let()
  expect([await done, second.begun(), busy.value]).toEqual([true, 0, null])
})

it('does what is asked for while something is read, as soon as that is there, also when it failed', async () => {
  for (const failing of [false, true]) {
    const { run, busy } = useTask()
    const [read, save, again] = [held(), held(), held()]
    const isRead = run(reading, async () => {
      await read.work()
      if (failing) throw new Error('not read')
    })
    const isSaved = run('save', save.work)
    // Pressed twice it is done once.
    const isSavedAgain = run('save', again.work)
    expect([save.begun(), busy.value]).toEqual([0, reading])
    read.let()
    expect(await isRead).toBe(!failing)
    expect(await isSavedAgain).toBe(false)
    expect(busy.value).toBe('save')
    save.let()
    expect([await isSaved, save.begun(), again.begun(), busy.value]).toEqual([true, 1, 0, null])
  }
})

it('gives the answer, and none of what failed or was asked for beside another', async () => {
  const { ask, failure } = useTask()
  const { promise, resolve } = Promise.withResolvers<number>()
  const asked = ask('count', () => promise)
  expect(await ask('count', () => Promise.resolve(2))).toBeUndefined()
  resolve(1)
  expect(await asked).toBe(1)
  expect(await ask('count', () => Promise.reject(new Error('not counted')))).toBeUndefined()
  expect(failure.value?.detail).toContain('not counted')
})

it('tells a failure where it was asked for, until the next thing is done', async () => {
  const { run, failure, failureAt } = useTask()
  await run('remove', () => Promise.reject(new Error('not removed')))
  expect([failureAt('remove')?.detail, failureAt('save')]).toEqual([failure.value?.detail, null])
  const { let: finish, work } = held()
  const done = run('save', work)
  expect([failureAt('remove'), failure.value]).toEqual([null, null])
  finish()
  expect([await done, failure.value]).toEqual([true, null])
})

it('drops what runs: its answer and its failure say nothing any more, and another runs at once', async () => {
  const { run, ask, busy, failure, drop } = useTask()
  const [old, failing] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const dropped = ask('old', () => old.promise)
  drop()
  expect(busy.value).toBeNull()
  const refused = run('failing', () => failing.promise)
  drop()
  const { let: finish, work } = held()
  const done = run('new', work)
  old.resolve('late')
  failing.reject(new Error('late'))
  expect([await dropped, await refused, busy.value, failure.value]).toEqual([undefined, false, 'new', null])
  finish()
  expect([await done, busy.value]).toEqual([true, null])
})

it('has no failure of what was dropped, and does what is asked for after a read was dropped', async () => {
  const { run, failure, failureAt, drop } = useTask()
  await run('remove', () => Promise.reject(new Error('not removed')))
  drop()
  expect([failure.value, failureAt('remove')]).toEqual([null, null])
  const never = run(reading, () => new Promise(() => undefined))
  drop()
  expect(await Promise.race([run('save', () => Promise.resolve()), never])).toBe(true)
})
