import { element, icon, iconButton, redraw } from './element.ts'
import { say } from './words.ts'

/** Controls of the sound of a video, which begins muted; calls `changed` when it is another. */
export function createSound(video: HTMLVideoElement, changed: () => void) {
  video.muted = true
  video.defaultMuted = true
  const unmute = element('button', { type: 'button', class: 'sound' }, icon('silence'), say('sound'))
  const mute = iconButton('silence', say('unmute'))
  const volume = element('input', {
    type: 'range',
    min: '0',
    max: '100',
    value: '100',
    class: 'volume',
    'aria-label': say('volume'),
  })
  const toggle = (): void => {
    video.muted = !video.muted
    if (!video.muted && video.volume === 0) video.volume = 1
  }
  unmute.addEventListener('click', toggle)
  mute.addEventListener('click', toggle)
  volume.addEventListener('input', () => {
    video.volume = Number(volume.value) / 100
    video.muted = video.volume === 0
  })
  video.addEventListener('volumechange', () => {
    volume.value = String(video.muted ? 0 : Math.round(video.volume * 100))
    changed()
  })
  return {
    unmute,
    mute,
    volume,
    toggle,
    draw(isPlaying: boolean): void {
      unmute.hidden = !isPlaying || !video.muted
      redraw(mute, video.muted ? 'silence' : 'sound', `${say(video.muted ? 'unmute' : 'mute')} (M)`)
    },
  }
}
