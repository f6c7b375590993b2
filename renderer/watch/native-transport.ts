import type { StartTransport } from '../player/transport.ts'

/** HLS by the browser, for phones without Media Source Extensions. */
export const startNative: StartTransport = (video, url, events) => {
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
  return Promise.resolve({
    figures: () => ({ delay: null, kbps: null, fps: null, dropped: null, decoded: null, standing: 0 }),
    destroy() {
      if (done) return
      done = true
      video.removeEventListener('playing', playing)
      video.removeEventListener('ended', ended)
      video.removeEventListener('error', ended)
      video.removeAttribute('src')
      video.load()
    },
  })
}
