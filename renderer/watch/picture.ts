import { inBackground } from '../background.ts'
import { startFlv } from '../player/flv-transport.ts'
import { startHls } from '../player/hls-transport.ts'
import { createPreview } from '../player/preview.ts'
import type { TransportKind } from '../player/transport.ts'
import type { WatchState } from '../../contract/watch.ts'
import { element, icon } from './element.ts'
import { startNative } from './native-transport.ts'
import { root } from './place.ts'
import { say } from './words.ts'

/** Attempts with the low latency stream that break before the page takes HLS instead. */
const patience = 2

/** The picture of a channel with its controls. */
export interface Picture {
  readonly node: HTMLElement
  /** Shows what the service says; undefined while it does not answer, when a running picture is left alone. */
  show(state: WatchState | undefined): void
}

/** Which streams this browser plays: both, HLS by itself, or none. */
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

/** Makes the picture: low latency where the browser can, HLS when that breaks or cannot be, muted until a person wants sound. */
export function createPicture(): Picture {
  const video = element('video', { playsinline: '', 'aria-label': say('picture') })
  video.muted = true
  video.defaultMuted = true
  const cover = element('div', { class: 'cover', role: 'status' })
  const unmute = element('button', { type: 'button', class: 'sound' }, icon('silence'), say('sound'))
  const play = iconButton('pause', say('pause'))
  const mute = iconButton('silence', say('unmute'))
  const volume = element('input', { type: 'range', min: '0', max: '100', value: '100', class: 'volume', 'aria-label': say('volume') })
  const behind = element('span', { class: 'behind' })
  const full = iconButton('full', say('fullScreen'))
  const stage = element('div', { class: 'stage' }, video, cover, unmute)
  const controls = element('div', { class: 'controls' }, play, mute, volume, behind, element('span', { class: 'grow' }), full)
  const node = element('section', { class: 'picture', 'aria-label': say('picture') }, stage, controls)

  const can = abilities(video)
  let addresses: { flv: string | null; hls: string | null } = { flv: null, hls: null }
  let kind: TransportKind = can === 'buffered' ? 'flv' : 'hls'
  let broken = 0
  let state: WatchState | undefined
  let isPlaying = false
  let isPaused = false

  const preview = createPreview(
    video,
    {
      open: () => Promise.resolve(addresses),
      transports: { flv: startFlv, hls: can === 'native' ? startNative : startHls },
      after(milliseconds, action) {
        const timer = setTimeout(action, milliseconds)
        return () => clearTimeout(timer)
      },
      now: () => performance.now(),
      isSilent: () => state?.silent === true,
    },
    {
      state(now) {
        isPlaying = now === 'playing'
        if (isPlaying) broken = 0
        draw()
      },
      stopping: () => undefined,
      trouble(reason) {
        if (reason === null) return
        broken += 1
        // Not within the preview's own step.
        if (kind === 'flv' && broken >= patience)
          queueMicrotask(() => {
            kind = 'hls'
            node.dataset['kind'] = kind
            preview.use(kind)
          })
      },
    },
  )
  node.dataset['kind'] = kind

  const cause = (): string => {
    if (!state) return isPlaying ? '' : say('serviceGone')
    if (state.disabled) return say('channelDisabled')
    if (!state.live) return say('notLive')
    if (can === 'none') return say('unplayable')
    if (isPlaying || isPaused) return ''
    return broken > 0 ? say('pictureBroken') : say('pictureOpening')
  }
  function draw(): void {
    const text = cause()
    if (cover.textContent !== text) cover.textContent = text
    cover.hidden = text === ''
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
    show(next) {
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
