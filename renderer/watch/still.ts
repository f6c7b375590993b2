import { element } from './element.ts'

/** The last picture of a video, which covers it while the stream is opened again. */
export function createStill(video: HTMLVideoElement) {
  const node = element('canvas', { 'aria-hidden': 'true' })
  node.hidden = true
  return {
    node,
    keep(): void {
      if (video.videoWidth === 0 || video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return
      node.width = video.videoWidth
      node.height = video.videoHeight
      node.getContext('2d')?.drawImage(video, 0, 0)
      node.hidden = false
    },
  }
}
