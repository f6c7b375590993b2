import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { AppEvent } from '../../contract/rpc/index.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { Client } from '../client/client.ts'
import { createEventHub } from '../hub/event-hub.ts'
import { until } from '../testing/rig.ts'
import { followHosted } from './hosted-line.ts'

const idOf = (count: number): string => count.toString(16).padStart(32, '0')
const channelOf = (cid: string) => ({ cid, status: 1, since: 1, viewers: 1, keyExpires: 9 })
const most = 10_000

/** An extended service elsewhere whose events and answers the test writes. */
async function stage(channels: object[] = []) {
  const clock = manualClock()
  const hub = createEventHub()
  const posted: AppEvent[] = []
  const streams: PassThrough[] = []
  const counts = { began: 0, gone: 0 }
  let onPost = (_event: AppEvent): void => undefined
  /** Calls that wait for their answer. */
  const calls: { readonly cids: readonly string[]; readonly answer: (list: object[]) => void }[] = []
  const sizes: number[] = []
  const client = {
    call: (operation: { path: string }, args: { cidList?: string[] }) =>
      operation.path === '/local/channel/details'
        ? new Promise((resolve) => {
            sizes.push(calls.length + 1)
            const cids = args.cidList ?? []
            calls.push({ cids, answer: (list) => resolve({ ret: { list } }) })
          })
        : Promise.resolve({ ret: { list: [], totalRecords: 0 } }),
    stream: (_operation: unknown, _args: unknown, signal: AbortSignal) => {
      const stream = new PassThrough()
      streams.push(stream)
      signal.addEventListener('abort', () => stream.destroy(new Error('aborted')))
      return Promise.resolve(stream)
    },
  } as unknown as Client
  const line = followHosted({
    profileId: 'h',
    clock,
    client: () => Promise.resolve(client),
    post: (event) => {
      posted.push(event)
      hub.post(event)
      onPost(event)
    },
    changed: () => undefined,
    gone: () => void counts.gone++,
    answered: () => undefined,
    began: () => void counts.began++,
    heard: { place: undefined },
    log: () => undefined,
  })
  const of = <T extends AppEvent['type']>(type: T) =>
    posted.filter((event): event is AppEvent & { type: T } => event.type === type)
  let marks = 0
  const say = (...events: object[]): void => {
    streams.at(-1)?.write(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  }
  await until('the stream', () => streams.length === 1)
  say({ type: 'snapshot', at: 1, channels })
  await until('events', () => of('tallies').at(-1)?.source === 'event')
  return {
    clock,
    hub,
    posted,
    counts,
    line,
    of,
    streams,
    calls,
    /** How many calls ran at each. */
    sizes,
    onPost: (call: (event: AppEvent) => void) => {
      onPost = call
    },
    say,
    /** Waits until what was said is read. */
    read: async () => {
      const vid = ++marks
      say({ type: 'unrecorded', at: 1, vids: [vid] })
      await until('the lines before', () => of('unrecorded').some(({ vids }) => vids[0] === vid))
    },
  }
}

it('keeps at most 10,000 channels of a service, whatever it tells of them', async () => {
  const on = await stage()
  for (let from = 0; from < 12_000; from += 1_000) {
    const cids = Array.from({ length: 1_000 }, (_, count) => idOf(from + count))
    on.say(...cids.map((cid) => ({ type: 'tally', at: 2, ...channelOf(cid) })))
    on.say(...cids.map((cid) => ({ type: 'recording', at: 2, cid, state: 'recording', since: 2 })))
    on.say(...cids.map((cid) => ({ type: 'ingest', at: 2, cid, figures: { viewers: 1, droppedForReaders: 0 } })))
    on.say(...cids.map((cid) => ({ type: 'hold', at: 2, cid, holdSeconds: 1, delaySeconds: 0, holding: true })))
    await on.read()
  }
  on.clock.advance(2_000)
  const { state } = on.hub
  expect(state.newest('tallies')[0]?.tallies).toHaveLength(most)
  expect(state.newest('recording')).toHaveLength(most)
  expect(state.newest('figures')).toHaveLength(most)
  expect(state.newest('hold')).toHaveLength(most)
  // One that has its place is told of as before.
  on.say({ type: 'tally', at: 3, ...channelOf(idOf(5)), viewers: 7 })
  await on.read()
  on.clock.advance(2_000)
  expect(state.newest('tallies')[0]?.tallies[5]).toMatchObject({ cid: idOf(5), viewers: 7 })
  on.line.end()
})

it('takes new channels in the places of those that are gone', async () => {
  const on = await stage(Array.from({ length: most }, (_, count) => channelOf(idOf(count))))
  on.say({ type: 'channel', at: 2, cid: idOf(1), change: 'deleted' })
  await until('the question', () => on.calls.length === 1)
  on.calls.shift()?.answer([])
  await setImmediate()
  on.say({ type: 'tally', at: 3, ...channelOf(idOf(most)) })
  await on.read()
  on.clock.advance(2_000)
  const cids = on
    .of('tallies')
    .at(-1)
    ?.tallies.map(({ cid }) => cid)
  expect([cids?.length, cids?.includes(idOf(1)), cids?.includes(idOf(most))]).toEqual([most, false, true])
  on.line.end()
})

it('keeps no long ids and texts of a service, and no more targets of a channel than it may have', async () => {
  const on = await stage()
  const cid = idOf(1)
  const long = 'x'.repeat(100_000)
  on.say({ type: 'tally', at: 2, ...channelOf(long) }, { type: 'tally', at: 2, ...channelOf(cid) })
  on.say({ type: 'ingest', at: 2, cid, figures: { viewers: 1, droppedForReaders: 0, encoder: long } })
  on.say({ type: 'push', at: 2, cid, kind: 'refused', detail: long, from: long })
  const sent = { since: 2, kbps: 1, dropped: 0, reconnects: 0, tries: 0 }
  for (let targetId = 1; targetId <= 200; targetId++)
    on.say({ type: 'target', at: 2, cid, targetId, state: 'sending', ...sent })
  await on.read()
  on.clock.advance(2_000)
  expect(
    on
      .of('tallies')
      .at(-1)
      ?.tallies.map((one) => one.cid),
  ).toEqual([cid])
  expect(on.of('figures').at(-1)?.figures?.encoder).toBe('x'.repeat(1_024))
  expect(on.of('push').at(-1)).toMatchObject({ detail: 'x'.repeat(1_024), from: 'x'.repeat(1_024) })
  const targets = on.hub.state.newest('target')
  expect([targets.length, targets.at(-1)?.targetId]).toEqual([64, 200])
  on.line.end()
})

it('reads changed channels by one call at a time, and one that changes meanwhile once more', async () => {
  const on = await stage()
  const [first, second] = [idOf(1), idOf(2)]
  for (let times = 0; times < 300; times++)
    on.say({ type: 'channel', at: 2, cid: times % 2 ? first : second, change: 'updated' })
  await on.read()
  expect(on.sizes).toEqual([1])
  on.calls.shift()?.answer([channelOf(second)])
  await until('the next call', () => {
    on.clock.advance(10)
    return on.calls.length === 1
  })
  expect([...(on.calls[0]?.cids ?? [])].sort()).toEqual([first, second])
  on.calls.shift()?.answer([
    { ...channelOf(first), viewers: 5 },
    { ...channelOf(second), viewers: 6 },
  ])
  await until('the tallies', () => {
    on.clock.advance(20)
    return on.of('tallies').at(-1)?.tallies.length === 2
  })
  expect(
    on
      .of('tallies')
      .at(-1)
      ?.tallies.map(({ viewers }) => viewers),
  ).toEqual([6, 5])
  on.clock.advance(60_000)
  await setImmediate()
  expect(on.sizes).toEqual([1, 1])
  on.line.end()
})

it('tells of a list that changes without end a few times a second, and of many tallies less often', async () => {
  const on = await stage(Array.from({ length: 5_000 }, (_, count) => channelOf(idOf(count))))
  on.posted.length = 0
  for (let step = 0; step < 100; step++) {
    for (let times = 0; times < 5; times++) {
      on.say({ type: 'channel', at: 2, cid: idOf(7), change: 'updated' })
      on.say({ type: 'tally', at: 2, ...channelOf(idOf(step)), viewers: step })
    }
    await on.read()
    on.clock.advance(20)
  }
  expect(on.of('tallies').length).toBeLessThanOrEqual(4)
  expect(on.of('channels').length).toBeLessThanOrEqual(8 + 2 * 4)
  on.clock.advance(1_000)
  // The last change is told too.
  expect(on.of('tallies').at(-1)?.tallies[99]?.viewers).toBe(99)
  const before = on.of('channels').length
  on.clock.advance(60_000)
  expect(on.of('channels').length).toBe(before)
  on.line.end()
})

it('takes a snapshot for the begin of a connection once', async () => {
  const on = await stage()
  on.posted.length = 0
  for (let times = 0; times < 50; times++) on.say({ type: 'snapshot', at: 2, channels: [channelOf(idOf(times))] })
  await on.read()
  on.clock.advance(20)
  expect([on.counts.began, on.of('tallies').length]).toEqual([1, 1])
  expect(on.of('tallies')[0]?.tallies.map(({ cid }) => cid)).toEqual([idOf(49)])
  on.line.end()
})

it('tells nothing more after its end: not what was read before, nor what a call answers late', async () => {
  const on = await stage([channelOf(idOf(1))])
  on.say({ type: 'channel', at: 2, cid: idOf(1), change: 'deleted' })
  on.say({ type: 'recording', at: 2, cid: idOf(1), state: 'recording', since: 2 })
  await on.read()
  let isEnded = false
  on.onPost(({ type }) => {
    if (isEnded || type !== 'figures') return
    isEnded = true
    on.line.end()
    on.hub.forget('h')
  })
  // In one part, of which the first line ends it.
  const figures = { viewers: 1, droppedForReaders: 0 }
  on.say(...Array.from({ length: 50 }, (_, count) => ({ type: 'ingest', at: 3, cid: idOf(count), figures })))
  await until('the end', () => isEnded)
  // The one that it ended with, and its end.
  expect(on.of('figures').map((event) => event.figures === null)).toEqual([false, true])
  const before = on.posted.length
  on.calls.shift()?.answer([])
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  on.clock.advance(60_000)
  expect([on.posted.slice(before), on.counts.gone]).toEqual([[], 0])
  expect([on.hub.state.newest('figures'), on.hub.state.newest('recording'), on.hub.state.newest('tallies')]).toEqual([
    [],
    [],
    [],
  ])
  expect(on.clock.waiting()).toBe(0)
})

it('opens a stream again after growing waits where each ends soon after its begin', async () => {
  const on = await stage()
  const waits: number[] = []
  for (let times = 1; times <= 5; times++) {
    on.streams.at(-1)?.end()
    await until('the loss', () => on.of('tallies').at(-1)?.source === 'poll')
    let waited = 0
    while (on.streams.length === times) {
      on.clock.advance(50)
      waited += 50
      for (let turn = 0; turn < 4; turn++) await setImmediate()
    }
    waits.push(waited)
    on.say({ type: 'snapshot', at: 1, channels: [] })
    await until('events', () => on.of('tallies').at(-1)?.source === 'event')
  }
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000])
  // One that lasted is no sign of trouble.
  for (let second = 0; second < 15; second++) {
    on.clock.advance(1_000)
    on.say({ type: 'heartbeat', at: 2 })
    await on.read()
  }
  on.streams.at(-1)?.end()
  await until('the loss', () => on.of('tallies').at(-1)?.source === 'poll')
  on.clock.advance(250)
  await until('the stream', () => on.streams.length === 7)
  on.line.end()
})
