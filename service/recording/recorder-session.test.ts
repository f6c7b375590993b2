import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { audioConfiguration, videoConfiguration, videoFrame } from '../hub/testing/packets.ts'
import type { Amf0Value } from '../media/amf0.ts'
import { writeAmf0 } from '../media/amf0-writer.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import type { StopReason } from './disk-guard.ts'
import type { OpenFile } from './file-system.ts'
import { recordingProgressOf, RecordingSession } from './recorder-session.ts'
import { Slice, type RecordingChoice, type SliceOptions, type SliceParts } from './slice.ts'

const start = 1_700_000_000_000
const video = (timestamp: number): MediaPacket => videoFrame(timestamp, false, start + timestamp)
const key = (timestamp: number): MediaPacket => videoFrame(timestamp, true, start + timestamp)
const audio = (timestamp: number): MediaPacket => ({
  ...audioConfiguration,
  body: Buffer.from([0xaf, 1, 0x21, 0x10, 5]),
  configuration: false,
  timestamp,
  arrived: start + timestamp,
})
/** Another configuration of the same kind. */
const otherVideo: MediaPacket = {
  ...videoConfiguration,
  body: Buffer.from(videoConfiguration.body.toString('hex').replace('68ef8fcb', '68ef8fcc'), 'hex'),
}
const otherAudio: MediaPacket = { ...audioConfiguration, body: Buffer.from('af001210', 'hex') }
const metadata = (members: Record<string, Amf0Value> | null): MediaPacket => ({
  ...audioConfiguration,
  kind: 'data',
  body: writeAmf0('onMetaData', members),
})
const both = [videoConfiguration, audioConfiguration]

const emptyFile: OpenFile = {
  writev: (parts) => Promise.resolve(parts.reduce((sum, { length }) => sum + length, 0)),
  datasync: () => Promise.resolve(),
  truncate: () => Promise.resolve(),
  named: () => Promise.resolve(true),
  close: () => Promise.resolve(),
}
const choiceOf = (values: Partial<RecordingChoice> = {}): RecordingChoice => ({
  uid: 1,
  format: 1,
  duration: 60_000,
  filename: '',
  ...values,
})

/** A slice that keeps what it was given. */
class KeptSlice extends Slice {
  readonly options: Omit<SliceOptions, 'cid'>
  readonly packets: string[] = []
  ended: string | undefined
  constructor(options: Omit<SliceOptions, 'cid'>, parts: SliceParts) {
    super({ cid: 'c'.repeat(32), ...options }, parts)
    this.options = options
  }
  override packet(packet: MediaPacket): void {
    this.packets.push(`${packet.kind} ${packet.timestamp}`)
    super.packet(packet)
  }
  override end(until?: number): Promise<void> {
    this.ended = until === undefined ? 'at once' : `at ${until}`
    return super.end(until)
  }
}

/** A session over files in memory. */
function made(sliceBytes = 1e9) {
  const slices: KeptSlice[] = []
  const quiet = { info: () => undefined, warn: () => undefined }
  const state = {
    choice: choiceOf() as RecordingChoice | undefined,
    blocked: undefined as StopReason | undefined,
    changes: [] as string[],
    leftOut: [] as string[],
    ending: 0,
    over: 0,
    faults: [] as unknown[],
    /** Resolves when the session may record again. */
    passed: Promise.resolve(),
  }
  let vid = 0
  const parts: SliceParts = {
    store: { begin: () => Promise.resolve(++vid) },
    files: {
      create: () => Promise.resolve(emptyFile),
      change: () => Promise.resolve(emptyFile),
      remove: () => Promise.resolve(),
      size: () => Promise.resolve(0),
      free: () => Promise.resolve(1),
      probe: () => Promise.resolve(),
    },
    folder: { root: '', of: () => '', file: () => '', index: () => '', temporary: () => '' },
    finisher: { finish: () => Promise.resolve(undefined) },
    later: () => undefined,
    clock: manualClock(),
    log: quiet,
  }
  const session = new RecordingSession(
    {
      wants: () => state.choice,
      blocked: () => state.blocked,
      open(options) {
        const slice = new KeptSlice(options, parts)
        slices.push(slice)
        return slice
      },
      failed(error) {
        state.faults.push(error)
        return state.passed
      },
      ending: () => void state.ending++,
      changed: () => void state.changes.push(session.state.state),
      log: quiet,
      leftOut: (loss) => void state.leftOut.push(loss),
      sliceBytes,
    },
    () => void state.over++,
  )
  const feed = (...packets: readonly MediaPacket[]): void => {
    for (const packet of packets) session.packet(packet)
  }
  return { session, state, slices, feed }
}

