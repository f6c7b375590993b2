import flvjs from 'flv.js'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { loadFlv } from './flv-transport.ts'

/** A playback of a stream whose answer the test holds. */
async function play(answer: (url: string, signal?: AbortSignal | null) => Promise<Response>) {
  const asked: string[] = []
  const { fetch } = globalThis
  vi.stubGlobal('fetch', (input: RequestInfo | URL, options?: RequestInit) => {
    const url = input instanceof Request ? input.url : String(input)
    asked.push(url)
    return answer(url, options?.signal)
  })
  onTestFinished(() => {
    vi.stubGlobal('fetch', fetch)
  })
  const video = document.createElement('video')
  const told: unknown[] = []
  const transport = (await loadFlv())(video, `${location.origin}/live/1.flv`, {
    playing: () => told.push('playing'),
    ended: (reason, status) => told.push([reason, status]),
    isSilent: () => false,
  })
  onTestFinished(() => transport.destroy())
  return { asked, video, told, transport }
}
const never = (): Promise<Response> => new Promise(() => undefined)

it('asks for the stream, and knows no figures before it plays', async () => {
  const { asked, transport } = await play(never)
  await expect.poll(() => asked).toEqual([`${location.origin}/live/1.flv`])
  expect(transport.figures()).toMatchObject({ delay: null, kbps: null, fps: null, decoded: 0, dropped: 0 })
})

it('ends with the status of a refused stream', async () => {
  const { told } = await play(() => Promise.resolve(new Response('', { status: 404 })))
  await expect.poll(() => told).toEqual([[expect.stringContaining('NetworkError'), 404]])
})

it('ends without a status where the network failed', async () => {
  const { told } = await play(() => Promise.reject(new TypeError('no network')))
  await expect.poll(() => told).toEqual([[expect.stringContaining('NetworkError'), null]])
})

it('does not wait for an answer that never begins', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const { told, asked } = await play(
    (_address, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new DOMException('late', 'AbortError')))
      }),
  )
  await vi.waitUntil(() => asked.length === 1)
  await vi.advanceTimersByTimeAsync(3_900)
  expect(told).toEqual([])
  await vi.advanceTimersByTimeAsync(200)
  await expect.poll(() => told).toEqual([[expect.stringContaining('NetworkError'), null]])
})

it('tells the timestamp of what is shown, which the player places at 0', async () => {
  const tag = (type: number, time: number, ...body: number[]): number[] => [
    type,
    0,
    0,
    body.length,
    (time >> 16) & 255,
    (time >> 8) & 255,
    time & 255,
    0,
    0,
    0,
    0,
    ...body,
    0,
    0,
    0,
    11 + body.length,
  ]
  const bytes = new Uint8Array([
    0x46,
    0x4c,
    0x56,
    1,
    5,
    0,
    0,
    0,
    9,
    0,
    0,
    0,
    0,
    // The configuration has a time of its own.
    ...tag(9, 0, 0x17, 0, 0, 0, 0),
    ...tag(9, 70_000, 0x17, 1, 0, 0, 0, 0),
    ...tag(8, 70_010, 0xaf, 1, 0x21),
  ])
  const stream = new ReadableStream({ start: (into) => into.enqueue(bytes) })
  const { transport, video } = await play(() => Promise.resolve(new Response(stream)))
  Object.defineProperty(video, 'currentTime', { configurable: true, value: 1.5 })
  await expect.poll(() => transport.figures().shown).toEqual({ timestamp: 71_500 })
})

it('tells when it plays, until it is destroyed', async () => {
  const { video, told, transport } = await play(never)
  video.dispatchEvent(new Event('playing'))
  expect(told).toEqual(['playing'])
  transport.destroy()
  transport.destroy()
  video.dispatchEvent(new Event('playing'))
  expect(told).toEqual(['playing'])
})

it('tells nothing of a stream that is refused after it was destroyed', async () => {
  const gate = Promise.withResolvers<Response>()
  const { asked, told, transport } = await play(() => gate.promise)
  await expect.poll(() => asked).toHaveLength(1)
  transport.destroy()
  gate.resolve(new Response('', { status: 404 }))
  await gate.promise
  await Promise.resolve()
  expect(told).toEqual([])
})

