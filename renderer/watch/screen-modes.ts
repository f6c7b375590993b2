import { inBackground } from '../background.ts'
import { iconButton, redraw } from './element.ts'
import { say } from './words.ts'

/** Phones of Apple have no full screen but that of the video. */
interface PhoneVideo {
  readonly webkitSupportsFullscreen?: boolean
  webkitEnterFullscreen?(): void
}

/** Full screen and picture in picture, where the browser has them. */
export function createScreenModes(video: HTMLVideoElement & PhoneVideo, stage: HTMLElement) {
  const full = iconButton('full', `${say('fullScreen')} (F)`)
  const inPicture = iconButton('inPicture', `${say('inPicture')} (P)`, 'option in-picture')
  const toggleFull = (): void => {
    if (document.fullscreenElement) inBackground(document.exitFullscreen())
    else if (document.fullscreenEnabled) stage.requestFullscreen().catch(() => undefined)
    else if (video.webkitSupportsFullscreen === true) video.webkitEnterFullscreen?.()
  }
  const toggleInPicture = (): void => {
    // Refused before there is a picture.
    if (document.pictureInPictureElement) document.exitPictureInPicture().catch(() => undefined)
    else if (document.pictureInPictureEnabled) video.requestPictureInPicture().catch(() => undefined)
  }
  full.addEventListener('click', toggleFull)
  inPicture.addEventListener('click', toggleInPicture)
  document.addEventListener('fullscreenchange', () =>
    redraw(full, document.fullscreenElement === stage ? 'leave' : 'full', `${say('fullScreen')} (F)`),
  )
  return {
    full,
    inPicture,
    toggleFull,
    toggleInPicture,
    draw(isPlaying: boolean): void {
      full.hidden = !document.fullscreenEnabled && !(isPlaying && video.webkitSupportsFullscreen === true)
      inPicture.hidden = !document.pictureInPictureEnabled
    },
  }
}
