import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { ObsConnection } from './obs-protocol.ts'
import { createObsStream, lookEvery, settleWithin } from './obs-stream.ts'

function stage() {
  const clock = manualClock()
  const state = { isConnected: true }
  const stream = createObsStream(clock, () => state.isConnected)
  const status = {
    outputActive: true,
    outputReconnecting: false,
    outputBytes: 0,
    outputCongestion: 0,
    outputSkippedFrames: 0,
    outputTotalFrames: 0,
    outputTimecode: '00:00:00.000',
    outputDuration: 0,
  }
  const line = {
    request: (type: string) => Promise.resolve(type === 'GetStreamStatus' ? { ...status } : {}),
    drop: () => undefined,
  } as unknown as ObsConnection
  const look = async (bytes: number): Promise<number | null | undefined> => {
    status.outputBytes = bytes
    await stream.look(line)
    return stream.statistics()?.kbps
  }
  return { clock, state, stream, status, look }
}

it('keeps the rate of two looks in short order', async () => {
  const { clock, stream, status, look } = stage()
  expect(await look(0)).toBeNull()
  clock.advance(2_000)
  expect(await look(250_000)).toBe(1_000)
  clock.advance(999)
  expect(await look(250_001)).toBe(1_000)
  clock.advance(1_001)
  expect(await look(750_000)).toBe(2_000)
  stream.forget()
  expect(stream.statistics()).toBeNull()
  clock.advance(2_000)
  expect(await look(1_000_000)).toBeNull()
  status.outputActive = false
  clock.advance(2_000)
  expect(await look(1_250_000)).toBeNull()
  status.outputActive = true
  clock.advance(2_000)
  expect(await look(1_500_000)).toBeNull()
})

it('says whether a state is another one', () => {
  const { stream } = stage()
  expect([stream.becomes('off'), stream.becomes('starting'), stream.becomes('starting'), stream.now()]).toEqual([
    false,
    true,
    false,
    'starting',
  ])
})

it('waits for a state until it is there, out of reach, or too late', async () => {
  const { clock, state, stream } = stage()
  const settle = (change: () => void): Promise<boolean> => {
    const settled = stream.settled('live', 'off')
    change()
    stream.changed()
    return settled
  }
  stream.becomes('starting')
  expect(await settle(() => stream.becomes('live'))).toBe(true)
  expect(await stream.settled('live', 'off')).toBe(true)
  stream.becomes('starting')
  expect(await settle(() => stream.becomes('off'))).toBe(false)
  stream.becomes('starting')
  expect(await settle(() => (state.isConnected = false))).toBe(false)
  state.isConnected = true
  const late = stream.settled('live', undefined)
  let isOver = false
  late.then(() => (isOver = true)).catch(() => undefined)
  clock.advance(settleWithin - 1)
  await Promise.resolve()
  expect(isOver).toBe(false)
  clock.advance(1)
  expect([await late, clock.waiting()]).toEqual([false, 0])
})

it('takes a starting stream that OBS counts as stopped for failed more than 15 s after its last change', async () => {
  const { clock, stream, status, look } = stage()
  status.outputActive = false
  clock.advance(60_000)
  stream.becomes('starting')
  clock.advance(15_000)
  await look(0)
  expect(stream.now()).toBe('starting')
  clock.advance(1)
  await look(0)
  expect(stream.now()).toBe('off')
})

it('is off at once when OBS counts a stream that was live as stopped', async () => {
  const { stream, status, look } = stage()
  await look(0)
  expect(stream.now()).toBe('live')
  status.outputActive = false
  await look(0)
  expect(stream.now()).toBe('off')
})

it('is live when OBS counts a stream that was starting as active, and stays stopping while it stops', async () => {
  const { stream, look } = stage()
  stream.becomes('starting')
  await look(0)
  expect(stream.now()).toBe('live')
  stream.becomes('stopping')
  await look(0)
  expect(stream.now()).toBe('stopping')
})

it('is reconnecting only while the stream is active', async () => {
  const { stream, status, look } = stage()
  status.outputReconnecting = true
  await look(0)
  expect(stream.now()).toBe('reconnecting')
  status.outputActive = false
  await look(0)
  expect(stream.now()).toBe('off')
})

it('takes a look after one second for far enough to tell a new rate', async () => {
  const { clock, look } = stage()
  await look(0)
  clock.advance(1_000)
  expect(await look(125_000)).toBe(1_000)
})

it('waits for nothing that is there or hopeless already, and takes its clock back', async () => {
  const { clock, stream } = stage()
  stream.becomes('off')
  expect([await stream.settled('off', undefined), await stream.settled('live', 'off')]).toEqual([true, false])
  expect(clock.waiting()).toBe(0)
})

it('answers with a foreign service for a status that is none', async () => {
  const { stream, status, look } = stage()
  status.outputTotalFrames = -1
  await expect(look(0)).rejects.toMatchObject({ reason: 'foreign' })
  expect([stream.now(), stream.statistics()]).toEqual(['off', null])
})

it('looks every 2 s, and gives a stream 30 s to start or to stop', () => {
  expect([lookEvery, settleWithin]).toEqual([2_000, 30_000])
})
