import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { IngestFigures, LocalEvent } from '../../contract/local-events.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { Topic } from '../bus/bus.ts'
import { createMemoryBus } from '../bus/memory-bus.ts'
import type { HubEvent } from '../hub/hub-events.ts'
import type { OwedReason } from '../storage/held-writes.ts'
import type { Channel, ChannelChange } from './channels.ts'
import { createLiveEvents, type LiveEvents } from './events.ts'

const time = manualClock()
const figures = { kbps: 100, viewers: 2, droppedForReaders: 0 } as IngestFigures
const channel = (cid: string, uid: number): Channel => ({
  row: {
    cid,
    uid,
    name: cid,
    type: 0,
    ctime: 1,
    disabled: 0,
    needRecord: 0,
    format: 1,
    duration: 120,
    filename: '',
    channelKey: 'key',
    keyExpires: 5,
  },
  since: undefined,
  recording: false,
})
let all: Map<string, Channel>
let change: (one: Channel, what: ChannelChange) => void
let push: (event: Omit<HubEvent, 'at'>) => void
let left: string[]
let owed: OwedReason | undefined
let held: { holdSeconds: number; delaySeconds: number; holding: boolean } | undefined
let events: LiveEvents
let topic: Topic<LocalEvent>
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  all = new Map([
    ['a', channel('a', 1)],
    ['b', channel('b', 2)],
  ])
  left = []
  owed = undefined
  held = undefined
  const bus = createMemoryBus({ log: { error: (_fields, sentence) => expect.unreachable(sentence) } })
  events = createLiveEvents({
    bus: {
      ...bus,
      topic<Message>(name: string) {
        const made = bus.topic<Message>(name)
        if (name === 'live') topic = made as unknown as Topic<LocalEvent>
        return made
      },
    },
    owed: () => owed,
    hold: () => held,
    channels: {
      get: (cid) => all.get(cid),
      of: (uid) => [...all.values()].filter(({ row }) => row.uid === uid),
      on(listener) {
        change = listener
        return () => void left.push('channels')
      },
    },
    hub: {
      on(listener) {
        push = (event) => listener({ ...event, at: 7 })
        return () => void left.push('hub')
      },
      figures: (cid) => (cid === 'a' ? figures : undefined),
      viewers: (cid) => (cid === 'a' ? 2 : 0),
    },
    clock: time,
  })
})
afterEach(() => {
  events.close()
  vi.useRealTimers()
})

/** A subscriber of an application, with what it was told. */
function subscribe(uid: number, after?: number) {
  const got: object[] = []
  let isEnded = false
  const sink = { write: (event: LocalEvent) => void got.push(event), end: () => (isEnded = true) }
  const leave = events.subscribe(uid, sink, after)
  if (leave === 'full') throw new Error('full')
  return { got, leave, ended: () => isEnded }
}
const at = time.now()
const tally = (cid: string) => ({ type: 'tally', at, cid, status: 0, keyExpires: 5000, viewers: cid === 'a' ? 2 : 0 })

it('a subscriber gets the channels of its application first, with their viewers', () => {
  const { got } = subscribe(1)
  expect(got).toEqual([{ type: 'snapshot', at, channels: [{ cid: 'a', status: 0, keyExpires: 5000, viewers: 2 }] }])
})

it('everybody is told what is in force but not on the disk, also who comes later', () => {
  const one = subscribe(1)
  owed = 'full'
  events.owed()
  expect(subscribe(2).got).toMatchObject([{ type: 'snapshot', owed: 'full' }])
  owed = undefined
  events.owed()
  expect(one.got.slice(1)).toEqual([
    { type: 'owed', at, reason: 'full' },
    { type: 'owed', at },
  ])
})

it('changes of a channel go to subscribers of its application only', () => {
  const [one, other] = [subscribe(1), subscribe(2)]
  for (const what of ['created', 'updated', 'key', 'tally', 'deleted'] as const) change(all.get('a')!, what)
  const told = (what: ChannelChange) => ({ type: 'channel', at, cid: 'a', change: what })
  expect(one.got.slice(1)).toEqual([
    told('created'),
    tally('a'),
    told('updated'),
    told('key'),
    tally('a'),
    tally('a'),
    told('deleted'),
  ])
  expect(other.got).toHaveLength(1)
})

it('a push is told with detail, remedy and sender where there are any', () => {
  const [one, other] = [subscribe(1), subscribe(2)]
  push({ type: 'started', cid: 'a' })
  push({ type: 'refused', cid: 'a', detail: 'wrong', remedy: 'key', from: '203.0.113.1' })
  all.delete('a')
  push({ type: 'ended', cid: 'a', detail: 'deleted' })
  push({ type: 'stalled', cid: 'a', detail: '3000' })
  expect(one.got.slice(1)).toEqual([
    { type: 'push', at: 7, cid: 'a', kind: 'started', place: at + 1 },
    {
      type: 'push',
      at: 7,
      cid: 'a',
      kind: 'refused',
      detail: 'wrong',
      remedy: 'key',
      from: '203.0.113.1',
      place: at + 2,
    },
    { type: 'push', at: 7, cid: 'a', kind: 'ended', detail: 'deleted', place: at + 3 },
  ])
  expect(other.got).toHaveLength(1)
})

