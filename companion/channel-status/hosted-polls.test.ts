import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { AppEvent, Profile } from '../../contract/rpc/index.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { Client } from '../client/client.ts'
import { createEventHub } from '../hub/event-hub.ts'
import { createListeners } from '../listeners.ts'
import { until } from '../testing/rig.ts'
import { pollHostedProfiles } from './hosted-polls.ts'

const profileOf = (id: string, more: Partial<Profile> = {}): Profile => ({
  id,
  kind: 'hosted',
  extended: false,
  media: null,
  name: id,
  liveUrl: 'https://live.example',
  messagingUrl: 'https://live.example',
  appKey: 'k',
  secret: 'keychain',
  ...more,
})

const own = profileOf('local', { kind: 'local' })

function stage() {
  const hub = createEventHub()
  const clock = manualClock()
  const changes = createListeners<[]>()
  const asked: string[] = []
  const answered: string[] = []
  const posted: AppEvent[] = []
  const forgotten: string[] = []
  const state = { all: [own, profileOf('h')] }
  const polls = pollHostedProfiles({
    profiles: { all: () => state.all, on: changes.on },
    hub: {
      ...hub,
      post: (event) => {
        posted.push(event)
        hub.post(event)
      },
    },
    clock,
    client: (profileId) => {
      asked.push(profileId)
      return Promise.resolve({
        call: async () => {
          await setImmediate()
          return { ret: { list: [], totalRecords: 0 } }
        },
      } as unknown as Client)
    },
    tell: (event) => hub.post(event),
    addresses: { forget: () => undefined },
    targets: { forgetChannel: () => undefined, giveSoon: () => undefined },
    pushHistory: { forget: (profileId) => void forgotten.push(profileId) },
    extensions: { askSoon: (profileId) => void answered.push(profileId) },
    log: () => undefined,
  })
  const pages = new Set<AbortController>()
  return {
    hub,
    clock,
    asked,
    answered,
    forgotten,
    posted,
    polls,
    change: (all: Profile[]) => {
      state.all = all
      changes.tell()
    },
    /** A page that follows the events until it goes. */
    page: async () => {
      const gone = new AbortController()
      pages.add(gone)
      const events = hub.subscribe(gone.signal)
      await events.next()
      return async () => {
        gone.abort()
        await events.return()
      }
    },
    tallies: () => hub.state.newest('tallies').map(({ profileId }) => profileId),
    waits: async (count: number) => {
      await until(`${count} polls that wait`, () => clock.waiting() === count)
    },
  }
}

it('tells the list of profiles at the start and after each change', () => {
  const on = stage()
  expect(on.posted).toEqual([{ type: 'profiles', profiles: [profileOf('local', { kind: 'local' }), profileOf('h')] }])
  on.change([profileOf('local', { kind: 'local' })])
  expect(on.posted.at(-1)).toEqual({ type: 'profiles', profiles: [profileOf('local', { kind: 'local' })] })
  on.polls.end()
})

it('asks hosted services only, and only while a page is open', async () => {
  const on = stage()
  expect(on.asked).toEqual([])
  const leave = await on.page()
  await on.waits(1)
  expect(on.asked).toEqual(['h'])
  const second = await on.page()
  expect(on.asked).toEqual(['h'])
  await second()
  on.clock.advance(5_000)
  await on.waits(1)
  expect(on.asked).toEqual(['h', 'h'])
  // Not at each poll.
  expect(on.answered).toEqual(['h'])
  await leave()
  await on.waits(0)
  expect(on.tallies()).toEqual(['h'])
  on.polls.end()
})

it('asks anew where a profile was changed, begins with one that was added', async () => {
  const on = stage()
  const leave = await on.page()
  await on.waits(1)
  on.change([own, profileOf('h'), profileOf('i')])
  await on.waits(2)
  expect(on.asked).toEqual(['h', 'i'])
  on.change([own, profileOf('h'), profileOf('i', { liveUrl: 'https://other.example' })])
  await until('the question to the other address', () => on.asked.length === 3)
  await on.waits(2)
  expect([on.asked, on.tallies()]).toEqual([
    ['h', 'i', 'i'],
    ['h', 'i'],
  ])
  on.change([own, profileOf('i', { liveUrl: 'https://other.example' })])
  await on.waits(1)
  expect([on.tallies(), on.forgotten]).toEqual([['i'], ['h']])
  await leave()
  on.polls.end()
})

it('asks one service at once when it is told to, and none after its end', async () => {
  const on = stage()
  const leave = await on.page()
  on.change([profileOf('h'), profileOf('i')])
  await on.waits(2)
  on.polls.pollNow('i')
  await until('the question', () => on.asked.length === 3)
  await on.waits(2)
  expect(on.asked).toEqual(['h', 'i', 'i'])
  on.polls.pollNow('nobody')
  on.polls.end()
  await on.waits(0)
  const told = on.posted.length
  on.change([profileOf('h'), profileOf('k')])
  await leave()
  expect([on.asked.length, on.posted.length]).toEqual([3, told])
})

it('takes all of a removed profile out of the state, also while no page is open', () => {
  const on = stage()
  const session = { profileId: 'h', accid: 'ana', phase: 'online', reason: null, unread: 3, kept: true } as const
  on.hub.post({ type: 'linkSession', session })
  on.hub.post({ type: 'linkSession', session: { ...session, profileId: 'i' } })
  on.change([profileOf('local', { kind: 'local' }), profileOf('i')])
  expect(on.hub.state.newest('linkSession').map((told) => told.session.profileId)).toEqual(['i'])
  on.polls.end()
})
