import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { HubEvent } from '../hub/hub-events.ts'
import { audioConfiguration, videoConfiguration, videoFrame } from '../hub/testing/packets.ts'
import type { StreamReader } from '../timeline/packet.ts'
import type { StopReason } from './disk-guard.ts'
import type { OpenFile } from './file-system.ts'
import { createRecorder } from './recorder.ts'
import type { RecordingState } from './recorder-session.ts'
import type { RecordingChoice, SliceParts } from './slice.ts'

const start = 1_700_000_000_000
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})
/** Lets everything happen that waits for no time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await vi.advanceTimersByTimeAsync(0)
}

/** A recorder over a hub and files in memory. */
function made({
  sliceBytes,
  queueBound,
  onAir = true,
}: { readonly sliceBytes?: number; readonly queueBound?: number; readonly onAir?: boolean } = {}) {
  const choice: RecordingChoice = { uid: 1, format: 1, duration: 60_000, filename: '' }
  const state = {
    choice: choice as RecordingChoice | undefined,
    blocked: undefined as StopReason | undefined,
    reported: [] as [string, RecordingState['state']][],
    recording: [] as [string, boolean][],
    joined: [] as [string, string][],
    left: [] as string[],
    leftOut: [] as [string, string][],
    warned: [] as string[],
    failed: 0,
    isDeaf: false,
    readers: [] as StreamReader[],
    finish: (): Promise<undefined> => Promise.resolve(undefined),
    write: (): Promise<void> => Promise.resolve(),
  }
  const file: OpenFile = {
    async writev(parts) {
      await state.write()
      return parts.reduce((sum, { length }) => sum + length, 0)
    },
    datasync: () => Promise.resolve(),
    truncate: () => Promise.resolve(),
    named: () => Promise.resolve(true),
    close: () => Promise.resolve(),
  }
  let vid = 0
  const parts: SliceParts = {
    store: { begin: () => Promise.resolve(++vid) },
    files: {
      create: () => Promise.resolve(file),
      change: () => Promise.resolve(file),
      remove: () => Promise.resolve(),
      size: () => Promise.resolve(0),
      free: () => Promise.resolve(1),
      probe: () => Promise.resolve(),
    },
    folder: { root: '', of: () => '', file: () => '', index: () => '', temporary: () => '' },
    finisher: { finish: () => state.finish() },
    later: () => undefined,
    clock: manualClock(),
    queueBound,
    log: { info: () => undefined, warn: (_details, sentence) => void state.warned.push(sentence) },
  }
  let heard = (_event: HubEvent): void => {}
  const recorder = createRecorder({
    hub: {
      on(listener) {
        heard = listener
        return () => {
          state.isDeaf = true
        }
      },
      join(cid, reader, kind) {
        if (!onAir) return undefined
        state.joined.push([cid, kind])
        state.readers.push(reader)
        return () => void state.left.push(cid)
      },
      leftOut: (cid, loss) => void state.leftOut.push([cid, loss]),
    },
    parts,
    wants: (cid) => (cid === 'unwanted' ? undefined : state.choice),
    blocked: () => state.blocked,
    async failed() {
      state.failed++
    },
    report: (cid, { state: what }) => void state.reported.push([cid, what]),
    recording: (cid, on) => void state.recording.push([cid, on]),
    sliceBytes,
  })
  const happen = (type: HubEvent['type'], cid = 'a'): void => heard({ type, cid, at: 0 })
  /** Begins a push and passes its first picture. */
  const publish = (cid = 'a'): StreamReader => {
    happen('started', cid)
    const reader = state.readers.at(-1)!
    for (const packet of [videoConfiguration, audioConfiguration, videoFrame(0, true, start)]) reader.packet(packet)
    return reader
  }
  const key = (reader: StreamReader, at: number): void => reader.packet(videoFrame(at, true, start + at))
  return { recorder, state, happen, publish, key }
}

it('joins a push when it starts, not as a viewer, and tells what it is asked for', () => {
  const { recorder, state, happen } = made()
  for (const type of ['firstKeyFrame', 'codecs', 'ended', 'refused'] as const) happen(type)
  expect([state.joined, recorder.state('a')]).toEqual([[], undefined])
  happen('started')
  happen('started', 'unwanted')
  expect(state.joined).toEqual([
    ['a', 'internal'],
    ['unwanted', 'internal'],
  ])
  expect([recorder.state('a'), recorder.state('unwanted')]).toEqual([{ state: 'asked' }, { state: 'off' }])
  // One that is not wanted says nothing.
  expect(state.reported).toEqual([['a', 'asked']])
  expect(state.recording).toEqual([
    ['a', true],
    ['unwanted', false],
  ])
})

it('tells of a push that starts on a full disk that it is stopped, and that it does not count as recording', () => {
  const { state, happen } = made()
  state.blocked = 'space'
  happen('started')
  expect([state.reported, state.recording]).toEqual([[['a', 'stopped']], [['a', false]]])
})

it('knows nothing of a push that is over before it is joined', () => {
  const { recorder, state, happen } = made({ onAir: false })
  happen('started')
  expect([recorder.state('a'), state.reported, state.recording]).toEqual([undefined, [], []])
})

it('reports every two seconds what is being written, and nothing of a channel that waits', () => {
  const { recorder, state, publish, happen } = made()
  publish()
  happen('started', 'waits')
  state.reported = []
  vi.advanceTimersByTime(1999)
  expect(state.reported).toEqual([])
  vi.advanceTimersByTime(1)
  expect(state.reported).toEqual([['a', 'recording']])
  vi.advanceTimersByTime(2000)
  expect(state.reported).toHaveLength(2)
  expect(recorder.state('a')).toMatchObject({ state: 'recording', since: start, recorded: 0 })
})

