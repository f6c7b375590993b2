import { fetchedAgain } from '../fetched-again.ts'
import { inBackground } from '../background.ts'
import { createHlsLine } from './hls-line.ts'
import { createLiveEdge, hlsLiveEdge } from './live-edge.ts'
import { playAllowed, silentFor, startPlayback } from './playback.ts'
import type { LoadTransport, StartTransport } from './transport.ts'

/** In s, of a stream whose playlist is not known yet. */
const usualSegment = 2
/**
 * In s behind the newest picture, the least that plays without stutter: another segment comes as often as it is long,
 * and up to half of that later, as its playlist is asked for so often.
 */
const behindFor = (segment: number): number => Math.max(4, segment * 1.5 + 1)
/** In s more than that, until it jumps. */
const late = 16

const startHls =
  (Hls: typeof import('hls.js/light').default): StartTransport =>
  (video, url, events) => {
    /** In s. */
    let segment = usualSegment
    const edgeOf = () => createLiveEdge(hlsLiveEdge(behindFor(segment)))
    let edge = edgeOf()
    const { arrived, ...loaders } = createHlsLine(Hls.DefaultConfig.loader, (duration) => {
      if (duration === segment) return
      segment = duration
      edge = edgeOf()
      hls.config.liveSyncDuration = behindFor(segment)
      hls.config.liveMaxLatencyDuration = behindFor(segment) + late
    })
    const hls = new Hls({
      ...loaders,
      // A worker would need a blob script, which the policy forbids; CMAF needs no transmuxing.
      enableWorker: false,
      lowLatencyMode: false,
      liveSyncDuration: behindFor(segment),
      liveMaxLatencyDuration: behindFor(segment) + late,
      backBufferLength: 12,
      maxBufferLength: 20,
      maxMaxBufferLength: 30,
      manifestLoadPolicy: {
        default: { maxTimeToFirstByteMs: 5_000, maxLoadTimeMs: 10_000, timeoutRetry: null, errorRetry: null },
      },
    })
    let done = false
    let kbps: number | null = null
    let newest = -1
    let listed = 0
    let shown: { readonly date: number } | undefined
    const end = (reason: string, status: number | null): void => {
      if (!done) events.ended(reason, status)
    }
    hls.on(Hls.Events.FRAG_BUFFERED, (_event, data) => {
      const seconds = data.frag.duration
      const bytes = data.stats.total
      if (typeof data.frag.sn === 'number') newest = data.frag.sn
      if (seconds > 0 && bytes > 0) kbps = (bytes * 8) / 1_000 / seconds
    })
    hls.on(Hls.Events.LEVEL_UPDATED, (_event, data) => {
      listed = data.details.endSN
      // The playlist is complete: the stream is over once the buffer has played.
      if (!data.details.live) video.addEventListener('ended', () => end('the stream ended', null), { once: true })
    })
    let recovered = false
    hls.on(Hls.Events.ERROR, (_event, data) => {
      if (!data.fatal) return
      if (data.type === Hls.ErrorTypes.MEDIA_ERROR && !recovered) {
        recovered = true
        return hls.recoverMediaError()
      }
      const status = data.response?.code
      end(`${data.type}: ${data.details}`, status !== undefined && status >= 400 ? status : null)
    })
    hls.loadSource(url)
    hls.attachMedia(video)
    const silentAfter = (): number => Math.max(silentFor, (behindFor(segment) + 1) * 1_000)
    const playback = startPlayback(
      video,
      { decide: (sample) => edge.decide(sample) },
      {
        arrived,
        silentAfter,
        playing: () => {
          recovered = false
          if (!done) events.playing()
        },
        silent: () => {
          if (!events.isSilent()) end(`nothing arrived for ${silentAfter() / 1_000} s`, null)
        },
      },
    )
    inBackground(
      playAllowed(video, () => {
        if (!done) events.refused?.()
      }),
    )

    const delay = (): number | null => {
      // PROGRAM-DATE-TIME gives the whole delay, if the clocks agree.
      const made = hls.playingDate?.getTime()
      const whole = made === undefined ? Number.NaN : (Date.now() - made) / 1_000
      if (whole >= 0 && whole < 120) return whole
      // hls.js measures to the end of the playlist, which stops changing when the stream stops.
      return hls.latency > 0 ? hls.latency + playback.standing : null
    }
    return {
      figures: () => {
        const date = hls.playingDate?.getTime()
        // Where it seeks, what is on the screen is still that of before.
        if (date !== undefined && !video.seeking) shown = { date }
        return { delay: delay(), kbps, ...playback.frames(), hasAll: newest >= listed, ...(shown && { shown }) }
      },
      destroy: () => {
        if (done) return
        done = true
        playback.stop()
        hls.destroy()
        video.removeAttribute('src')
        video.load()
      },
    }
  }

/** With the light build of hls.js, loaded on first use. */
export const loadHls: LoadTransport = async () => {
  const { default: Hls } = await fetchedAgain(() => import('hls.js/light'))()
  return startHls(Hls)
}
