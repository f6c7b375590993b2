import { element, icon, iconButton, redraw } from './element.ts'
import { store, stored, storedInTab, storeInTab } from './stored.ts'
import { say } from './words.ts'

const keptVolume = 'sidestage-volume'
/** Of this tab only: a page that is opened anew is silent. */
const keptSound = 'sidestage-sound'

/**
 * Controls of the sound of a video, which begins muted, or as it was in this tab; a browser that allows no sound mutes
 * it again. Calls `changed` when it is another.
 */
export function createSound(video: HTMLVideoElement, changed: () => void) {
  video.muted = storedInTab(keptSound) !== 'on'
  video.defaultMuted = true
  const loudness = Number(stored(keptVolume) ?? 100)
  if (loudness > 0 && loudness <= 100) video.volume = loudness / 100
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
  const keep = (): void => {
    storeInTab(keptSound, video.muted ? 'off' : 'on')
    store(keptVolume, String(Math.round(video.volume * 100)))
  }
  const toggle = (): void => {
    video.muted = !video.muted
    if (!video.muted && video.volume === 0) video.volume = 1
    keep()
  }
  unmute.addEventListener('click', toggle)
  mute.addEventListener('click', toggle)
  volume.addEventListener('input', () => {
    video.volume = Number(volume.value) / 100
    video.muted = video.volume === 0
    keep()
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
    /** After a gesture that asks for the picture: with sound, unless it was turned off in this tab. */
    hear(): void {
      if (storedInTab(keptSound) !== 'off' && video.muted) toggle()
    },
    /** After any gesture: what the browser muted without one, though the person had it on, is heard again. */
    restore(): void {
      if (storedInTab(keptSound) === 'on' && video.muted) toggle()
    },
    draw(isPlaying: boolean): void {
      unmute.hidden = !isPlaying || !video.muted
      redraw(mute, video.muted ? 'silence' : 'sound', `${say(video.muted ? 'unmute' : 'mute')} (M)`)
    },
  }
}