it('begins with a key frame once both configurations are known, and takes all frames that follow', () => {
  const { session, state, slices, feed } = made()
  feed(...both, video(0), audio(10))
  expect([slices.length, session.state.state]).toEqual([0, 'asked'])
  feed(key(40), audio(50), { ...key(60), kind: 'data' }, video(80))
  expect(slices.map(({ packets }) => packets)).toEqual([['video 40', 'audio 50', 'video 80']])
  expect(slices[0]!.options).toMatchObject({ begin: start + 40, number: 0, choice: state.choice })
  expect(state.changes).toEqual(['recording'])
})

it('waits half a second of media for the second configuration, and begins with the frames of that time', () => {
  const { slices, feed } = made()
  feed(videoConfiguration, key(0), video(200), video(499))
  expect(slices).toHaveLength(0)
  feed(video(500))
  expect(slices.map(({ packets }) => packets)).toEqual([['video 0', 'video 200', 'video 499', 'video 500']])
  expect(slices[0]!.options.begin).toBe(start)
})

it('ends that wait when the second configuration comes', () => {
  const { slices, feed } = made()
  feed(videoConfiguration, key(0), video(40), audioConfiguration, audio(50))
  expect(slices.map(({ packets }) => packets)).toEqual([['video 0', 'video 40', 'audio 50']])
})

const announced = metadata({ videocodecid: 7, width: 1280, height: 720 })

it('waits for a picture that is announced, as a server that sends a push on has it after the sound', () => {
  const { slices, feed } = made()
  feed(announced, audioConfiguration, audio(0), audio(500), audio(3900))
  expect(slices).toHaveLength(0)
  feed(videoConfiguration, key(4000), audio(4001), video(4040))
  expect(slices.map(({ packets }) => packets)).toEqual([['video 4000', 'audio 4001', 'video 4040']])
})

it.each([{ width: 1280, height: 720 }, { videocodecid: 'avc1' }])('waits for a picture announced by %o', (members) => {
  const { slices, feed } = made()
  feed(metadata(members), audioConfiguration, audio(0), audio(1000))
  expect(slices).toHaveLength(0)
})

it.each([{ audiocodecid: 10 }, { videocodecid: 0, width: 1280, height: 720 }, { width: 0, height: 0 }, null])(
  'waits for no picture that is not announced, by %o',
  (members) => {
    const { slices, feed } = made()
    feed(metadata(members), audioConfiguration, audio(0), audio(500))
    expect(slices.map(({ packets }) => packets)).toEqual([['audio 0', 'audio 500']])
  },
)

it('waits 12 s of media for a picture that is announced, and begins with the sound of that time', () => {
  const { slices, feed } = made()
  feed(announced, audioConfiguration, audio(0), audio(11_999))
  expect(slices).toHaveLength(0)
  feed(audio(12_000))
  expect(slices.map(({ packets }) => packets)).toEqual([['audio 0', 'audio 11999', 'audio 12000']])
})

