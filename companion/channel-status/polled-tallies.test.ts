import { expect, it } from 'vitest'
import type { AppEvent } from '../../contract/rpc/index.ts'
import type { Client } from '../client/client.ts'
import { Failure } from '../failure.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { until } from '../testing/rig.ts'
import { pollEvery, pollHosted } from './polled-tallies.ts'

it('knows no time of tallies that never came, says why in a code, and keeps the time of those that did', async () => {
  const clock = manualClock()
  const told: (AppEvent & { type: 'tallies' })[] = []
  let answers = false
  const client = {
    call: () =>
      answers
        ? Promise.resolve({ ret: { list: [], totalRecords: 0 } })
        : Promise.reject(new Failure('unreachable', '127.0.0.1:9: ECONNREFUSED')),
  } as unknown as Client
  const poll = pollHosted({
    profileId: 'h',
    clock,
    log: () => undefined,
    client: () => Promise.resolve(client),
    post: (event) => {
      if (event.type === 'tallies') told.push(event)
    },
  })
  const next = async (): Promise<void> => {
    const before = told.length
    await until('a poll', () => {
      if (told.length > before) return true
      clock.advance(pollEvery)
      return false
    })
  }
  await until('the first poll', () => told.length === 1)
  expect(told[0]).toMatchObject({ at: null, failure: { kind: 'unreachable' } })
  answers = true
  await next()
  const heard = told.at(-1)?.at
  expect(told.at(-1)).toMatchObject({ at: expect.any(Number) as number, fault: null })
  expect(told.at(-1)?.failure).toBeUndefined()
  answers = false
  await next()
  expect(told.at(-1)).toMatchObject({ failure: { kind: 'unreachable' } })
  expect(told.at(-1)?.at).toBeGreaterThanOrEqual(heard ?? Number.NaN)
  poll.end()
})
