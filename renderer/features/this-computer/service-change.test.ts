import { expect, it } from 'vitest'
import type { ServiceChange } from '../../../contract/rpc/index.ts'
import { useServiceChange } from './service-change.ts'

const answer = (outcome: ServiceChange['outcome']): ServiceChange => ({ outcome, listener: null, by: null })

function stage(answers: readonly (ServiceChange | Error)[]) {
  const asked: boolean[] = []
  const left = [...answers]
  const change = useServiceChange((evenOnAir) => {
    asked.push(evenOnAir)
    const next = left.shift()
    return next instanceof Error || next === undefined
      ? Promise.reject(next ?? new Error('none'))
      : Promise.resolve(next)
  })
  const state = () => [change.asking.value, change.outcome.value?.outcome ?? null, change.failure.value !== null]
  return { asked, change, state }
}

it('is made without a question while nothing is on air', async () => {
  const { asked, change, state } = stage([answer('done')])
  const running = change.ask()
  expect(change.busy.value).toBe(true)
  await running
  expect([asked, state(), change.busy.value]).toEqual([[false], [false, 'done', false], false])
  change.forget()
  expect(state()).toEqual([false, null, false])
})

it('asks while a channel is on air, and is made once that is confirmed', async () => {
  const { asked, change, state } = stage([answer('onAir'), answer('done')])
  await change.ask()
  expect(state()).toEqual([true, null, false])
  await change.confirm()
  expect([asked, state()]).toEqual([
    [false, true],
    [false, 'done', false],
  ])
})

it('does not ask again after a confirmation', async () => {
  const { change, state } = stage([answer('onAir'), answer('onAir')])
  await change.ask()
  await change.confirm()
  expect(state()).toEqual([false, 'onAir', false])
})

it('ends its question where it failed, and forgets the outcome before', async () => {
  const { change, state } = stage([answer('done'), answer('onAir'), new Error('gone')])
  await change.ask()
  await change.ask()
  expect(state()).toEqual([true, null, false])
  await change.confirm()
  expect(state()).toEqual([false, null, true])
})
