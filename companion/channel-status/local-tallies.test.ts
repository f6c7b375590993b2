import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import type { LocalEvent } from '../../contract/local-events.ts'
import type { AppEvent } from '../../contract/rpc/index.ts'
import type { Client } from '../client/client.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { until } from '../testing/rig.ts'
import { createEventHub } from '../hub/event-hub.ts'
import { followLocal } from './local-tallies.ts'

const cid = '0123456789abcdef0123456789abcdef'
const live = { cid, status: 1, since: 1, viewers: 0, keyExpires: 9 }

/** A follower of a service whose event stream the test writes. */
function stage() {
  const clock = manualClock()
  const streams: PassThrough[] = []
  const hub = createEventHub()
  const client = {
    // No channel is there any more when it is asked about.
    call: () => Promise.resolve({ ret: { list: [] } }),
    stream: (_operation: unknown, signal: AbortSignal) => {
      const stream = new PassThrough()
      streams.push(stream)
      signal.addEventListener('abort', () => stream.destroy(new Error('aborted')))
      return Promise.resolve(stream)
    },
  } as unknown as Client
  const told: (AppEvent & { type: 'tallies' })[] = []
  const all: AppEvent[] = []
  const local = followLocal({
    log: () => undefined,
    clock,
    client: () => Promise.resolve(client),
    post: (event) => {
      all.push(event)
      if (event.type === 'tallies') told.push(event)
      hub.post(event)
    },
    changed: () => undefined,
  })
  hub.onSubscribers(() => local.markFresh())
  return {
    clock,
    told,
    all,
    local,
    streams,
    say: (event: LocalEvent) => streams.at(-1)?.write(`${JSON.stringify(event)}\n`),
    /** What a page that comes now is told first. */
    first: async () => {
      const end = new AbortController()
      const { value } = await hub.subscribe(end.signal).next()
      end.abort()
      return value as AppEvent & { type: 'tallies' }
    },
  }
}

it('doubts what it knew when the computer slept, before a page is told of it, until the service tells anew', async () => {
  const on = stage()
  await until('a connection', () => on.streams.length === 1)
  on.say({ type: 'snapshot', at: 1, channels: [live] })
  await until('the snapshot', () => on.told.length === 1)
  for (let second = 0; second < 8; second++) {
    on.clock.advance(1_000)
    expect((await on.first()).fault).toBeNull()
  }
  // Timers stand still while a computer sleeps, and the clock does not: a page may come before the first of them rings.
  on.clock.sleep(60_000)
  expect((await on.first()).fault).toBe('slept')
  await until('the end of the old connection', () => on.streams[0]?.destroyed)
  await until('a new connection', () => {
    on.clock.advance(250)
    return on.streams.length === 2
  })
  expect((await on.first()).fault).toBe('slept')
  on.say({ type: 'snapshot', at: 2, channels: [{ ...live, status: 0 }] })
  await until('the new snapshot', () => on.told.at(-1)?.fault === null)
  expect(await on.first()).toMatchObject({ fault: null, tallies: [{ cid, status: 0 }] })
  on.local.end()
})

it('ends what is recorded of a channel with the channel: the service tells nothing more of it', async () => {
  const on = stage()
  await until('a connection', () => on.streams.length === 1)
  on.say({ type: 'snapshot', at: 1, channels: [live] })
  on.say({ type: 'recording', at: 2, cid, state: 'recording', since: 2, bytes: 1 })
  const states = (): string[] => on.all.flatMap((event) => (event.type === 'recording' ? [event.recording.state] : []))
  await until('the recording', () => states().length === 1)
  on.say({ type: 'channel', at: 3, cid, change: 'deleted' })
  await until('its end', () => states().length === 2)
  expect(states()).toEqual(['recording', 'off'])
  on.local.end()
})

it('tells of recorded files that were deleted', async () => {
  const on = stage()
  await until('a connection', () => on.streams.length === 1)
  on.say({ type: 'unrecorded', at: 2, vids: [7, 8] })
  await until('the event', () => on.all.some(({ type }) => type === 'unrecorded'))
  expect(on.all.find(({ type }) => type === 'unrecorded')).toEqual({
    type: 'unrecorded',
    profileId: 'local',
    vids: [7, 8],
  })
  on.local.end()
})
