import Hls, { ErrorTypes, Events } from 'hls.js/light'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadHls } from './hls-transport.ts'

/** A playback whose player reads nothing by itself: the test tells what comes. */
async function play({ isSilent = false }: { readonly isSilent?: boolean } = {}) {
  const loaded = vi.spyOn(Hls.prototype, 'loadSource').mockImplementation(() => undefined)
  const attached = vi.spyOn(Hls.prototype, 'attachMedia').mockImplementation(() => undefined)
  const recovered = vi.spyOn(Hls.prototype, 'recoverMediaError').mockImplementation(() => undefined)
  const destroyed = vi.spyOn(Hls.prototype, 'destroy').mockImplementation(() => undefined)
  const video = document.createElement('video')
  const plays = vi.spyOn(video, 'play').mockResolvedValue()
  const told: unknown[] = []
  const transport = (await loadHls())(video, '/media/playlist.m3u8', {
    playing: () => told.push('playing'),
    ended: (reason, status) => told.push([reason, status]),
    isSilent: () => isSilent,
  })
  const hls = loaded.mock.contexts[0] as Hls
  /** The listener of the transport, which is the last one. */
  const tell = (event: keyof typeof Events, data: object): void => {
    const listener = hls.listeners(Events[event] as never).at(-1) as unknown as (name: string, data: object) => void
    listener.call(hls, Events[event], data)
  }
  return { video, plays, told, transport, hls, tell, loaded, attached, recovered, destroyed }
}
const media = { fatal: true, type: ErrorTypes.MEDIA_ERROR, details: 'bufferAppendError' }
const network = { fatal: true, type: ErrorTypes.NETWORK_ERROR, details: 'manifestLoadError' }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('the playback of HLS', () => {
  it('reads the playlist into the element, and plays', async () => {
    const { loaded, attached, plays, video, hls } = await play()
    expect([loaded.mock.calls, attached.mock.calls]).toEqual([[['/media/playlist.m3u8']], [[video]]])
    expect(plays).toHaveBeenCalledOnce()
    expect(hls.userConfig).toMatchObject({ enableWorker: false, liveSyncDuration: 4, liveMaxLatencyDuration: 20 })
  })

  it('tells each time that it plays, until it is destroyed', async () => {
    const { video, told, transport } = await play()
    video.dispatchEvent(new Event('playing'))
    video.dispatchEvent(new Event('playing'))
    expect(told).toEqual(['playing', 'playing'])
    transport.destroy()
    video.dispatchEvent(new Event('playing'))
    expect(told).toHaveLength(2)
  })

  it('goes on after an error that is not fatal', async () => {
    const { tell, told, recovered } = await play()
    tell('ERROR', { ...network, fatal: false })
    tell('ERROR', { ...media, fatal: false })
    expect([told, recovered.mock.calls]).toEqual([[], []])
  })

  it.each([
    [404, 404],
    [400, 400],
    [399, null],
    [0, null],
  ])('ends with what went wrong, and with a status %s as %s', async (code, status) => {
    const { tell, told } = await play()
    tell('ERROR', { ...network, response: { code } })
    expect(told).toEqual([['networkError: manifestLoadError', status]])
  })

  it('ends without a status where there was no answer', async () => {
    const { tell, told, recovered } = await play()
    tell('ERROR', network)
    expect([told, recovered.mock.calls]).toEqual([[['networkError: manifestLoadError', null]], []])
  })

  it('takes one fault of the media in its stride, and ends with the second', async () => {
    const { tell, told, recovered } = await play()
    tell('ERROR', media)
    expect([told, recovered.mock.calls.length]).toEqual([[], 1])
    tell('ERROR', media)
    expect([told, recovered.mock.calls.length]).toEqual([[['mediaError: bufferAppendError', null]], 1])
  })

  it('takes another fault of the media in its stride once it played again', async () => {
    const { tell, told, video, recovered } = await play()
    tell('ERROR', media)
    video.dispatchEvent(new Event('playing'))
    tell('ERROR', media)
    expect([told, recovered.mock.calls.length]).toEqual([['playing'], 2])
  })

  it('ends once a playlist that is complete has been played, and not with one that goes on', async () => {
    const { tell, told, video } = await play()
    tell('LEVEL_UPDATED', { details: { live: true } })
    video.dispatchEvent(new Event('ended'))
    expect(told).toEqual([])
    tell('LEVEL_UPDATED', { details: { live: false } })
    expect(told).toEqual([])
    video.dispatchEvent(new Event('ended'))
    video.dispatchEvent(new Event('ended'))
    expect(told).toEqual([['the stream ended', null]])
  })

  it.each([
    ['the encoder should send', false, [['nothing arrived for 6 s', null]]],
    ['the encoder is known to send nothing', true, []],
  ])('ends after 6 s without data where %s', async (_case, isSilent, says) => {
    const { told } = await play({ isSilent })
    vi.advanceTimersByTime(6_000)
    expect(told).toEqual([])
    vi.advanceTimersByTime(400)
    expect(told).toEqual(says)
  })

  it('stays as far behind as segments are long, and waits as long for another one', async () => {
    const { told, hls } = await play()
    const asked = vi.spyOn(Hls.DefaultConfig.loader.prototype, 'load').mockImplementation(() => undefined)
    const { pLoader: Playlist } = hls.config
    if (!Playlist) throw new Error('hls.js has its own loader')
    const heard: unknown[] = []
    const onSuccess = (): void => void heard.push([hls.config.liveSyncDuration, hls.config.liveMaxLatencyDuration])
    new Playlist(hls.config).load({} as never, {} as never, { onSuccess } as never)
    const { onSuccess: succeed } = asked.mock.calls[0]![2] as unknown as { onSuccess: (response: object) => void }
    for (const seconds of [2, 10, 'x']) succeed({ data: `#EXTM3U\n#EXT-X-TARGETDURATION:${seconds}\n#EXTINF:4.000,\n` })
    expect(heard).toEqual([
      [4, 20],
      [16, 32],
      [16, 32],
    ])
    vi.advanceTimersByTime(17_000)
    expect(told).toEqual([])
    vi.advanceTimersByTime(400)
    expect(told).toEqual([['nothing arrived for 17 s', null]])
  })

  it('dates the picture on the screen, not the place that it seeks', async () => {
    const { video, hls, transport } = await play()
    const date = vi.spyOn(hls, 'playingDate', 'get').mockReturnValue(new Date(1_000))
    const seeking = vi.spyOn(video, 'seeking', 'get').mockReturnValue(false)
    expect(transport.figures().shown).toEqual({ date: 1_000 })
    date.mockReturnValue(new Date(60_000))
    seeking.mockReturnValue(true)
    expect(transport.figures().shown).toEqual({ date: 1_000 })
    seeking.mockReturnValue(false)
    expect(transport.figures().shown).toEqual({ date: 60_000 })
  })

  it('leaves a segment that comes slowly to finish, and asks for no playlist meanwhile', async () => {
    const { told, hls } = await play()
    const asked = vi.spyOn(Hls.DefaultConfig.loader.prototype, 'load').mockImplementation(() => undefined)
    const { fLoader: Segment, pLoader: Playlist } = hls.config
    if (!Segment || !Playlist) throw new Error('hls.js has its own loaders')
    const segment = new Segment(hls.config)
    segment.load({} as never, {} as never, {} as never)
    new Playlist(hls.config).load({} as never, {} as never, {} as never)
    for (let second = 0; second < 20; second++) {
      segment.stats.loaded += 75_000
      vi.advanceTimersByTime(1_000)
    }
    expect([told, asked.mock.calls.length]).toEqual([[], 1])
    segment.destroy()
    expect(asked).toHaveBeenCalledTimes(2)
    vi.advanceTimersByTime(6_400)
    expect(told).toEqual([['nothing arrived for 6 s', null]])
  })

  it('is taken down once, empties the element, and tells nothing any more', async () => {
    const { transport, tell, told, video, destroyed } = await play()
    tell('LEVEL_UPDATED', { details: { live: false } })
    video.setAttribute('src', 'blob:x')
    const load = vi.spyOn(video, 'load').mockImplementation(() => undefined)
    transport.destroy()
    transport.destroy()
    expect([destroyed.mock.calls.length, load.mock.calls.length, video.hasAttribute('src')]).toEqual([1, 1, false])
    tell('ERROR', network)
    video.dispatchEvent(new Event('ended'))
    vi.advanceTimersByTime(20_000)
    expect(told).toEqual([])
  })
})

