import { setImmediate } from 'node:timers/promises'
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

it('tells what a hosted service says is on air every 5 s, and that its list changed when it did', async () => {
  const clock = manualClock()
  const told: AppEvent[] = []
  let list = [{ cid: 'a', name: 'A', status: 1 }]
  let calls = 0
  const client = {
    call: async () => {
      await setImmediate()
      // A poll that does not wait would go on without end.
      if (++calls > 10) await new Promise(() => undefined)
      return { ret: { list, totalRecords: list.length } }
    },
  } as unknown as Client
  const poll = pollHosted({
    profileId: 'h',
    clock,
    log: () => undefined,
    client: () => Promise.resolve(client),
    post: (event) => void told.push(event),
  })
  const tallies = (status: number) => ({
    type: 'tallies',
    profileId: 'h',
    at: clock.now(),
    source: 'poll',
    fault: null,
    tallies: [{ cid: 'a', status, since: null, viewers: null, keyExpires: null }],
  })
  const wait = async (): Promise<void> => {
    await until('the wait for the next turn', () => clock.waiting() > 0)
  }
  await wait()
  expect(told.splice(0)).toEqual([tallies(1)])
  list = [{ cid: 'a', name: 'A', status: 0 }]
  clock.advance(4_999)
  expect(clock.waiting()).toBe(1)
  clock.advance(1)
  await wait()
  expect(told.splice(0)).toEqual([tallies(0)])
  list = [{ cid: 'a', name: 'B', status: 0 }]
  poll.pollNow()
  await until('a poll at once', () => told.length === 2)
  expect(told.splice(0)).toEqual([{ type: 'channels', profileId: 'h' }, tallies(0)])
  await wait()
  // After one poll at once the next one waits again.
  expect(clock.waiting()).toBe(1)
  poll.end()
  await until('the end', () => clock.waiting() === 0)
  expect(told).toEqual([])
})

it('tells the tallies that it knows with the failure of a poll, and one of its own as an internal one', async () => {
  const clock = manualClock()
  const told: AppEvent[] = []
  let fault: Error | undefined
  const poll = pollHosted({
    profileId: 'h',
    clock,
    log: () => undefined,
    client: () =>
      fault
        ? Promise.reject(fault)
        : Promise.resolve({
            call: () => Promise.resolve({ ret: { list: [{ cid: 'a', name: 'A', status: 1 }], totalRecords: 1 } }),
          } as unknown as Client),
    post: (event) => void told.push(event),
  })
  await until('the wait for the next turn', () => clock.waiting() > 0)
  fault = new Error('of its own')
  poll.pollNow()
  await until('the failure', () => told.length === 2)
  expect(told[1]).toMatchObject({
    fault: 'poll',
    failure: { kind: 'internal', detail: 'of its own' },
    tallies: [{ cid: 'a', status: 1 }],
  })
  poll.end()
})
