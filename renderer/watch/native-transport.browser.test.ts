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

/** A playlist with so many segments at each question, and what else is in it. */
async function begins(...counts: readonly (readonly [segments: number, rest?: string])[]) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
  const { fetch } = globalThis
  let asked = 0
  vi.stubGlobal('fetch', () => {
    const [segments, rest = ''] = counts[Math.min(asked++, counts.length - 1)]!
    if (segments < 0) return Promise.resolve(new Response('', { status: 404 }))
    return Promise.resolve(new Response(`${'#EXTINF:2.000,\n1.m4s\n'.repeat(segments)}${rest}`))
  })
  onTestFinished(() => {
    vi.stubGlobal('fetch', fetch)
    vi.useRealTimers()
  })
  const video = document.createElement('video')
  video.play = () => Promise.resolve()
  const told: unknown[] = []
  const transport = (await loadNative())(video, 'data:,', {
    playing: () => told.push('playing'),
    ended: (reason) => told.push(reason),
    isSilent: () => false,
    isYoung: () => true,
  })
  const pass = async (ms: number): Promise<boolean> => {
    for (let turn = 0; turn < 10; turn++) await vi.advanceTimersByTimeAsync(turn === 0 ? ms : 0)
    return video.hasAttribute('src')
  }
  return { transport, told, pass, asked: () => asked }
}

it('opens a stream that has just begun once three segments are listed', async () => {
  const { pass, asked } = await begins([1], [2], [3])
  expect(await pass(0)).toBe(false)
  expect(await pass(500)).toBe(false)
  expect(await pass(500)).toBe(true)
  expect(asked()).toBe(3)
})

it.each([
  ['are all that there is', [1, '#EXT-X-ENDLIST']],
  ['cannot be read', [-1]],
] as const)('opens it at once where its segments %s', async (_why, answer) => {
  const { pass } = await begins(answer)
  expect(await pass(0)).toBe(true)
})

it('opens it after 16 s at the latest, complains of no picture before, and never once it is over', async () => {
  const { pass, told } = await begins([1])
  expect(await pass(15_900)).toBe(false)
  expect(told).toEqual([])
  expect(await pass(600)).toBe(true)
  const other = await begins([1])
  await other.pass(0)
  other.transport.destroy()
  expect(await other.pass(20_000)).toBe(false)
  expect(other.asked()).toBe(1)
})