it('records the sound of a push that ends before the picture that it announced', () => {
  const { session, slices, feed, state } = made()
  feed(announced, audioConfiguration, audio(0), audio(5000))
  session.ended()
  expect(slices.map(({ packets, ended }) => [packets, ended])).toEqual([[['audio 0', 'audio 5000'], 'at once']])
  expect([state.ending, state.over]).toEqual([1, 1])
})

it('waits no longer than for 2000 frames, or 32 MiB of them', () => {
  const many = made()
  many.feed(videoConfiguration, key(0))
  for (let count = 1; count < 1999; count++) many.feed(video(1))
  expect(many.slices).toHaveLength(0)
  many.feed(video(1))
  expect(many.slices).toHaveLength(1)
  const large = made()
  const frame = { ...video(1), body: Buffer.concat([video(1).body, Buffer.alloc(16 * 1024 * 1024)]) }
  large.feed(videoConfiguration, key(0), frame)
  expect(large.slices).toHaveLength(0)
  large.feed({ ...frame, body: Buffer.from(frame.body) })
  expect(large.slices).toHaveLength(1)
})

it('records no time of waiting when recording is switched off or blocked meanwhile', () => {
  const off = made()
  off.feed(videoConfiguration, key(0))
  off.state.choice = undefined
  off.feed(video(500))
  expect(off.slices).toHaveLength(0)
  const blocked = made()
  blocked.feed(videoConfiguration, key(0))
  blocked.state.blocked = 'space'
  blocked.feed(video(500))
  expect(blocked.slices).toHaveLength(0)
})

it('begins sound alone with any frame, and a new slice of it at any frame', () => {
  const { state, slices, feed } = made()
  state.choice = choiceOf({ duration: 1000 })
  feed(audioConfiguration, audio(0), audio(500), audio(999), audio(1000), audio(1020))
  expect(slices.map(({ packets }) => packets)).toEqual([
    ['audio 0', 'audio 500', 'audio 999'],
    ['audio 1000', 'audio 1020'],
  ])
})

it('begins a new slice at the first key frame after its length, and numbers the slices of a push', () => {
  const { session, state, slices, feed } = made()
  state.choice = choiceOf({ duration: 1000 })
  feed(...both, key(0), key(999), video(1000), key(1040), key(2040))
  expect(slices.map(({ packets, options }) => [options.number, ...packets])).toEqual([
    [0, 'video 0', 'video 999', 'video 1000'],
    [1, 'video 1040'],
    [2, 'video 2040'],
  ])
  // The recording goes on: it began with the first slice.
  expect(session.state).toMatchObject({ since: start, recorded: 2040, cut: start + 2040 + 1000 })
})

it('gives sound before the cut to the earlier slice, which ends with the first sound after it', () => {
  const { state, slices, feed } = made()
  state.choice = choiceOf({ duration: 1000 })
  feed(...both, key(0), key(1000), audio(999), video(1040))
  expect(slices[0]!.ended).toBeUndefined()
  feed(audio(1000))
  expect(slices[0]!.ended).toBe('at 1000')
  expect(slices.map(({ packets }) => packets)).toEqual([
    ['video 0', 'audio 999'],
    ['video 1000', 'video 1040', 'audio 1000'],
  ])
  expect(state.ending).toBe(1)
})

it('ends the earlier slice without that sound when the picture is more than half a second further', () => {
  const { state, slices, feed } = made()
  state.choice = choiceOf({ duration: 1000 })
  feed(...both, key(0), key(1000), video(1500))
  expect(slices[0]!.ended).toBeUndefined()
  feed(video(1501))
  expect(slices[0]!.ended).toBe('at 1000')
})

it('tells since when, how much and until when it records, and nothing of a cut when recording is to stop', () => {
  const { session, state, feed } = made()
  feed(...both, key(100), audio(5100), video(5050))
  expect(session.state).toEqual({
    state: 'recording',
    since: start + 100,
    recorded: 5000,
    bytes: expect.any(Number),
    cut: start + 100 + 60_000,
  })
  state.choice = undefined
  expect(session.state).not.toHaveProperty('cut')
  expect(session.state.state).toBe('recording')
})