it('reports a recording that stopped every two seconds, for who begins to hear of it', () => {
  const { state, happen } = made()
  state.blocked = 'space'
  happen('started')
  state.reported = []
  vi.advanceTimersByTime(4000)
  expect(state.reported).toEqual([
    ['a', 'stopped'],
    ['a', 'stopped'],
  ])
})

it('reports a channel whose settings may have changed, if it is on air', () => {
  const { recorder, state, happen } = made()
  happen('started')
  state.choice = undefined
  recorder.changed('a')
  recorder.changed('b')
  expect(state.reported).toEqual([
    ['a', 'asked'],
    ['a', 'off'],
  ])
})

it('stops every channel at once for the disk, and tells of each when it stops and when it may go on', () => {
  const { recorder, state, publish } = made()
  const [a] = [publish('a'), publish('b')]
  state.reported = []
  state.recording = []
  state.blocked = 'space'
  recorder.allowed('space')
  expect(new Set(state.reported.map(String))).toEqual(new Set(['a,stopped', 'b,stopped']))
  expect(new Set(state.recording.map(String))).toEqual(new Set(['a,false', 'b,false']))
  expect(recorder.state('a')).toEqual({ state: 'stopped', reason: 'space' })
  state.reported = []
  state.blocked = undefined
  recorder.allowed(undefined)
  expect(state.reported).toEqual([
    ['a', 'asked'],
    ['b', 'asked'],
  ])
  a.packet(videoFrame(2000, true, start + 2000))
  expect(recorder.state('a')).toMatchObject({ state: 'recording' })
})

it('does not stop what is written when the disk allows it', () => {
  const { recorder, publish } = made()
  publish()
  recorder.allowed(undefined)
  expect(recorder.state('a')).toMatchObject({ state: 'recording' })
})

it('forgets a push that ends and says that it is off, without ending the one that took its place', () => {
  const { recorder, state, publish } = made()
  const first = publish()
  const second = publish()
  first.ended('lost')
  expect(recorder.state('a')).toMatchObject({ state: 'recording' })
  expect(state.reported.at(-1)).toEqual(['a', 'off'])
  second.ended('closed')
  expect(recorder.state('a')).toBeUndefined()
})

it('tells what was left out with its channel, and bounds a slice in bytes', async () => {
  const { state, publish, key } = made({ sliceBytes: 100 })
  const reader = publish('b')
  reader.packet(videoFrame(40, false, start + 40))
  expect(state.leftOut).toEqual([['b', 'fullSlice']])
  key(reader, 80)
  expect(state.reported.at(-1)).toEqual(['b', 'recording'])
  reader.ended('closed')
  await settle()
  expect(state.leftOut.slice(1)).toEqual([
    ['b', 'shortSlice'],
    ['b', 'shortSlice'],
  ])
})

it('has the disk checked after an error of it, and tries again two seconds later', async () => {
  const { recorder, state, publish } = made()
  state.write = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }))
  publish()
  await settle()
  expect(recorder.state('a')).toEqual({ state: 'stopped', reason: 'space' })
  expect(state.recording.at(-1)).toEqual(['a', false])
  expect([state.failed, state.warned]).toEqual([1, ['a recording could not be written']])
  await vi.advanceTimersByTimeAsync(1999)
  expect(recorder.state('a')).toEqual({ state: 'stopped', reason: 'space' })
  await vi.advanceTimersByTimeAsync(1)
  await settle()
  expect(recorder.state('a')).toEqual({ state: 'asked' })
  expect(state.reported.at(-1)).toEqual(['a', 'asked'])
})

it('waits after a disk that is too slow until it has written what was queued, and two seconds at least', async () => {
  const { recorder, state, publish } = made({ queueBound: 5000 })
  const written = Promise.withResolvers<void>()
  state.write = () => written.promise
  const reader = publish()
  for (const at of [600, 1200]) {
    const frame = videoFrame(at, false, start + at)
    reader.packet({ ...frame, body: Buffer.concat([frame.body, Buffer.alloc(6000)]) })
  }
  expect(recorder.state('a')).toEqual({ state: 'stopped', reason: 'slow' })
  expect(state.warned).toEqual(['the disk is too slow for a recording'])
  await vi.advanceTimersByTimeAsync(5000)
  expect(recorder.state('a')).toEqual({ state: 'stopped', reason: 'slow' })
  written.resolve()
  await settle()
  expect(recorder.state('a')).toEqual({ state: 'asked' })
})

it('ends all recordings when it closes, leaves the hub, and waits until their files are finished', async () => {
  const { recorder, state, publish, happen } = made()
  const finishing = Promise.withResolvers<undefined>()
  state.finish = () => finishing.promise
  publish()
  let isClosed = false
  const closing = recorder.close(10_000).then(() => (isClosed = true))
  expect([state.isDeaf, state.left, recorder.state('a')]).toEqual([true, ['a'], undefined])
  await vi.advanceTimersByTimeAsync(9999)
  expect(isClosed).toBe(false)
  finishing.resolve(undefined)
  await closing
  // Nothing is reported or begun any more.
  state.reported = []
  happen('started', 'b')
  vi.advanceTimersByTime(10_000)
  expect([state.reported, recorder.state('b'), vi.getTimerCount()]).toEqual([[], undefined, 0])
})

it('waits no longer than it is told when it closes', async () => {
  const { recorder, state, publish } = made()
  state.finish = () => new Promise(() => undefined)
  publish()
  let isClosed = false
  const closing = recorder.close(10_000).then(() => (isClosed = true))
  await vi.advanceTimersByTimeAsync(9999)
  expect(isClosed).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await closing
  expect(isClosed).toBe(true)
})
