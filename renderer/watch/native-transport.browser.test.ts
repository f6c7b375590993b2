import { expect, it, onTestFinished, vi } from 'vitest'
import { loadNative } from './native-transport.ts'

/** A video element whose playing the test holds. */
async function show(plays: (muted: boolean) => Promise<void> = () => Promise.resolve()) {
  const video = document.createElement('video')
  const told: unknown[] = []
  const started: boolean[] = []
  const silent = { now: false }
  video.play = () => {
    started.push(video.muted)
    return plays(video.muted)
  }
  const transport = (await loadNative())(video, 'data:,', {
    playing: () => told.push('playing'),
    ended: (reason, status) => told.push(['ended', reason, status]),
    isSilent: () => silent.now,
    refused: () => told.push('refused'),
  })
  await Promise.resolve()
  return { video, told, started, silent, transport }
}

it('plays the address, and tells when it plays and ends', async () => {
  const { video, told, started } = await show()
  expect(video.getAttribute('src')).toBe('data:,')
  expect(started).toEqual([false])
  video.dispatchEvent(new Event('playing'))
  video.dispatchEvent(new Event('ended'))
  video.dispatchEvent(new Event('error'))
  expect(told).toEqual(['playing', ['ended', 'the stream ended', null], ['ended', 'the stream ended', null]])
})

it('plays muted where the browser allows no sound', async () => {
  const { video, started } = await show((muted) =>
    muted ? Promise.resolve() : Promise.reject(new Error('not allowed')),
  )
  await expect.poll(() => started).toEqual([false, true])
  expect(video.muted).toBe(true)
})

it('empties the element at its end, and tells nothing any more', async () => {
  const { video, told, transport } = await show()
  let loads = 0
  video.load = () => (loads += 1)
  transport.destroy()
  transport.destroy()
  for (const event of ['playing', 'ended', 'error']) video.dispatchEvent(new Event(event))
  expect([video.hasAttribute('src'), loads, told]).toEqual([false, 1, []])
})

it('knows the date of the picture where the browser tells that of position 0, and none while it does not', async () => {
  const { video, transport } = await show()
  const start = { date: new Date(Number.NaN) }
  Object.assign(video, { getStartDate: () => start.date })
  expect(transport.figures()).not.toHaveProperty('shown')
  start.date = new Date(5_000)
  Object.defineProperty(video, 'currentTime', { value: 2.5 })
  expect(transport.figures().shown).toEqual({ date: 7_500 })
})

it('does not know a delay', async () => {
  const { transport } = await show()
  expect(transport.figures()).toEqual({
    delay: null,
    kbps: null,
    fps: null,
    dropped: null,
    decoded: null,
    standing: 0,
  })
})

it('tells that the browser waits for a gesture even without sound, and nothing of other failures', async () => {
  const refused = await show(() => Promise.reject(new DOMException('a gesture is needed', 'NotAllowedError')))
  await expect.poll(() => refused.told).toEqual(['refused'])
  const failed = await show(() => Promise.reject(new DOMException('another source', 'AbortError')))
  await expect.poll(() => failed.started).toEqual([false, true])
  expect(failed.told).toEqual([])
})

/** The same with a clock of the test; the element runs, and moves when the test says so. */
async function watch() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const shown = await show()
  const now = { currentTime: 0, paused: false }
  for (const name of ['currentTime', 'paused'] as const)
    Object.defineProperty(shown.video, name, { get: () => now[name] })
  onTestFinished(() => shown.transport.destroy())
  return { ...shown, now }
}
const stood = ['ended', 'the picture stood still', null]

it('tells a picture that stands still for 4 s, which the browser does not, and how long it stands', async () => {
  const { video, told, now, transport } = await watch()
  video.dispatchEvent(new Event('playing'))
  for (let second = 0; second < 10; second++) {
    now.currentTime += 1
    vi.advanceTimersByTime(1_000)
  }
  expect([told, transport.figures().standing]).toEqual([['playing'], 0])
  vi.advanceTimersByTime(3_000)
  expect(told).toEqual(['playing'])
  expect(transport.figures().standing).toBeGreaterThan(2)
  vi.advanceTimersByTime(2_000)
  expect(told).toEqual(['playing', stood])
  transport.destroy()
  vi.advanceTimersByTime(60_000)
  expect(told).toHaveLength(2)
})

it('tells 3 s after the first picture that the browser does not tell its place', async () => {
  const { video, now, transport } = await watch()
  vi.advanceTimersByTime(10_000)
  expect(transport.figures()).not.toHaveProperty('isUndated')
  video.dispatchEvent(new Event('playing'))
  vi.advanceTimersByTime(2_000)
  video.dispatchEvent(new Event('playing'))
  expect(transport.figures()).not.toHaveProperty('isUndated')
  vi.advanceTimersByTime(1_500)
  expect(transport.figures()).toMatchObject({ isUndated: true })
  Object.assign(video, { getStartDate: () => new Date(5_000) })
  now.currentTime = 2
  expect(transport.figures()).not.toHaveProperty('isUndated')
  expect(transport.figures().shown).toEqual({ date: 7_000 })
})

it('lets a picture stand still that is paused or held', async () => {
  const { video, told, now, silent } = await watch()
  video.dispatchEvent(new Event('playing'))
  now.paused = true
  vi.advanceTimersByTime(60_000)
  now.paused = false
  silent.now = true
  vi.advanceTimersByTime(60_000)
  expect(told).toEqual(['playing'])
  silent.now = false
  vi.advanceTimersByTime(5_000)
  expect(told).toEqual(['playing', stood])
})

it('tells that no first picture comes, later than the service lets a playlist wait', async () => {
  const { told } = await watch()
  vi.advanceTimersByTime(12_000)
  expect(told).toEqual([])
  vi.advanceTimersByTime(1_000)
  expect(told).toEqual([['ended', 'no picture came', null]])
})
