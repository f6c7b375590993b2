import { expect, it } from 'vitest'
import { repeated } from './repeated.ts'

it('does its work after each wait until it is ended, also where the work ends it', () => {
  const pending = new Map<() => void, number>()
  const after = (ms: number, call: () => void): (() => void) => {
    pending.set(call, ms)
    return () => void pending.delete(call)
  }
  const pass = (): void => {
    for (const call of Array.from(pending.keys())) {
      pending.delete(call)
      call()
    }
  }
  let times = 0
  const stop = repeated({ after }, 50, () => {
    if (++times === 3) stop()
  })
  expect([times, ...pending.values()]).toEqual([0, 50])
  pass()
  pass()
  expect([times, ...pending.values()]).toEqual([2, 50])
  pass()
  pass()
  expect([times, pending.size]).toEqual([3, 0])
})