it('figures of what is on air come every second, to its application, until it ends', () => {
  const [one, other] = [subscribe(1), subscribe(2)]
  push({ type: 'started', cid: 'a' })
  push({ type: 'started', cid: 'b' })
  vi.advanceTimersByTime(2000)
  const told = { type: 'ingest', at, cid: 'a', figures }
  expect(one.got.slice(2)).toEqual([told, told])
  // Its push has no figures yet.
  expect(other.got).toHaveLength(2)
  push({ type: 'ended', cid: 'a' })
  vi.advanceTimersByTime(2000)
  expect(one.got.slice(2)).toHaveLength(3)
})

it('events of other nodes come to the subscribers of the application, while it has some here', () => {
  const [one, again, other] = [subscribe(1), subscribe(1), subscribe(2)]
  const far = { type: 'push', at: 1, cid: 'far', kind: 'started' } as const
  topic.publish(1, far)
  one.leave()
  topic.publish(1, far)
  expect([one.got.slice(1), again.got.slice(1), other.got.slice(1)]).toEqual([[far], [far, far], []])
  again.leave()
  expect([topic.isHeard(1), topic.isHeard(2)]).toEqual([false, true])
  events.endAll()
  expect(topic.isHeard(2)).toBe(false)
})

it('a heartbeat comes every 5 s to everybody, and to nobody who has left', () => {
  const [one, other] = [subscribe(1), subscribe(2)]
  vi.advanceTimersByTime(5000)
  other.leave()
  vi.advanceTimersByTime(5000)
  change(all.get('b')!, 'updated')
  const beat = { type: 'heartbeat', at }
  expect([one.got.slice(1), other.got.slice(1)]).toEqual([[beat, beat], [beat]])
})

it('64 subscribe at most; one that leaves makes room', () => {
  const taken = Array.from({ length: 64 }, () => subscribe(1))
  const sink = { write: () => expect.unreachable(), end: () => undefined }
  expect(events.subscribe(1, sink)).toBe('full')
  taken[0]!.leave()
  subscribe(1)
})

it('ending all ends each once and forgets it; closing leaves channels and hub, and nothing is told any more', () => {
  const one = subscribe(1)
  events.endAll()
  expect(one.ended()).toBe(true)
  change(all.get('a')!, 'tally')
  expect(one.got).toHaveLength(1)
  const two = subscribe(1)
  events.close()
  expect(left).toEqual(['channels', 'hub'])
  vi.advanceTimersByTime(60_000)
  events.tell(1, { type: 'heartbeat', at })
  expect(two.got).toHaveLength(1)
})

it('a channel on air is told with its status and since when, its expiry in ms', () => {
  const one = subscribe(1)
  change({ ...channel('a', 1), since: 3, recording: true }, 'tally')
  expect(one.got.at(-1)).toEqual({ type: 'tally', at, cid: 'a', status: 3, since: 3, keyExpires: 5000, viewers: 2 })
})

it('figures come only where somebody listens, and those of each second once', () => {
  push({ type: 'started', cid: 'a' })
  vi.advanceTimersByTime(5000)
  const one = subscribe(1)
  vi.advanceTimersByTime(999)
  expect(one.got).toHaveLength(1)
  vi.advanceTimersByTime(1)
  expect(one.got.slice(1)).toEqual([{ type: 'ingest', at, cid: 'a', figures }])
})

it('a push of a channel that nobody knows is told to nobody', () => {
  const one = subscribe(1)
  push({ type: 'refused', cid: 'unknown', remedy: 'key' })
  push({ type: 'started', cid: 'unknown' })
  vi.advanceTimersByTime(1000)
  expect(one.got).toHaveLength(1)
})

it('what happened in a gap is told after it: pushes, holds and files of its application, in their order', () => {
  const one = subscribe(1)
  push({ type: 'started', cid: 'a' })
  const heard = (one.got.at(-1) as { readonly place: number }).place
  one.leave()
  const hold = { type: 'hold', at: 8, cid: 'a', holdSeconds: 120, delaySeconds: 0 } as const
  const file = { type: 'recording', at: 9, cid: 'a', state: 'fileReady', vid: 3 } as const
  events.tell(1, { ...hold, holding: true, since: 8 })
  push({ type: 'started', cid: 'b' })
  events.tell(1, { ...hold, at: 9, holding: false, lastHeld: 8, lastHeldFor: 1 })
  events.tell(1, { type: 'recording', at: 9, cid: 'a', state: 'recording' })
  events.tell(1, file)
  held = { holdSeconds: 120, delaySeconds: 0, holding: false }
  const again = subscribe(1, heard).got
  expect(again.slice(1)).toEqual([
    { ...hold, holding: true, since: 8, place: heard + 1 },
    { ...hold, at: 9, holding: false, lastHeld: 8, lastHeldFor: 1, place: heard + 3 },
    { ...file, place: heard + 4 },
    // How it is now, as states are not known in a gap.
    { type: 'hold', at, cid: 'a', ...held },
  ])
  // Who never heard anything is told only how it is.
  expect(subscribe(1).got.slice(1)).toEqual([{ type: 'hold', at, cid: 'a', ...held }])
})

it('of what happened in a gap the newest 1,000 are told', () => {
  for (let each = 0; each < 1_003; each++) push({ type: 'started', cid: 'a' })
  const { got } = subscribe(1, at)
  expect(got).toHaveLength(1_001)
  expect(got[1]).toMatchObject({ place: at + 4 })
})