it('tells that it is off, asked for, or stopped and why', () => {
  const { session, state } = made()
  expect(session.state).toEqual({ state: 'asked' })
  state.blocked = 'space'
  expect(session.state).toEqual({ state: 'stopped', reason: 'space' })
  state.choice = undefined
  expect(session.state).toEqual({ state: 'off' })
})

it('stops at the next key frame when it is switched off, and begins a new recording at one when it is on again', () => {
  const { session, state, slices, feed } = made()
  feed(...both, key(0), video(40))
  state.choice = undefined
  feed(video(80))
  expect(session.state.state).toBe('recording')
  feed(key(2000), video(2040))
  expect(session.state.state).toBe('off')
  expect(slices[0]!.packets.at(-1)).toBe('video 80')
  state.choice = choiceOf()
  feed(video(3000), key(4000))
  expect(slices).toHaveLength(2)
  expect(session.state).toMatchObject({ since: start + 4000, recorded: 0 })
  expect(state.changes).toEqual(['recording', 'off', 'recording'])
})

it('changes the format and not the name or length of a slice at the next key frame', () => {
  const { state, slices, feed } = made()
  feed(...both, key(0))
  state.choice = choiceOf({ filename: 'new', duration: 120_000 })
  feed(key(2000))
  expect(slices).toHaveLength(1)
  state.choice = choiceOf({ format: 0 })
  feed(video(2040), key(4000))
  expect(slices.map(({ format, packets }) => [format, ...packets])).toEqual([
    [1, 'video 0', 'video 2000', 'video 2040'],
    [0, 'video 4000'],
  ])
})

it('stops at once for the disk, and goes on with a key frame as a new recording', () => {
  const { session, state, slices, feed } = made()
  feed(...both, key(0), video(40))
  state.blocked = 'space'
  session.halt()
  expect([slices[0]!.ended, state.ending, session.state.state]).toEqual(['at once', 1, 'stopped'])
  feed(video(80), key(2000), video(2040))
  expect(slices).toHaveLength(1)
  state.blocked = undefined
  feed(video(2080), key(4000))
  expect(slices).toHaveLength(2)
  expect(session.state).toMatchObject({ since: start + 4000 })
  expect(state.changes).toEqual(['recording', 'stopped', 'recording'])
})

it('says nothing of a stop when nothing was recorded', () => {
  const { session, state } = made()
  session.halt()
  expect(state.changes).toEqual([])
})

it('ends a slice whose picture has another configuration at the next key frame, at once', () => {
  const { slices, feed } = made()
  feed(...both, key(0), video(40), videoConfiguration, key(1000))
  // The same configuration again changes nothing.
  expect(slices).toHaveLength(1)
  feed(otherVideo, video(1040), audio(1050), key(2000))
  expect(slices.map(({ packets, ended }) => [ended, ...packets])).toEqual([
    ['at 2000', 'video 0', 'video 40', 'video 1000', 'video 1040', 'audio 1050'],
    [undefined, 'video 2000'],
  ])
})

it('leaves sound of another configuration out until the next slice', () => {
  const { slices, feed } = made()
  feed(...both, key(0), audio(10), otherAudio, audio(20), video(40), key(2000), audio(2010))
  expect(slices.map(({ packets }) => packets)).toEqual([
    ['video 0', 'audio 10', 'video 40'],
    ['video 2000', 'audio 2010'],
  ])
})