describe('a player of FLV that reads nothing by itself', () => {
  const rig = async (isSilent = false) => {
    const listeners = new Map<string, (...data: unknown[]) => void>()
    const done: string[] = []
    const note = (what: string) => () => void done.push(what)
    const player = {
      on: (event: string, listener: (...data: unknown[]) => void) => listeners.set(event, listener),
      attachMediaElement: note('attach'),
      load: note('load'),
      pause: note('pause'),
      unload: note('unload'),
      detachMediaElement: note('detach'),
      destroy: note('destroy'),
    }
    const create = vi
      .spyOn(flvjs, 'createPlayer')
      .mockReturnValue(player as unknown as ReturnType<typeof flvjs.createPlayer>)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    onTestFinished(() => {
      vi.useRealTimers()
      create.mockRestore()
    })
    const video = document.createElement('video')
    vi.spyOn(video, 'play').mockResolvedValue()
    const told: unknown[] = []
    const transport = (await loadFlv())(video, '/live/1.flv', {
      playing: () => told.push('playing'),
      ended: (reason, status) => told.push([reason, status]),
      isSilent: () => isSilent,
    })
    const tell = (event: string, ...data: unknown[]): void => listeners.get(event)?.(...data)
    return { create, video, told, transport, tell, done }
  }

  it('is made for a live stream, without a worker, and with the sound in its place', async () => {
    const { create, done } = await rig()
    expect(create.mock.calls[0]?.[0]).toEqual({ type: 'flv', url: '/live/1.flv', isLive: true })
    expect(create.mock.calls[0]?.[1]).toMatchObject({
      isLive: true,
      enableWorker: false,
      enableStashBuffer: false,
      fixAudioTimestampGap: true,
    })
    expect(done).toEqual(['attach', 'load'])
  })

  it.each([
    [{ code: 403, msg: 'Forbidden' }, 'NetworkError: HttpStatusCodeInvalid: Forbidden', 403],
    [{ code: 399, msg: '' }, 'NetworkError: HttpStatusCodeInvalid', null],
    [undefined, 'NetworkError: HttpStatusCodeInvalid', null],
  ])('ends with what went wrong, and a status from 400 on: %o', async (info, reason, status) => {
    const { tell, told } = await rig()
    tell(flvjs.Events.ERROR, 'NetworkError', 'HttpStatusCodeInvalid', info)
    expect(told).toEqual([[reason, status]])
  })

  it('ends when the stream does', async () => {
    const { tell, told } = await rig()
    tell(flvjs.Events.LOADING_COMPLETE)
    expect(told).toEqual([['the stream ended', null]])
  })

  it('ends with what it has of the stream, and tells nothing of that once it is destroyed', async () => {
    for (const isDestroyed of [false, true]) {
      const { tell, told, video, transport } = await rig()
      Object.defineProperty(video, 'paused', { value: false })
      Object.defineProperty(video, 'buffered', { value: { length: 1, start: () => 0, end: () => 0.6 } })
      tell(flvjs.Events.LOADING_COMPLETE)
      expect(told).toEqual([])
      if (isDestroyed) transport.destroy()
      video.dispatchEvent(new Event('ended'))
      expect(told).toEqual(isDestroyed ? [] : [['the stream ended', null]])
    }
  })

  it('measures kbit/s from KiB of a second', async () => {
    const { tell, transport } = await rig()
    for (let second = 0; second < 4; second++) {
      tell(flvjs.Events.STATISTICS_INFO, { speed: 125 })
      vi.advanceTimersByTime(1_000)
    }
    tell(flvjs.Events.STATISTICS_INFO, {})
    expect(transport.figures().kbps).toBe(1_024)
  })

  it.each([
    [false, [['nothing arrived for 6 s', null]]],
    [true, []],
  ])('ends after 6 s without data, not where the encoder is known to send nothing: %s', async (isSilent, says) => {
    const { told } = await rig(isSilent)
    vi.advanceTimersByTime(6_000)
    expect(told).toEqual([])
    vi.advanceTimersByTime(400)
    expect(told).toEqual(says)
  })

  it('is taken down whole, once, and tells nothing any more', async () => {
    const { tell, told, transport, done } = await rig()
    transport.destroy()
    transport.destroy()
    expect(done.slice(2)).toEqual(['pause', 'unload', 'detach', 'destroy'])
    tell(flvjs.Events.LOADING_COMPLETE)
    vi.advanceTimersByTime(20_000)
    expect(told).toEqual([])
  })
})
