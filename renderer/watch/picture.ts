import { lookAtFlv } from '../player/flv-look.ts'
import { loadFlv } from '../player/flv-transport.ts'
import { loadHls } from '../player/hls-transport.ts'
import { createLowDelay } from '../player/low-delay.ts'
import { createPreview } from '../player/preview.ts'
import { later } from '../data/timer.ts'
import type { WatchState } from '../../contract/watch.ts'
import { abilities, live } from './abilities.ts'
import type { Age } from './age.ts'
import { createAutoHide } from './auto-hide.ts'
import { createCurtain } from './curtain.ts'
import { element, icon, iconButton, redraw } from './element.ts'
import { behindText, createFigures, sizeText } from './figures.ts'
import { loadNative } from './native-transport.ts'
import { root } from './place.ts'
import { createScreenModes } from './screen-modes.ts'
import { createSettingsPanel } from './settings-panel.ts'
import { createStill } from './still.ts'
import { store, stored } from './stored.ts'
import { say } from './words.ts'

/** What the page adds to the picture. */
export interface PictureParts {
  /** Buttons before the settings, and before the full screen. */
  readonly buttons?: readonly HTMLElement[]
  readonly lastButtons?: readonly HTMLElement[]
  /** Shown below the words off the air, while not hidden. */
  readonly offer?: HTMLElement
  readonly age?: Age
  /** The stream broke off. */
  broke?(): void
}

const keptDelay = 'sidestage-delay'
/** After a sleep a picture that is older than what is late, by so many s, is not played any more. */
const stale = 2
const below = (path: string | undefined): string | null => (path === undefined ? null : root + path)

