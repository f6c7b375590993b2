import type { LoadTransport, Shown, StartTransport } from '../player/transport.ts'

/** Safari tells the EXT-X-PROGRAM-DATE-TIME of position 0; Chromium, which plays HLS itself too, does not. */
interface DatedVideo extends HTMLVideoElement {
  getStartDate?(): Date
}
const shownOf = (video: DatedVideo): Shown | undefined => {
  const date = (video.getStartDate?.().getTime() ?? Number.NaN) + video.currentTime * 1_000
  return Number.isFinite(date) ? { date } : undefined
}

const startNative: StartTransport = (video, url, events) => {
  let done = false
  const playing = (): void => {
    if (!done) events.playing()
  }
  const ended = (): void => {
    if (!done) events.ended(video.error?.message ?? 'the stream ended', null)
  }
  video.addEventListener('playing', playing)
  video.addEventListener('ended', ended)
  video.addEventListener('error', ended)
  video.src = url
  video.play().catch(() => {
    video.muted = true
    video.play().catch((error: unknown) => {
      if (!done && error instanceof DOMException && error.name === 'NotAllowedError') events.refused?.()
    })
  })
  return {
    figures: () => {
      const shown = shownOf(video)
      return { delay: null, kbps: null, fps: null, dropped: null, decoded: null, standing: 0, ...(shown && { shown }) }
    },
    destroy() {
      if (done) return
      done = true
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
