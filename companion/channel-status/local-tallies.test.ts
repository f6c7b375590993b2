import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import type { LocalEvent } from '../../contract/local-events.ts'
import type { AppEvent } from '../../contract/rpc/index.ts'
import type { Client } from '../client/client.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { until } from '../testing/rig.ts'
import { createEventHub } from '../hub/event-hub.ts'
import { followLocal } from './local-tallies.ts'
import { recordingOf } from './recording-of.ts'

const cid = '0123456789abcdef0123456789abcdef'
const live = { cid, status: 1, since: 1, viewers: 0, keyExpires: 9 }

/** A follower of a service whose event stream the test writes. */
function stage() {
  const clock = manualClock()
  /** What the service answers of channels that it is asked about. */
  const channels: { cid: string; status: number; since?: number; viewers: number; keyExpires: number }[] = []
  const asked: unknown[] = []
  const changed: string[] = []
  const gone: string[] = []
  let isRunning = true
  const streams: PassThrough[] = []
  /** With what each was asked for. */
  const opened: unknown[] = []
  const hub = createEventHub()
  const client = {
    call: (operation: { path: string }, args: unknown) => {
      asked.push([operation.path, args])
      return Promise.resolve({ ret: { list: [...channels] } })
    },
    stream: (_operation: unknown, args: unknown, signal: AbortSignal) => {
      opened.push(args)
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
    client: () => (isRunning ? Promise.resolve(client) : undefined),
    post: (event) => {
      all.push(event)
      if (event.type === 'tallies') told.push(event)
      hub.post(event)
    },
    changed: (one) => void changed.push(one),
    gone: (one) => void gone.push(one),
  })
  hub.onSubscribers(() => local.markFresh())
  return {
    clock,
    told,
    all,
    local,
    streams,
    opened,
    channels,
    asked,
    changed,
    gone,
    stop: () => {
      isRunning = false
    },
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

const begun = async (): Promise<ReturnType<typeof stage>> => {
  const on = stage()
  await until('a connection', () => on.streams.length === 1)
  on.say({ type: 'snapshot', at: 1, channels: [live] })
  await until('the snapshot', () => on.all.length === 2)
  return on
}
const measured = { viewers: 2, droppedForReaders: 0 }
const nothingMeasured = {
  kbps: null,
  fps: null,
  keyFrameGap: null,
  keyFrameGapMax: null,
  kbpsDeviation: null,
  fpsDeclared: null,
  drift: null,
  audioGap: null,
  width: null,
  height: null,
  videoCodec: null,
  audioCodec: null,
  sampleRate: null,
  audioChannels: null,
  encoder: null,
}
const noRecording = { state: 'off', reason: null, since: null, bytes: 0, cut: null }
/** A heartbeat has no event of its own: the push after it shows that it was read. */
const read = async (on: ReturnType<typeof stage>): Promise<void> => {
  const before = on.all.length
  on.say({ type: 'push', at: 99, cid, kind: 'stalled' })
  await until('the lines before', () => on.all.length > before && on.all.at(-1)?.type === 'push')
}

it('tells the tallies of a snapshot at once and that the list of channels is to be read', async () => {
  const on = await begun()
  expect(on.all).toEqual([
    {
      type: 'tallies',
      profileId: 'local',
      at: on.clock.now(),
      source: 'event',
      fault: null,
      tallies: [{ cid, status: 1, since: 1, viewers: 0, keyExpires: 9 }],
    },
    { type: 'channels', profileId: 'local' },
  ])
  on.local.end()
})

it('tells tallies that change within 20 ms together, and the time of a start as null where there is none', async () => {
  const on = await begun()
  on.all.length = 0
  on.say({ type: 'tally', at: 2, ...live, viewers: 1 })
  on.say({ type: 'tally', at: 2, ...live, viewers: 2 })
  const { since: _since, ...off } = live
  on.say({ type: 'tally', at: 2, ...off, cid: 'f'.repeat(32), status: 0 })
  await read(on)
  on.clock.advance(19)
  expect(on.all.filter(({ type }) => type === 'tallies')).toEqual([])
  on.clock.advance(1)
  expect(on.all.filter(({ type }) => type === 'tallies')).toMatchObject([
    {
      tallies: [
        { cid, status: 1, since: 1, viewers: 2 },
        { cid: 'f'.repeat(32), status: 0, since: null },
      ],
    },
  ])
  on.say({ type: 'tally', at: 3, ...live, viewers: 3 })
  await read(on)
  on.clock.advance(20)
  expect(on.told.at(-1)?.tallies[0]?.viewers).toBe(3)
  on.local.end()
})

it('tells the figures of the ingest, with null for what is not known', async () => {
  const on = await begun()
  on.all.length = 0
  on.say({ type: 'ingest', at: 5, cid, figures: measured })
  const figures = {
    kbps: 1,
    keyFrameGap: 2,
    keyFrameGapMax: 3,
    kbpsDeviation: 4,
    drift: -5,
    audioGap: 6,
    width: 7,
    height: 8,
    videoCodec: 'v',
    audioCodec: 'a',
    sampleRate: 9,
    audioChannels: 10,
    encoder: 'e',
  }
  on.say({
    type: 'ingest',
    at: 6,
    cid,
    figures: { ...measured, ...figures, millifps: 29_970, millifpsDeclared: 30_000 },
  })
  await read(on)
  expect(on.all.slice(0, 2)).toEqual([
    { type: 'figures', profileId: 'local', cid, at: 5, figures: { ...nothingMeasured, viewers: 2 } },
    {
      type: 'figures',
      profileId: 'local',
      cid,
      at: 6,
      figures: { ...figures, fps: 29.97, fpsDeclared: 30, viewers: 2 },
    },
  ])
  on.local.end()
})

it('knows no figures of a push of which none came for 6 s, until they come again', async () => {
  const on = await begun()
  on.say({ type: 'ingest', at: 2, cid, figures: measured })
  await read(on)
  on.all.length = 0
  const told = () => on.all.flatMap((event) => (event.type === 'figures' ? [event.figures === null] : []))
  for (let second = 0; second < 6; second++) on.clock.advance(1_000)
  expect(told()).toEqual([])
  for (let second = 0; second < 3; second++) on.clock.advance(1_000)
  expect(told()).toEqual([true])
  on.say({ type: 'ingest', at: 3, cid, figures: measured })
  await read(on)
  expect(told()).toEqual([true, false])
  on.local.end()
})

it.each([
  ['its tally is off', { type: 'tally', at: 3, ...live, status: 0 }, 1],
  ['its tally is of a disabled channel', { type: 'tally', at: 3, ...live, status: 2 }, 1],
  ['its push ended', { type: 'push', at: 3, cid, kind: 'ended' }, 1],
  ['a snapshot has it no more', { type: 'snapshot', at: 3, channels: [] }, 1],
  ['its tally is on air', { type: 'tally', at: 3, ...live }, 0],
  ['its tally is on air and recorded', { type: 'tally', at: 3, ...live, status: 3 }, 0],
  ['its push is stalled', { type: 'push', at: 3, cid, kind: 'stalled' }, 0],
] as [string, LocalEvent, number][])('ends the figures of a channel when %s: %#', async (_when, event, ends) => {
  const on = await begun()
  on.say({ type: 'ingest', at: 2, cid, figures: measured })
  await read(on)
  on.all.length = 0
  // Once is enough.
  on.say(event)
  on.say(event)
  await read(on)
  expect(on.all.filter(({ type }) => type === 'figures')).toEqual(
    Array.from({ length: ends }, () => ({
      type: 'figures',
      profileId: 'local',
      cid,
      at: on.clock.now(),
      figures: null,
    })),
  )
  on.local.end()
})

it('tells the turns of a push that it knows, with null for what is not said', async () => {
  const on = await begun()
  on.all.length = 0
  on.say({ type: 'push', at: 2, cid, kind: 'of tomorrow' })
  on.say({ type: 'push', at: 3, cid, kind: 'started' })
  on.say({ type: 'push', at: 4, cid, kind: 'refused', detail: 'no', remedy: 'key', from: '192.0.2.1' })
  const more = ['firstKeyFrame', 'codecs', 'ended', 'replaced', 'stalled', 'retimed', 'leftOut']
  for (const kind of more) on.say({ type: 'push', at: 5, cid, kind })
  await until('all of them', () => on.all.length === 9)
  expect(on.all.slice(0, 2)).toEqual([
    { type: 'push', profileId: 'local', cid, at: 3, kind: 'started', detail: null, remedy: null },
    { type: 'push', profileId: 'local', cid, at: 4, kind: 'refused', detail: 'no', remedy: 'key', from: '192.0.2.1' },
  ])
  expect(on.all.slice(2).map((event) => event.type === 'push' && event.kind)).toEqual(more)
  on.local.end()
})

it('tells a recorded file once it is ready, and no state of a recording with it', async () => {
  const on = await begun()
  on.all.length = 0
  on.say({ type: 'recording', at: 2, cid, state: 'fileReady' })
  on.say({ type: 'recording', at: 2, cid, state: 'of tomorrow' })
  on.say({ type: 'recording', at: 3, cid, state: 'fileReady', vid: 7, name: 'n', bytes: 9, merged: true })
  on.say({ type: 'recording', at: 4, cid, state: 'fileReady', vid: 8 })
  await read(on)
  expect(on.all.slice(0, -1)).toEqual([
    { type: 'recorded', profileId: 'local', cid, at: 3, vid: 7, name: 'n', bytes: 9, merged: true },
    { type: 'recorded', profileId: 'local', cid, at: 4, vid: 8, name: '', bytes: 0, merged: false },
  ])
  on.local.end()
})

it('ends recordings with the snapshot of a service that began again, but none that had ended', async () => {
  const on = await begun()
  on.say({ type: 'recording', at: 2, cid, state: 'recording', since: 2 })
  on.say({ type: 'recording', at: 2, cid: 'f'.repeat(32), state: 'recording', since: 2 })
  on.say({ type: 'recording', at: 3, cid: 'f'.repeat(32), state: 'off' })
  await read(on)
  on.all.length = 0
  on.say({ type: 'snapshot', at: 4, channels: [live] })
  await read(on)
  expect(on.all.filter(({ type }) => type === 'recording')).toEqual([
    { type: 'recording', profileId: 'local', cid, at: on.clock.now(), recording: noRecording },
  ])
  on.local.end()
})

it('reads a channel that was changed and tells its tally and the list', async () => {
  const on = await begun()
  on.all.length = 0
  on.channels.push({ ...live, cid: 'f'.repeat(32), status: 3 }, { ...live, keyExpires: 10 })
  on.say({ type: 'channel', at: 2, cid, change: 'updated' })
  await until('that the list changed', () => on.all.length === 1)
  expect(on.all).toEqual([{ type: 'channels', profileId: 'local' }])
  expect(on.changed).toEqual([cid])
  expect(on.asked).toEqual([['/local/channel/details', { cidList: [cid] }]])
  await until('the tallies', () => {
    on.clock.advance(20)
    return on.all.length === 2
  })
  expect(on.all[1]).toMatchObject({ type: 'tallies', tallies: [{ cid, keyExpires: 10 }] })
  on.channels.length = 0
  on.say({ type: 'ingest', at: 3, cid, figures: measured })
  on.say({ type: 'channel', at: 3, cid, change: 'deleted' })
  await until('the tallies without it', () => {
    on.clock.advance(20)
    return on.told.at(-1)?.tallies.length === 0
  })
  expect(on.all.findLast(({ type }) => type === 'figures')).toMatchObject({ cid, figures: null })
  on.local.end()
})

it('takes a connection for dead that is silent for 12 s, and connects anew after 250 ms', async () => {
  const on = await begun()
  on.clock.advance(4_000)
  on.clock.advance(4_000)
  on.clock.advance(3_999)
  expect(on.streams[0]?.destroyed).toBe(false)
  on.say({ type: 'heartbeat', at: 2 })
  await read(on)
  for (let second = 0; second < 11; second++) on.clock.advance(1_000)
  expect(on.streams[0]?.destroyed).toBe(false)
  on.clock.advance(1_000)
  expect(on.streams[0]?.destroyed).toBe(true)
  await until('the loss', () => on.told.at(-1)?.fault === 'lost')
  on.clock.advance(249)
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
  expect(on.streams).toHaveLength(1)
  on.clock.advance(1)
  await until('a new connection', () => on.streams.length === 2)
  on.local.end()
})

it('says that the tallies are not known before it ends figures and recordings of a stream that was cut', async () => {
  const on = await begun()
  on.say({ type: 'ingest', at: 2, cid, figures: measured })
  on.say({ type: 'recording', at: 2, cid, state: 'recording' })
  await read(on)
  on.all.length = 0
  on.stop()
  on.streams[0]?.end()
  await until('the loss', () => on.all.length === 3)
  expect(on.all).toMatchObject([
    { type: 'tallies', fault: 'lost', tallies: [{ cid, status: 1 }] },
    { type: 'figures', cid, figures: null },
    { type: 'recording', cid, recording: noRecording },
  ])
  // A service that does not run is not connected to; it is said once.
  for (let times = 0; times < 5; times++) {
    on.clock.advance(250)
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
  expect([on.streams.length, on.all.length]).toEqual([1, 3])
  on.local.end()
})

it('ends its connection and tells nothing more when it is ended', async () => {
  const on = await begun()
  on.say({ type: 'tally', at: 2, ...live, viewers: 1 })
  await read(on)
  on.all.length = 0
  on.local.end()
  expect(on.streams[0]?.destroyed).toBe(true)
  for (let second = 0; second < 3; second++) {
    on.clock.advance(1_000)
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
  expect([on.all, on.streams.length, on.clock.waiting()]).toEqual([[], 1, 0])
})

it('reads the state of a recording: a reason where it stopped, and zero bytes where none are said', () => {
  expect(recordingOf({ state: 'of tomorrow' })).toBeUndefined()
  expect(recordingOf({ state: 'off' })).toEqual(noRecording)
  expect(recordingOf({ state: 'asked' })).toEqual({ ...noRecording, state: 'asked' })
  expect(recordingOf({ state: 'recording', reason: 'space', since: 1, recorded: 2, bytes: 3, cut: 4 })).toEqual({
    state: 'recording',
    reason: null,
    since: 1,
    recorded: 2,
    bytes: 3,
    cut: 4,
  })
  for (const reason of ['space', 'readonly', 'folder', 'slow', 'error'])
    expect(recordingOf({ state: 'stopped', reason })).toMatchObject({ state: 'stopped', reason })
  expect(recordingOf({ state: 'stopped', reason: 'of tomorrow' })?.reason).toBe('error')
  expect(recordingOf({ state: 'stopped' })?.reason).toBe('error')
})

it('tells that something is in force but not stored until it is, also after a new snapshot', async () => {
  const on = stage()
  await until('a connection', () => Promise.resolve(on.streams.length === 1))
  const owed = (): unknown[] => on.all.flatMap((event) => (event.type === 'owed' ? [event.reason] : []))
  on.say({ type: 'snapshot', at: 1, channels: [] })
  on.say({ type: 'owed', at: 2, reason: 'full' })
  on.say({ type: 'snapshot', at: 3, channels: [], owed: 'full' })
  on.say({ type: 'owed', at: 4, reason: 'of a later version' })
  on.say({ type: 'snapshot', at: 5, channels: [] })
  await until('all to be told', () => Promise.resolve(owed().length === 3))
  expect(owed()).toEqual(['full', 'other', null])
})

it('tells of targets and of the hold, and drops them when they are known no more', async () => {
  const on = stage()
  await until('a connection', () => on.streams.length === 1)
  on.say({ type: 'snapshot', at: 1, channels: [live] })
  const sent = { kbps: 6_000, dropped: 3, reconnects: 1, tries: 0 }
  on.say({ type: 'target', at: 2, cid, targetId: 7, state: 'sending', since: 2, ...sent })
  on.say({ type: 'target', at: 2, cid, targetId: 7, state: 'of a later version', since: 2, ...sent })
  on.say({ type: 'target', at: 3, cid, targetId: 7, state: 'retrying', since: 3, ...sent, reason: 'new', nextTry: 9 })
  on.say({ type: 'hold', at: 4, cid, holdSeconds: 120, delaySeconds: 0, holding: true, since: 4, until: 124 })
  const of = <T extends 'target' | 'hold'>(type: T) =>
    on.all.filter((event): event is AppEvent & { type: T } => event.type === type)
  await until('the hold', () => of('hold').length === 1)
  expect(of('target').map(({ target }) => [target?.state, target?.reason, target?.nextTry])).toEqual([
    ['sending', null, null],
    ['retrying', 'fault', 9],
  ])
  expect(of('hold')[0]?.hold).toMatchObject({ holding: true, byHand: false, since: 4, until: 124, delayed: null })
  on.streams[0]?.destroy()
  await until('the end of both', () => of('hold').at(-1)?.hold === null)
  expect(of('target').at(-1)).toMatchObject({ cid, targetId: 7, target: null })
  on.local.end()
})

it('says that a channel is gone, so that nothing is kept of it', async () => {
  const on = stage()
  await until('a connection', () => on.streams.length === 1)
  on.say({ type: 'snapshot', at: 1, channels: [live] })
  on.say({ type: 'channel', at: 3, cid, change: 'deleted' })
  await until('the news', () => on.gone.length === 1)
  expect(on.gone).toEqual([cid])
  on.local.end()
})

it('asks after a gap for what happened since the last event that it heard', async () => {
  const on = await begun()
  on.say({ type: 'push', at: 2, cid, kind: 'started', place: 41 })
  on.say({ type: 'hold', at: 3, cid, holdSeconds: 120, delaySeconds: 0, holding: true, since: 3, place: 42 })
  await read(on)
  on.streams[0]?.end()
  await until('a new connection', () => {
    on.clock.advance(250)
    return on.streams.length === 2
  })
  expect(on.opened).toEqual([{}, { after: 42 }])
  on.local.end()
})

it('tells of broadcasts, of changes that it knows alone; the tally names the one on air and the next', async () => {
  const on = await begun()
  const broadcastId = 'b'.repeat(24)
  on.say({ type: 'broadcast', at: 4, cid, broadcastId, change: 'began', place: 1 })
  on.say({ type: 'tally', at: 4, ...live, broadcastId, broadcastTitle: 'Requests', nextTitle: 'Late show' })
  on.say({ type: 'broadcast', at: 5, cid, broadcastId, change: 'renamed later', place: 2 })
  on.say({ type: 'broadcast', at: 6, cid, broadcastId, change: 'ended', how: 'stopped', place: 3 })
  const told = () => on.all.filter((event) => event.type === 'broadcast')
  await until('the end', () => told().length === 2)
  const of = { type: 'broadcast', profileId: 'local', cid, broadcastId }
  expect(told()).toEqual([
    { ...of, at: 4, change: 'began' },
    { ...of, at: 6, change: 'ended', how: 'stopped' },
  ])
  await until('the tally', () => {
    on.clock.advance(20)
    return on.all.some(
      (event) => event.type === 'tallies' && event.tallies.some((one) => one.broadcastId === broadcastId),
    )
  })
  const last = on.all.findLast((event) => event.type === 'tallies')
  expect(last?.tallies).toMatchObject([{ broadcastId, broadcastTitle: 'Requests', nextTitle: 'Late show' }])
  on.local.end()
})