/** Low latency if possible, otherwise HLS; muted until the viewer wants sound. */
export function createPicture(parts: PictureParts = {}) {
  const video = element('video', { playsinline: '', 'aria-label': say('picture') })
  video.muted = true
  video.defaultMuted = true
  const can = abilities(video)
  const curtain = createCurtain(() => {
    isRefused = false
    video.muted = false
    video.play().catch(() => {
      isRefused = true
      draw()
    })
    draw()
  })
  if (parts.offer) curtain.node.append(parts.offer)
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
  const behind = element('button', { type: 'button', class: 'behind', title: say('backToLive') })
  const fellBack = element('span', { class: 'fell-back', role: 'status' })
  const figures = createFigures()
  const still = createStill(video)
  let isSteady = stored(keptDelay) === 'steady'
  const settings = createSettingsPanel({
    steadyOnly: can !== 'buffered',
    steady: isSteady,
    choose(steady) {
      isSteady = steady
      store(keptDelay, steady ? 'steady' : 'low')
      lowDelay?.steady(steady)
      draw()
    },
    figures(shown) {
      figures.node.hidden = !shown
      measure()
    },
  })
  const controls = element(
    'div',
    { class: 'controls' },
    play,
    mute,
    volume,
    behind,
    fellBack,
    element('span', { class: 'grow' }),
    ...(parts.buttons ?? []),
    settings.button,
  )
  const stage = element(
    'div',
    { class: 'stage' },
    video,
    still.node,
    figures.node,
    curtain.node,
    unmute,
    controls,
    settings.panel,
  )
  const modes = createScreenModes(video, stage)
  controls.append(modes.inPicture, ...(parts.lastButtons ?? []), modes.full)
  const node = element('section', { class: 'picture', 'aria-label': say('picture') }, stage)

  let addresses: { flv: string | null; hls: string | null } = { flv: null, hls: null }
  let broken = 0
  let state: WatchState | undefined
  let readAt = 0
  let isPlaying = false
  let isPaused = false
  let isRefused = false
  /** The stream is switched during playback: shows no message. */
  let isSwitching = false
  const autoHide = createAutoHide(stage, controls, () => settings.isOpen() || isPaused || !isPlaying)
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
      transports: { flv: loadFlv, hls: can === 'native' ? loadNative : loadHls },
      after: later,
      now: () => performance.now(),
      // A held picture may stand still too.
      isSilent: () => state?.silent === true || state?.held !== undefined,
    },
    {
      state(now) {
        isPlaying = now === 'playing'
        if (isPlaying) {
          broken = 0
          isRefused = false
          lowDelay?.playing()
        }
        if (now !== 'opening') isSwitching = false
        if (isPlaying || now === 'off') still.node.hidden = true
        draw()
      },
      stopping() {
        if (state?.live) still.keep()
      },
      trouble(reason) {
        if (reason === null) return
        broken += 1
        if (broken === 1) parts.broke?.()
        lowDelay?.broke()
      },
      refused() {
        isRefused = true
        draw()
      },
    },
  )
  const kindOf = (): 'flv' | 'hls' => lowDelay?.kind ?? 'hls'
  preview.use(kindOf())
  node.dataset['kind'] = kindOf()
  if (isSteady) lowDelay?.steady(true)
  const cause = (): string => {
    if (!state) return isPlaying ? '' : say('serviceGone')
    if (state.disabled) return say('channelDisabled')
    if (!state.live) return say(state.next === undefined ? 'notLive' : 'offAir')
    if (can === 'none') return say('unplayable')
    if (state.held !== undefined && !isPaused) return say('held')
    if (isRefused) return say('playRefused')
    if (isPlaying && !isPaused && state.silent) return say('nothingArrives')
    if (isPlaying || isPaused || isSwitching) return ''
    return broken > 0 ? say('pictureBroken') : say('pictureOpening')
  }
  function draw(): void {
    const isHeld = state?.live === true && state.held !== undefined && !isPaused && can !== 'none'
    const heldFor =
      isHeld && state?.held !== undefined ? (state.time - state.held + performance.now() - readAt) / 1000 : undefined
    curtain.show({
      text: cause(),
      note: isHeld ? say('heldNote') : '',
      heldFor,
      refused: isRefused && state?.live === true && !isHeld,
      offer: parts.offer !== undefined && state !== undefined && !state.live && !state.disabled,
    })
    const note = isPlaying && !isSteady && lowDelay?.kind === 'hls' ? say('fellBack') : ''
    if (fellBack.textContent !== note) fellBack.textContent = note
    controls.hidden = state?.live !== true
    if (controls.hidden) settings.close()
    unmute.hidden = !isPlaying || !video.muted
    redraw(mute, video.muted ? 'silence' : 'sound', say(video.muted ? 'unmute' : 'mute'))
    redraw(play, isPaused ? 'play' : 'pause', say(isPaused ? 'play' : 'pause'))
    modes.draw(isPlaying)
  }
  const toggleSound = (): void => {
    video.muted = !video.muted
    if (!video.muted && video.volume === 0) video.volume = 1
  }
  const togglePlay = (): void => {
    if (state?.live !== true) return
    isPaused = !isPaused
    if (isPaused) preview.pause()
    else preview.resume()
    draw()
    measure()
  }
  const toLive = (): void => {
    if (isPaused) return togglePlay()
    const ranges = can === 'native' ? video.seekable : video.buffered
    if (ranges.length === 0) return
    const newest = ranges.end(ranges.length - 1) - live[kindOf()].back
    if (newest > video.currentTime) video.currentTime = newest
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
  play.addEventListener('click', togglePlay)
  behind.addEventListener('click', toLive)
  function measure(): void {
    const now = isPlaying || isPaused ? preview.figures() : undefined
    const isMoving = isPlaying && !isPaused && state?.silent !== true && state?.held === undefined
    const delay = (isMoving ? parts.age?.of(now?.shown) : undefined) ?? null
    const text = isPaused ? say('pausedHere') : delay === null ? '' : behindText(delay)
    if (behind.textContent !== text) behind.textContent = text
    behind.hidden = text === ''
    const late = live[kindOf()].late + (parts.age?.delay() ?? 0)
    behind.dataset['late'] = String(isPaused || (delay !== null && delay > late))
    settings.show({
      size: sizeText(video.videoHeight, now?.fps ?? null),
      steady: kindOf() === 'hls',
      behind: delay === null ? '' : text,
    })
    if (!figures.node.hidden) figures.show(now, delay, video, kindOf())
    if (state?.held !== undefined) draw()
  }
  setInterval(measure, 1000)
  draw()
  measure()
  return {
    node,
    stage,
    /** For keys and other parts of the page. */
    actions: {
      play: togglePlay,
      mute: toggleSound,
      full: modes.toggleFull,
      inPicture: modes.toggleInPicture,
      wake: autoHide.wake,
      closeSettings: settings.close,
    },
    /** After a sleep: goes on with the picture of now. */
    awake(): void {
      const old = isPlaying ? (parts.age?.of(preview.figures()?.shown) ?? 0) : Infinity
      if (old - (parts.age?.delay() ?? 0) < live[kindOf()].late + stale) return
      isSwitching = isPlaying
      lowDelay?.renew()
      preview.again()
    },
    /** Undefined while the service does not answer, which leaves a running picture alone. */
    show(next: WatchState | undefined): void {
      // Another push, or none: failures of the last one do not count.
      if (state && next && (state.live !== next.live || state.since !== next.since)) lowDelay?.renew()
      state = next
      readAt = performance.now()
      if (next?.live) {
        addresses = { flv: below(next.flv), hls: below(next.hls) }
        if (can !== 'none') preview.live()
      } else if (next) {
        broken = 0
        isRefused = false
        preview.idle()
      }
      draw()
    },
  }
}
