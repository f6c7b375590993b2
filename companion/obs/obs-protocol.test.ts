import { expect, it } from 'vitest'
import { ConnectionFault, ObsVersion, statisticsOf, StreamStatus, checked, streamStates } from './obs-protocol.ts'

const status = (more: Partial<StreamStatus> = {}): StreamStatus => ({
  outputActive: true,
  outputReconnecting: false,
  outputCongestion: 0.5,
  outputBytes: 1_000,
  outputSkippedFrames: 3,
  outputTotalFrames: 400,
  ...more,
})
const stats = { cpuUsage: 12, activeFps: 30, renderSkippedFrames: 5, outputSkippedFrames: 6 }

it('tells the figures of OBS and of its stream, with a rate over the time since the last look', () => {
  expect(statisticsOf(status(), stats, 3_000, { at: 1_000, bytes: 500 })).toEqual({
    from: 'OBS',
    at: 3_000,
    fps: 30,
    cpu: 12,
    congestion: 0.5,
    kbps: 2,
    frames: 400,
    dropped: 3,
    skipped: 6,
    lagged: 5,
  })
})

it('has no rate of a first look, of no time, and of another stream, which counts from the beginning', () => {
  for (const before of [undefined, { at: 3_000, bytes: 500 }, { at: 1_000, bytes: 1_001 }])
    expect(statisticsOf(status(), stats, 3_000, before).kbps).toBeNull()
  expect(statisticsOf(status(), stats, 3_000, { at: 1_000, bytes: 1_000 }).kbps).toBe(0)
})

it('has no figures of a stream that is off, and none of OBS where they are odd', () => {
  const off = statisticsOf(status({ outputActive: false }), stats, 3_000, { at: 1_000, bytes: 0 })
  expect(off).toMatchObject({ congestion: null, kbps: null, frames: null, dropped: null, fps: 30, skipped: 6 })
  expect(statisticsOf(status(), { ...stats, cpuUsage: -1 }, 1, undefined)).toMatchObject({
    fps: null,
    cpu: null,
    skipped: null,
    lagged: null,
    frames: 400,
  })
})

it.each([
  [7, 1],
  [-1, 0],
  [null, null],
  [undefined, null],
])('shows a congestion of %s as %s', (outputCongestion, shown) => {
  expect(statisticsOf(status({ outputCongestion }), stats, 1, undefined).congestion).toBe(shown)
})

it.each([
  ['29.0.2', '29.0.2'],
  ['30.1.0-beta1', '30.1.0'],
  ['31', null],
  ['<b>31.0</b>', null],
  ['12345.0', null],
])('reads the version %s as %s', (obsVersion, read) => {
  expect(ObsVersion.parse({ obsVersion }).obsVersion).toBe(read)
})

it('ends a connection with an answer that is none', () => {
  expect(checked(StreamStatus, status())).toEqual(status())
  for (const wrong of [undefined, {}, status({ outputBytes: -1 }), { ...status(), outputActive: 1 }])
    expect(() => checked(StreamStatus, wrong)).toThrow(new ConnectionFault('foreign'))
})

it('knows the states of a stream by the names of OBS', () => {
  expect(streamStates).toEqual({
    OBS_WEBSOCKET_OUTPUT_STARTING: 'starting',
    OBS_WEBSOCKET_OUTPUT_STARTED: 'live',
    OBS_WEBSOCKET_OUTPUT_STOPPING: 'stopping',
    OBS_WEBSOCKET_OUTPUT_STOPPED: 'off',
    OBS_WEBSOCKET_OUTPUT_RECONNECTING: 'reconnecting',
    OBS_WEBSOCKET_OUTPUT_RECONNECTED: 'live',
  })
})