it('ends a slice at the key frame at which it is full, and before one when it exceeds its size by a sixteenth', () => {
  const { state, slices, feed } = made(195_000)
  // Media of half a second is written at once.
  const large = (timestamp: number, isKey = false): MediaPacket => {
    const frame = isKey ? key(timestamp) : video(timestamp)
    return { ...frame, body: Buffer.concat([frame.body, Buffer.alloc(50_000)]) }
  }
  feed(...both, large(0, true), large(500), large(1000), large(1500), large(2000))
  feed(large(2500, true))
  expect(slices.map(({ packets }) => packets.length)).toEqual([5, 1])
  expect(state.leftOut).toEqual([])
  feed(large(3000), large(3500), large(4000), large(4500), large(5000), large(5500))
  expect(state.leftOut).toEqual(['fullSlice'])
  expect(slices).toHaveLength(2)
  expect(slices[1]!.packets.at(-1)).toBe('video 5000')
  feed(large(6000, true))
  expect(slices).toHaveLength(3)
})

it('ends its slice and itself with the push', () => {
  const { session, state, slices, feed } = made()
  feed(...both, key(0), key(1000))
  session.ended()
  expect([slices[0]!.ended, state.ending, state.over]).toEqual(['at once', 1, 1])
})

it('ends both slices when the push ends while the earlier one waits for its sound', () => {
  const { session, state, slices, feed } = made()
  state.choice = choiceOf({ duration: 1000 })
  feed(...both, key(0), key(1000))
  session.ended()
  expect(slices.map(({ ended }) => ended)).toEqual(['at 1000', 'at once'])
  expect(state.ending).toBe(2)
})

it.each([
  ['the disk is too slow', undefined, 'slow'],
  ['the disk is full', Object.assign(new Error('full'), { code: 'ENOSPC' }), 'space'],
])(
  'is stopped while %s, whatever the disk guard says, and goes on when that has passed',
  async (_what, error, reason) => {
    const { session, state, slices, feed } = made()
    let passed = (): void => {}
    state.passed = new Promise((resolve) => {
      passed = resolve
    })
    feed(...both, key(0), video(40))
    slices[0]!.options.failed(error)
    expect(session.state).toEqual({ state: 'stopped', reason })
    expect([slices[0]!.ended, state.faults]).toEqual(['at once', [error]])
    feed(key(2000), video(2040))
    expect(slices).toHaveLength(1)
    passed()
    await expect.poll(() => session.state.state).toBe('asked')
    feed(video(2080), key(4000))
    expect(slices).toHaveLength(2)
    expect(session.state).toMatchObject({ since: start + 4000 })
    expect(state.changes).toEqual(['recording', 'stopped', 'asked', 'recording'])
  },
)

it('goes on with its slice when an earlier one fails while it ends', () => {
  const { session, state, slices, feed } = made()
  state.choice = choiceOf({ duration: 1000 })
  feed(...both, key(0), key(1000), audio(1000))
  slices[0]!.options.failed(undefined)
  expect(session.state.state).toBe('recording')
  expect(state.faults).toEqual([undefined])
  expect(slices[1]!.ended).toBeUndefined()
})

it('begins with every frame of the wait once, and leaves out sound whose configuration never came', () => {
  const { slices, feed } = made()
  feed(videoConfiguration, key(0), video(40), key(300), video(500), audio(520), video(540))
  expect(slices.map(({ packets }) => packets)).toEqual([['video 0', 'video 40', 'video 300', 'video 500', 'video 540']])
})

it('passes the number, format, tracks and first packet of a slice on, and its own loss of media', () => {
  const { state, slices, feed } = made()
  feed(...both, key(0))
  const { options } = slices[0]!
  expect(options.first).toMatchObject({ kind: 'video', timestamp: 0, keyFrame: true })
  expect([options.tracks.video !== undefined, options.tracks.audio !== undefined]).toEqual([true, true])
  options.leftOut('sound')
  expect(state.leftOut).toEqual(['sound'])
})

it('counts what it recorded over pauses of the picture, and not back when a frame is earlier', () => {
  const { session, feed } = made()
  feed(...both, key(1000), audio(3000), video(2000))
  expect(session.state).toMatchObject({ recorded: 2000 })
})

