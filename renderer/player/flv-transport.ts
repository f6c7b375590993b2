import { fetchedAgain } from '../fetched-again.ts'
import { inBackground } from '../background.ts'
import { createBitrate } from './bitrate.ts'
import { loaderOf } from './flv-loader.ts'
import { createLiveEdge, flvLiveEdge } from './live-edge.ts'
import { liveRange, playAllowed, startPlayback } from './playback.ts'
import type { LoadTransport, StartTransport } from './transport.ts'

const startFlv =
  (flvjs: typeof import('flv.js').default): StartTransport =>
  (video, url, events) => {
    flvjs.LoggingControl.enableAll = false
    let first: number | undefined
    let received = 0
    const player = flvjs.createPlayer(
      { type: 'flv', url, isLive: true },
      {
        isLive: true,
        // A worker would need a blob script, which the policy forbids.
        enableWorker: false,
        enableStashBuffer: false,
        lazyLoad: false,
        deferLoadAfterSourceOpen: false,
        autoCleanupSourceBuffer: true,
        autoCleanupMaxBackwardDuration: 12,
        autoCleanupMinBackwardDuration: 6,
        // flv.js places audio by counting samples: without filled gaps, sound falls behind and delays the picture.
        fixAudioTimestampGap: true,
        customLoader: loaderOf(
          flvjs,
          (timestamp) => (first = timestamp),
          (bytes) => (received = bytes),
        ),
      },
    )
    let done = false
    const bitrate = createBitrate()
    const end = (reason: string, status: number | null): void => {
      if (!done) events.ended(reason, status)
    }
    player.on(flvjs.Events.ERROR, (type: string, detail: string, info?: { code?: number; msg?: string }) => {
      const status = info?.code !== undefined && info.code >= 400 ? info.code : null
      end([type, detail, info?.msg].filter(Boolean).join(': '), status)
    })
    // All of it has come: the stream is over once the buffer has played.
    const ended = (): void => end('the stream ended', null)
    player.on(flvjs.Events.LOADING_COMPLETE, () => {
      if (video.paused || (liveRange(video)?.end ?? 0) <= video.currentTime) return ended()
      video.addEventListener('ended', ended, { once: true })
    })
    player.on(flvjs.Events.STATISTICS_INFO, (info: { speed?: number }) => {
      // `speed` is in KiB of the last second.
      if (typeof info.speed === 'number') bitrate.report(info.speed * 8.192, performance.now())
    })
    player.attachMediaElement(video)
    player.load()
    const playback = startPlayback(video, createLiveEdge(flvLiveEdge), {
      playing: () => {
        if (!done) events.playing()
      },
      silent: () => {
        if (!events.isSilent()) end('nothing arrived for 6 s', null)
      },
    })
    inBackground(
      playAllowed(video, () => {
        if (!done) events.refused?.()
      }),
    )
    return {
      figures: () => ({
        delay: playback.behind ?? null,
        kbps: bitrate.kbps,
        received,
        ...playback.frames(),
        ...(first !== undefined && { shown: { timestamp: first + video.currentTime * 1_000 } }),
      }),
      destroy: () => {
        if (done) return
        done = true
        playback.stop()
        video.removeEventListener('ended', ended)
        player.pause()
        player.unload()
        player.detachMediaElement()
        player.destroy()
      },
    }
  }

/** Plays HTTP-FLV with flv.js, loaded on first use. */
export const loadFlv: LoadTransport = async () => {
  const { default: flvjs } = await fetchedAgain(() => import('flv.js'))()
  return startFlv(flvjs)
}
