/** The parts of an flv.js player that `leadSeeks` uses. */
interface FlvPlayer {
  /** Setting it seeks at once, and reads the file from the key frame before where that is not buffered. In s. */
  currentTime: number
  on(event: string, listener: () => void): void
}

/** How long a seek waits for a later one while the control is dragged, and between looks at what is buffered, in ms. */
const patience = 100

const isBuffered = ({ buffered, currentTime }: HTMLMediaElement): boolean =>
  Array.from({ length: buffered.length }, (_, index) => index).some(
    (index) => buffered.start(index) <= currentTime && currentTime < buffered.end(index),
  )
/** Whether the browser has everything up to the end of the file. */
const isTakenIn = ({ buffered, duration }: HTMLMediaElement): boolean =>
  buffered.length > 0 && buffered.end(buffered.length - 1) >= duration - 0.05

/** Delays seeks until the end of the file is buffered: flv.js 1.6 ends the picture otherwise. Call before attaching. */
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
