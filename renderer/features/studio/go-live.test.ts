import { expect, it } from 'vitest'
import type { OutgoingCallback, RecordedFile } from '../../../contract/rpc/recording-state.ts'
import type { Figures, ServiceState } from '../../../contract/rpc/state.ts'
import { codecLine, goLiveChecks, type GoLiveInput } from './go-live.ts'
import type { LogLine } from '../channels/live.ts'

const figures: Figures = {
  kbps: 6_012,
  fps: 59.94,
  keyFrameGap: 2_000,
  keyFrameGapMax: 2_000,
  kbpsDeviation: 200,
  fpsDeclared: 59.94,
  drift: 20,
  audioGap: 24,
  width: 1920,
  height: 1080,
  videoCodec: 'H.264 High 4.2',
  audioCodec: 'AAC-LC',
  sampleRate: 48_000,
  audioChannels: 2,
  encoder: null,
  viewers: 3,
}
const running = {
  phase: 'running',
  addresses: { api: 'http://127.0.0.1:1', media: 'http://127.0.0.1:2', rtmp: 'rtmp://127.0.0.1:1935/live' },
} as ServiceState
const line = (kind: LogLine['kind'], at: number, remedy: string | null = null): LogLine => ({
  at,
  kind,
  detail: null,
  remedy,
})
const base: GoLiveInput = {
  local: true,
  unsure: false,
  service: running,
  card: { server: '', keyStart: '', keyEnd: '', expires: 1e12 },
  now: 100_000,
  live: true,
  disabled: false,
  held: false,
  since: 50_000,
  figures,
  rate: 60,
  log: [line('started', 50_000), line('firstKeyFrame', 50_800)],
  played: { at: 51_400, from: 0, kind: 'flv' },
  recording: null,
}
const by = (input: GoLiveInput) => Object.fromEntries(goLiveChecks(input).map((check) => [check.name, check]))

it('is all good on a healthy push, with times since it began', () => {
  expect(goLiveChecks(base).every((check) => check.state === 'ok')).toBe(true)
  expect(by(base)['keyFrame']?.aside).toEqual({ after: 800 })
  expect(by(base)['preview']).toMatchObject({ says: 'flv', aside: { after: 1_400 } })
  expect(by({ ...base, played: { at: 150_001, from: 0, kind: 'flv' } })['preview']?.aside).toEqual({ at: 150_001 })
})

it('proves nothing by a word that nobody vouches for', () => {
  const checks = goLiveChecks({ ...base, unsure: true })
  expect(checks).toHaveLength(goLiveChecks(base).length)
  expect(checks.every((check) => check.state === 'wait' && check.aside === null)).toBe(true)
  expect(goLiveChecks({ ...base, unsure: true, live: false, log: [], now: 2e12 })).toContainEqual(
    expect.objectContaining({ name: 'accepted', state: 'fault', says: 'expired' }),
  )
})

it('knows a push that began before the page was opened', () => {
  const checks = by({ ...base, log: [] })
  expect(checks['accepted']).toMatchObject({ state: 'ok', aside: { at: 50_000 } })
  expect(checks['keyFrame']?.state).toBe('ok')
})

it('waits before the push and names why one was refused until the next begins', () => {
  expect(by({ ...base, live: false, since: null, log: [] })['accepted']).toMatchObject({ state: 'wait', says: 'valid' })
  expect(by({ ...base, card: null, live: false, since: null, log: [] })['accepted']).toMatchObject({
    state: 'wait',
    says: 'wait',
  })
  const refused = by({
    ...base,
    live: false,
    since: null,
    log: [line('refused', 60_000, 'expired'), line('started', 50_000)],
  })
  expect(refused['accepted']).toMatchObject({ state: 'fault', says: 'refused_expired' })
  // A stranger's wrong key is no fault here, and does not hide what is one.
  const stranger = { ...line('refused', 60_000, 'key'), from: '203.0.113.9' }
  expect(by({ ...base, live: false, since: null, log: [stranger] })['accepted']).toMatchObject({
    state: 'wait',
    says: 'refused_keyFrom',
    named: { from: '203.0.113.9' },
  })
  expect(
    by({ ...base, live: false, since: null, log: [stranger, line('refused', 50_000, 'expired')] })['accepted']?.says,
  ).toBe('refused_expired')
  expect(by({ ...base, log: [line('started', 70_000), line('refused', 60_000, 'key')] })['accepted']?.state).toBe('ok')
})

it('tells a service that is down, an expired key and a long key-frame interval', () => {
  expect(by({ ...base, service: { ...running, phase: 'restarting' } })['service']?.state).toBe('fault')
  expect(
    by({ ...base, live: false, log: [], card: { server: '', keyStart: '', keyEnd: '', expires: 99_999 } })['accepted'],
  ).toMatchObject({
    state: 'fault',
    says: 'expired',
  })
  expect(by({ ...base, figures: { ...figures, keyFrameGap: 8_000 } })['gap']?.state).toBe('fault')
})

it('has no line for what a hosted service does not tell', () => {
  expect(goLiveChecks({ ...base, local: false, service: null, figures: null }).map((check) => check.name)).toEqual([
    'accepted',
    'preview',
  ])
})

it('writes codecs in one line and leaves out what is unknown', () => {
  expect(codecLine(figures, 60)).toBe('H.264 High 4.2 1080p60, AAC-LC 48 kHz')
  // What was measured in the last 2 s is no frame rate of the push.
  expect(codecLine({ ...figures, fps: 27.4 }, null)).toBe('H.264 High 4.2 1080p, AAC-LC 48 kHz')
  expect(codecLine({ ...figures, audioCodec: null, height: null }, 60)).toBe('H.264 High 4.2')
})

