import { inBackground } from '../background.ts'
import { later } from '../data/timer.ts'
import type { LoadTransport, Shown, StartTransport } from '../player/transport.ts'

/** Safari tells the EXT-X-PROGRAM-DATE-TIME of position 0; Chromium, which plays HLS itself too, does not. */
interface DatedVideo extends HTMLVideoElement {
  getStartDate?(): Date
}
const shownOf = (video: DatedVideo): Shown | undefined => {
  const date = (video.getStartDate?.().getTime() ?? Number.NaN) + video.currentTime * 1_000
  return Number.isFinite(date) ? { date } : undefined
}

/** In ms. How often its progress is read, and what it may stand still: the browser itself reports neither. */
const lookEvery = 500
const standsFor = 4_000
/** In ms, until the first picture; longer than the service lets a playlist wait for its first segment. */
const opensWithin = 12_000
const frozenAfter = 500
/** In ms, from the first picture, until a date that the browser does not tell is not waited for any more. */
const datedWithin = 3_000

/**
 * Segments that a playlist has to list before a browser plays it without a break: Chromium reports an error at the end
 * of one that has fewer. How often it is read until then, and for how long, in ms.
 */
const enough = 3
const listsEvery = 500
const listsWithin = 16_000

/** Waits until the playlist lists enough, or all that there will be, or cannot be read. */
async function listed(url: string, signal: AbortSignal): Promise<void> {
  for (const until = performance.now() + listsWithin; performance.now() < until && !signal.aborted;) {
    const answer = await fetch(url, { signal }).catch(() => undefined)
    const text = answer?.ok ? await answer.text().catch(() => '') : ''
    if (text === '' || text.includes('#EXT-X-ENDLIST') || text.split('#EXTINF:').length > enough) return
    await new Promise<void>((resolve) => void later(listsEvery, resolve))
  }
}

const startNative: StartTransport = (video, url, events) => {
  let done = false
  let hasPlayed = false
  let playedAt = Infinity
  let shown = -1
  let movedAt = performance.now()
  let isOpen = false
  const stop = new AbortController()
  const standing = (): number => {
    const stood = performance.now() - movedAt
    return hasPlayed && stood > frozenAfter ? stood / 1_000 : 0
  }
  const look = (): void => {
    const now = performance.now()
    // A held picture may stand still, and a paused one has to.
    if (!isOpen || video.currentTime !== shown || video.paused || (hasPlayed && events.isSilent())) {
      shown = video.currentTime
      movedAt = now
    } else if (now - movedAt > (hasPlayed ? standsFor : opensWithin)) {
      movedAt = now
      events.ended(hasPlayed ? 'the picture stood still' : 'no picture came', null)
    }
  }
  const timer = setInterval(look, lookEvery)
  const playing = (): void => {
    hasPlayed = true
    playedAt = Math.min(playedAt, performance.now())
    if (!done) events.playing()
  }
  const ended = (): void => {
    if (!done) events.ended(video.error?.message ?? 'the stream ended', null)
  }
  video.addEventListener('playing', playing)
  video.addEventListener('ended', ended)
  video.addEventListener('error', ended)
  const open = (): void => {
    if (done) return
    isOpen = true
    movedAt = performance.now()
    video.src = url
    video.play().catch(() => {
      video.muted = true
      video.play().catch((error: unknown) => {
        if (!done && error instanceof DOMException && error.name === 'NotAllowedError') events.refused?.()
      })
    })
  }
  if (events.isYoung?.()) inBackground(listed(url, stop.signal).then(open))
  else open()
  return {
    figures: () => {
      const dated = shownOf(video)
      return {
        delay: null,
        kbps: null,
        fps: null,
        dropped: null,
        decoded: null,
        standing: standing(),
        ...(dated ? { shown: dated } : performance.now() - playedAt > datedWithin && { isUndated: true as const }),
      }
    },
    destroy() {
      if (done) return
      done = true
      stop.abort()
      clearInterval(timer)
      video.removeEventListener('playing', playing)
      video.removeEventListener('ended', ended)
      video.removeEventListener('error', ended)
      video.removeAttribute('src')
      video.load()
    },
  }
}

/** HLS by the browser, for phones without Media Source Extensions. */
export const loadNative: LoadTransport = () => Promise.resolve(startNative)