it('forgets frames of the wait when the configuration of the picture changes, and waits for a key frame', () => {
  const { slices, feed } = made()
  feed(videoConfiguration, key(0), video(40), otherVideo, video(80), audioConfiguration, video(120))
  expect(slices).toHaveLength(0)
  feed(key(160))
  expect(slices.map(({ packets }) => packets)).toEqual([['video 160']])
})

it('waits anew for sound only at the begin of a push, and not after a stop', () => {
  const { session, state, slices, feed } = made()
  feed(videoConfiguration, key(0), video(500))
  expect(slices).toHaveLength(1)
  state.blocked = 'space'
  session.halt()
  state.blocked = undefined
  feed(key(1000))
  expect(slices.map(({ packets }) => packets.at(-1))).toEqual(['video 500', 'video 1000'])
})

it('stops for the disk while it waits for sound, and then begins with a key frame', () => {
  const { session, state, slices, feed } = made()
  feed(videoConfiguration, key(0), video(40))
  session.halt()
  expect(state.changes).toEqual(['asked'])
  feed(video(500))
  expect(slices).toHaveLength(0)
  feed(key(600))
  expect(slices.map(({ packets }) => packets)).toEqual([['video 600']])
})

it('ends the earlier slice at its cut also when it stops for the disk', () => {
  const { session, state, slices, feed } = made()
  state.choice = choiceOf({ duration: 1000 })
  feed(...both, key(0), key(1000))
  session.halt()
  expect(slices.map(({ ended }) => ended)).toEqual(['at 1000', 'at once'])
})

it('takes sound of the new configuration into the next slice, whose earlier one ends at once', () => {
  const { state, slices, feed } = made()
  state.choice = choiceOf({ duration: 1000 })
  feed(...both, key(0), key(1000), otherAudio, audio(990), key(2000), audio(2010))
  expect(slices.map(({ ended, packets }) => [ended, ...packets])).toEqual([
    ['at 1000', 'video 0'],
    ['at 2000', 'video 1000'],
    [undefined, 'video 2000', 'audio 2010'],
  ])
  expect(state.ending).toBe(2)
})

it('tells what it says of a recording in events: since, recorded and cut, or why it stopped, and nothing else', () => {
  expect(recordingProgressOf({ state: 'off' })).toEqual({})
  expect(recordingProgressOf({ state: 'asked' })).toEqual({})
  expect(recordingProgressOf({ state: 'stopped', reason: 'slow' })).toEqual({ reason: 'slow' })
  const writing = { state: 'recording', since: 1, recorded: 2, bytes: 3 } as const
  expect(recordingProgressOf(writing)).toEqual({ since: 1, recorded: 2 })
  expect(recordingProgressOf({ ...writing, cut: 0 })).toEqual({ since: 1, recorded: 2, cut: 0 })
})

it('says why its own slice failed before what the disk guard says, and that after it has passed', async () => {
  const { session, state, slices, feed } = made()
  let passed = (): void => {}
  state.passed = new Promise((resolve) => {
    passed = resolve
  })
  feed(...both, key(0), video(40))
  slices[0]!.options.failed(undefined)
  state.blocked = 'space'
  expect(session.state).toEqual({ state: 'stopped', reason: 'slow' })
  passed()
  await expect.poll(() => session.state).toEqual({ state: 'stopped', reason: 'space' })
})

it('stops at a key frame where the disk guard does not allow more, and begins a new recording after', () => {
  const { session, state, slices, feed } = made()
  feed(...both, key(0), video(40))
  state.blocked = 'readonly'
  feed(key(2000), video(2040))
  expect(session.state).toEqual({ state: 'stopped', reason: 'readonly' })
  expect(state.changes).toEqual(['recording', 'stopped'])
  expect(slices.map(({ packets }) => packets)).toEqual([['video 0', 'video 40']])
  state.blocked = undefined
  feed(key(4000))
  expect(session.state).toMatchObject({ since: start + 4000, recorded: 0 })
})
