import { inBackground } from '../background.ts'
import { lookAtFlv } from '../player/flv-look.ts'
import { startFlv } from '../player/flv-transport.ts'
import { startHls } from '../player/hls-transport.ts'
import { createLowDelay } from '../player/low-delay.ts'
import { createPreview } from '../player/preview.ts'
import { later } from '../data/timer.ts'
import type { WatchState } from '../../contract/watch.ts'
import { element, icon } from './element.ts'
import { startNative } from './native-transport.ts'
import { root } from './place.ts'
import { say } from './words.ts'

/** `buffered`: both streams. */
function abilities(video: HTMLVideoElement): 'buffered' | 'hls' | 'native' | 'none' {
  if ('MediaSource' in window) return 'buffered'
  if ('ManagedMediaSource' in window) return 'hls'
  return video.canPlayType('application/vnd.apple.mpegurl') === '' ? 'none' : 'native'
}

const below = (path: string | undefined): string | null => (path === undefined ? null : root + path)
const iconButton = (name: Parameters<typeof icon>[0], label: string): HTMLButtonElement =>
  element('button', { type: 'button', class: 'control', 'aria-label': label, title: label }, icon(name))
function show(button: HTMLButtonElement, name: Parameters<typeof icon>[0], label: string): void {
  button.replaceChildren(icon(name))
  button.setAttribute('aria-label', label)
  button.title = label
}

/** Low latency if possible, otherwise HLS; muted until the viewer wants sound. */
export function createPicture() {
  const video = element('video', { playsinline: '', 'aria-label': say('picture') })
  video.muted = true
  video.defaultMuted = true
  const cover = element('div', { class: 'cover', role: 'status' })
  const unmute = element('button', { type: 'button', class: 'sound' }, icon('silence'), say('sound'))
  const play = iconButton('pause', say('pause'))
  const mute = iconButton('silence', say('unmute'))
  const volume = element('input', {
    type: 'range',
    min: '0',
    max: '100',
    value: '100',
    class: 'volume',
    'aria-label': say('volume'),
  })
  const behind = element('span', { class: 'behind' })
  const fellBack = element('span', { class: 'fell-back', role: 'status' })
  const full = iconButton('full', say('fullScreen'))
  const still = element('canvas', { 'aria-hidden': 'true' })
  still.hidden = true
  const stage = element('div', { class: 'stage' }, video, still, cover, unmute)
  const controls = element(
    'div',
    { class: 'controls' },
    play,
    mute,
    volume,
    behind,
    fellBack,
    element('span', { class: 'grow' }),
    full,
  )
  const node = element('section', { class: 'picture', 'aria-label': say('picture') }, stage, controls)

  const can = abilities(video)
  let addresses: { flv: string | null; hls: string | null } = { flv: null, hls: null }
  let broken = 0
  let state: WatchState | undefined
  let isPlaying = false
  let isPaused = false
  /** The stream is switched during playback: shows no message. */
  let isSwitching = false
  const keepStill = (): void => {
    if (video.videoWidth === 0 || video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return
    still.width = video.videoWidth
    still.height = video.videoHeight
    still.getContext('2d')?.drawImage(video, 0, 0)
    still.hidden = false
  }
  const lowDelay =
    can === 'buffered'
      ? createLowDelay({
          after: later,
          random: Math.random,
          async look() {
            if (addresses.flv === null || isPaused || state?.live !== true) return false
            const { keyFrame, media } = await lookAtFlv(addresses.flv, new AbortController().signal)
            return keyFrame && media > 0 && !isPaused
          },
          use(kind) {
            node.dataset['kind'] = kind
            isSwitching = isPlaying
            // Not while the preview handles its own event.
            queueMicrotask(() => preview.use(kind))
          },
        })
      : undefined

  const preview = createPreview(
    video,
    {
      open: () => Promise.resolve(addresses),
      transports: { flv: startFlv, hls: can === 'native' ? startNative : startHls },
      after: later,
      now: () => performance.now(),
      isSilent: () => state?.silent === true,
    },
    {
      state(now) {
        isPlaying = now === 'playing'
        if (isPlaying) {
          broken = 0
          lowDelay?.playing()
        }
        if (now !== 'opening') isSwitching = false
        if (isPlaying || now === 'off') still.hidden = true
        draw()
      },
      stopping() {
        if (state?.live) keepStill()
      },
      trouble(reason) {
        if (reason === null) return
        broken += 1
        lowDelay?.broke()
      },
    },
  )
  const first = lowDelay?.kind ?? 'hls'
  preview.use(first)
  node.dataset['kind'] = first

  const cause = (): string => {
    if (!state) return isPlaying ? '' : say('serviceGone')
    if (state.disabled) return say('channelDisabled')
    if (!state.live) return say('notLive')
    if (can === 'none') return say('unplayable')
    if (isPlaying && !isPaused && state.silent) return say('nothingArrives')
    if (isPlaying || isPaused || isSwitching) return ''
    return broken > 0 ? say('pictureBroken') : say('pictureOpening')
  }
  function draw(): void {
    const text = cause()
    if (cover.textContent !== text) cover.textContent = text
    cover.hidden = text === ''
    const note = isPlaying && lowDelay?.kind === 'hls' ? say('fellBack') : ''
    if (fellBack.textContent !== note) fellBack.textContent = note
    controls.hidden = state?.live !== true
    unmute.hidden = !isPlaying || !video.muted
    show(mute, video.muted ? 'silence' : 'sound', say(video.muted ? 'unmute' : 'mute'))
    show(play, isPaused ? 'play' : 'pause', say(isPaused ? 'play' : 'pause'))
  }
  const toggleSound = (): void => {
    video.muted = !video.muted
    if (!video.muted && video.volume === 0) video.volume = 1
  }
  unmute.addEventListener('click', toggleSound)
  mute.addEventListener('click', toggleSound)
  volume.addEventListener('input', () => {
    video.volume = Number(volume.value) / 100
    video.muted = video.volume === 0
  })
  video.addEventListener('volumechange', () => {
    volume.value = String(video.muted ? 0 : Math.round(video.volume * 100))
    draw()
  })
  play.addEventListener('click', () => {
    isPaused = !isPaused
    if (isPaused) preview.pause()
    else preview.resume()
    draw()
  })
  full.hidden = !document.fullscreenEnabled
  full.addEventListener('click', () => {
    if (document.fullscreenElement) inBackground(document.exitFullscreen())
    else inBackground(stage.requestFullscreen())
  })
  setInterval(() => {
    const delay = isPlaying && !isPaused && state?.silent !== true ? (preview.figures()?.delay ?? null) : null
    behind.textContent = delay === null ? '' : say('behind', { seconds: delay.toFixed(1) })
  }, 1000)

  draw()
  return {
    node,
    /** Undefined while the service does not answer, which leaves a running picture alone. */
    show(next: WatchState | undefined): void {
      // Another push, or none: failures of the last one do not count.
      if (state && next && (state.live !== next.live || state.since !== next.since)) lowDelay?.renew()
      state = next
      if (next?.live) {
        addresses = { flv: below(next.flv), hls: below(next.hls) }
        if (can !== 'none') preview.live()
      } else if (next) {
        broken = 0
        preview.idle()
      }
      draw()
    },
  }
}