it('follows the recording to its first slice and its callback', () => {
  const file = { vid: 7, end: 90_000 } as RecordedFile
  const sent = (state: OutgoingCallback['state'], attempts: number): OutgoingCallback => ({
    nId: 'n',
    vid: 7,
    url: 'http://a',
    state,
    attempts,
    at: 90_000,
    due: 95_000,
    result: null,
  })
  const recording = { state: 'recording', reason: null, bytes: 0, first: null, callback: undefined } as const
  const names = (input: GoLiveInput) => goLiveChecks(input).map((check) => check.name)
  expect(names(base)).not.toContain('slice')
  expect(names({ ...base, recording }).at(-1)).toBe('slice')
  const told = (more: Partial<NonNullable<GoLiveInput['recording']>>) =>
    by({ ...base, recording: { ...recording, ...more } })
  expect(told({})['slice']).toMatchObject({ state: 'wait' })
  // A slice may take two hours: that it grows is proof enough, and there is no callback to wait for yet.
  expect(told({ bytes: 1_200_000 })['slice']).toMatchObject({ state: 'ok', says: 'grows', aside: { text: '1.20 MB' } })
  expect(told({})['callback']).toBeUndefined()
  expect(told({ state: 'stopped', reason: 'space' })['slice']).toMatchObject({ state: 'fault', says: 'stopped_space' })
  // Also after files of this push were ready: what is on air now goes nowhere.
  expect(told({ first: file, state: 'stopped', reason: 'space' })['slice']).toMatchObject({
    state: 'fault',
    says: 'stopped_space',
  })
  // Without a file, a callback of another one says nothing.
  expect(told({ callback: sent('delivered', 1) })['callback']).toBeUndefined()
  expect(told({ first: file })['slice']).toMatchObject({ state: 'ok', aside: { at: 90_000 } })
  // No address is set: nothing is sent, and the check is complete without it.
  // The log names another time than the file: the line goes by the log.
  const log: LogLine[] = [{ ...line('fileReady', 91_000), detail: file.name }, ...base.log]
  expect(by({ ...base, log, recording: { ...recording, first: file } })['slice']).toMatchObject({
    says: 'ok',
    aside: { at: 91_000 },
  })
  // It was stopped and goes on: a file of before says nothing of that.
  const again = { ...base, log: [line('recordingStarted', 93_000), line('recordingStopped', 92_000), ...log] }
  expect(by({ ...again, recording: { ...recording, first: file, bytes: 1_200_000 } })['slice']).toMatchObject({
    says: 'again',
    aside: { text: '1.20 MB' },
  })
  expect(by({ ...again, recording: { ...recording, first: file, bytes: 0 } })['slice']).toMatchObject({ says: 'ok' })
  expect(told({ first: file, callback: null })['callback']).toBeUndefined()
  expect(told({ first: file, callback: sent('waiting', 0) })['callback']).toMatchObject({ state: 'wait', says: 'wait' })
  expect(told({ first: file, callback: sent('waiting', 2) })['callback']).toMatchObject({
    state: 'wait',
    says: 'retry',
    aside: { at: 95_000 },
  })
  expect(told({ first: file, callback: sent('delivered', 1) })['callback']).toMatchObject({ state: 'ok' })
  expect(told({ first: file, callback: sent('failed', 9) })['callback']).toMatchObject({
    state: 'fault',
    says: 'failed',
  })
})

it('proves no picture, interval and recording while nothing arrives', () => {
  const recording = { state: 'recording', reason: null, bytes: 16_400_000, first: null, callback: undefined } as const
  const silent = { ...base, figures: { ...figures, kbps: 0 }, recording }
  expect(goLiveChecks({ ...silent, figures }).every((check) => check.state === 'ok')).toBe(true)
  const checks = by(silent)
  expect(
    ['gap', 'preview', 'slice'].map((name) => [checks[name]?.state, checks[name]?.says, checks[name]?.aside]),
  ).toEqual([
    ['wait', 'wait', null],
    ['wait', 'silent', null],
    ['wait', 'silent', null],
  ])
  expect([checks['accepted']?.state, checks['keyFrame']?.state]).toEqual(['ok', 'ok'])
})

it('says that the held picture is recorded while nothing arrives', () => {
  const recording = { state: 'recording', reason: null, bytes: 16_400_000, first: null, callback: undefined } as const
  const held = { ...base, held: true, figures: { ...figures, kbps: 0 }, recording }
  expect(by(held)['slice']).toMatchObject({ state: 'ok', says: 'held', aside: { text: '16.4 MB' } })
})

it('tells how late a preview plays that was opened in the middle of a push', () => {
  const preview = (at: number, from: number) => by({ ...base, played: { at, from, kind: 'flv' } })['preview']?.aside
  expect(preview(79_400, 78_600)).toEqual({ after: 800 })
  expect(preview(51_400, 40_000)).toEqual({ after: 1_400 })
})

it('of a disabled channel it says that every push is refused, whatever was refused before', () => {
  const disabled = { ...base, live: false, disabled: true, since: null, figures: null, log: [] }
  expect(by(disabled)['accepted']).toMatchObject({ state: 'fault', says: 'disabled' })
  expect(by({ ...disabled, card: { server: '', keyStart: '', keyEnd: '', expires: 1 } })['accepted']).toMatchObject({
    says: 'disabled',
  })
})
