interface FlvPlayer {
  /** In s. Setting it seeks, and reads from the previous key frame where nothing is buffered. */
  currentTime: number
  on(event: string, listener: () => void): void
}

/** Before a seek, as another may follow during a drag, and between checks of the buffer; ms. */
const patience = 100

const isBuffered = ({ buffered, currentTime }: HTMLMediaElement): boolean =>
  Array.from({ length: buffered.length }, (_, index) => index).some(
    (index) => buffered.start(index) <= currentTime && currentTime < buffered.end(index),
  )
const isTakenIn = ({ buffered, duration }: HTMLMediaElement): boolean =>
  buffered.length > 0 && buffered.end(buffered.length - 1) >= duration - 0.05

/** Delays seeks until the file's end is buffered; flv.js 1.6 would stop playing. Call before attaching. */
export function leadSeeks(video: HTMLMediaElement, player: FlvPlayer, loadingComplete: string): () => void {
  let isRead = false
  let isOwn = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = (): void => {
    if (isBuffered(video)) return
    if (isRead && !isTakenIn(video)) {
      timer = setTimeout(look, patience)
      return
    }
    isRead = false
    isOwn = true
    player.currentTime = video.currentTime
  }
  const seeking = (event: Event): void => {
    if (isOwn) {
      isOwn = false
      return
    }
    clearTimeout(timer)
    if (isBuffered(video)) return
    event.stopImmediatePropagation()
    timer = setTimeout(look, patience)
  }
  player.on(loadingComplete, () => (isRead = true))
  video.addEventListener('seeking', seeking)
  return () => {
    clearTimeout(timer)
    video.removeEventListener('seeking', seeking)
  }
}