describe('the figures of HLS', () => {
  it('have the rate of the last segment in kbit/s, and keep it where one has no length', async () => {
    const { transport, tell } = await play()
    expect(transport.figures().kbps).toBeNull()
    tell('FRAG_BUFFERED', { frag: { duration: 2 }, stats: { total: 500_000 } })
    expect(transport.figures().kbps).toBe(2_000)
    tell('FRAG_BUFFERED', { frag: { duration: 0 }, stats: { total: 500_000 } })
    tell('FRAG_BUFFERED', { frag: { duration: 2 }, stats: { total: 0 } })
    expect(transport.figures().kbps).toBe(2_000)
  })

  it.each([
    ['by the clock of the stream', 5_000, 3, 5],
    ['by the playlist, where the clock of the stream is ahead', -1, 3, 3],
    ['by the clock of the stream up to two minutes', 119_999, 3, 119.999],
    ['by the playlist, where the clock of the stream is off', 120_000, 3, 3],
    ['by the playlist, where the stream has no clock', null, 3, 3],
    ['not at all, where neither knows', null, 0, null],
  ])('have the delay %s', async (_case, ago, latency, seconds) => {
    const { transport } = await play()
    const now = Date.now()
    vi.spyOn(Date, 'now').mockReturnValue(now)
    vi.spyOn(Hls.prototype, 'playingDate', 'get').mockReturnValue(ago === null ? null : new Date(now - ago))
    vi.spyOn(Hls.prototype, 'latency', 'get').mockReturnValue(latency)
    expect(transport.figures().delay).toBe(seconds)
  })

  it('have a delay that grows while the picture stands', async () => {
    const { transport } = await play()
    vi.spyOn(Hls.prototype, 'playingDate', 'get').mockReturnValue(null)
    vi.spyOn(Hls.prototype, 'latency', 'get').mockReturnValue(3)
    vi.advanceTimersByTime(4_000)
    const { delay, standing } = transport.figures()
    expect(standing).toBeGreaterThan(3)
    expect(delay).toBe(3 + standing)
  })
})
