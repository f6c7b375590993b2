import { lookAtFlv } from '../player/flv-look.ts'
import { loadFlv } from '../player/flv-transport.ts'
import { loadHls } from '../player/hls-transport.ts'
import { createLowDelay } from '../player/low-delay.ts'
import { createPreview } from '../player/preview.ts'
import { later } from '../data/timer.ts'
import type { WatchState } from '../../contract/watch.ts'
import { abilities, live } from './abilities.ts'
import { createAutoHide } from './auto-hide.ts'
import { createCurtain } from './curtain.ts'
import { element, iconButton, redraw } from './element.ts'
import { behindText, createFigures, sizeText } from './figures.ts'
import { createMotion } from './motion.ts'
import { loadNative } from './native-transport.ts'
import { streamOf } from './page-id.ts'
import type { PictureParts } from './picture-parts.ts'
import { goesOnIn, heldIn, isYoung, pictureWords, type PictureStand } from './picture-words.ts'
import { createScreenModes } from './screen-modes.ts'
import { createSettingsPanel } from './settings-panel.ts'
import { createSound } from './sound.ts'
import { createSlowLine } from './slow-line.ts'
import { stageOf } from './stage.ts'
import { createStill } from './still.ts'
import { store, stored } from './stored.ts'
import { createStreamTrouble } from './stream-trouble.ts'
import { say } from './words.ts'

const keptDelay = 'sidestage-delay'
/** After a sleep a picture that is older than what is late, by so many s, is not played any more. */
const stale = 2

/** Low latency if possible, otherwise HLS; muted until the viewer wants sound. */
export function createPicture(parts: PictureParts = {}) {
  const video = element('video', { playsinline: '', 'aria-label': say('picture') })
  const can = abilities(video)
  const curtain = createCurtain(() => {
    isRefused = false
    sound.hear()
    video.play().catch(() => {
      isRefused = true
      draw()
    })
    draw()
  })
  if (parts.offer) curtain.node.append(parts.offer)
  const sound = createSound(video, () => draw())
  const play = iconButton('pause', say('pause'))
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
      slowLine.forget()
      draw()
    },
    figures(shown) {
      figures.node.hidden = !shown
      measure()
    },
  })
  const { controls, stage } = stageOf(video, {
    below: [still.node, figures.node, curtain.node, sound.unmute],
    controls: [play, sound.mute, sound.volume, behind, fellBack],
    options: [...(parts.buttons ?? []), settings.button],
    panel: settings.panel,
  })
  const modes = createScreenModes(video, stage)
  controls.append(modes.inPicture, ...(parts.lastButtons ?? []), modes.full)
  const node = element('section', { class: 'picture', 'aria-label': say('picture') }, stage)

  let addresses: { flv: string | null; hls: string | null } = { flv: null, hls: null }
  let isHeard = false
  const trouble = createStreamTrouble(() => {
    if (!isHeard) parts.lost?.()
    draw()
  })
  let hasPlayed = false
  let state: WatchState | undefined
  let isAsked = false
  let isPlaying = false
  let isPaused = false
  let isRefused = false
  /** The show is over, and what this player has of it plays. */
  let isFinishing = false
  /** The page saw a show. */
  let hadShow = false
  /** The stream is switched during playback: shows no message. */
  let isSwitching = false
  const overcome = (): void => {
    trouble.over()
    isRefused = false
  }
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
      isYoung: () => isYoung(state),
    },
    {
      state(now) {
        isPlaying = now === 'playing'
        if (isPlaying) {
          overcome()
          hasPlayed = true
          lowDelay?.playing()
        }
        if (now !== 'opening') isSwitching = false
        if (now === 'off') isFinishing = false
        if (isPlaying || now === 'off') still.node.hidden = true
        draw()
        // How far behind another picture was is not said of this one.
        measure()
        parts.playing?.(isPlaying)
      },
      stopping() {
        if (state?.live) still.keep()
      },
      trouble(reason) {
        if (reason === null) return
        if (trouble.begins()) {
          isHeard = false
          parts.broke?.()
        }
        lowDelay?.broke()
      },
      refused() {
        isRefused = true
        draw()
      },
    },
  )
  const slowLine = createSlowLine(() => lowDelay?.tooSlow())
  const kindOf = (): 'flv' | 'hls' => lowDelay?.kind ?? 'hls'
  preview.use(kindOf())
  node.dataset['kind'] = kindOf()
  if (isSteady) lowDelay?.steady(true)
  const motion = createMotion(video, {
    isPlaying: () => isPlaying,
    lag: () => live[kindOf()].late * 1000,
    changed: () => draw(),
    stands: () => parts.broke?.(),
  })
  const stand = (): PictureStand => ({
    state,
    isAsked,
    canPlay: can !== 'none',
    isPlaying,
    isPaused,
    isRefused,
    isSwitching,
    isFinishing,
    hasPlayed,
    hadShow,
    trouble,
    motion,
    isSlow: slowLine.isSlow(),
    hasPicture: !still.node.hidden || motion.hasPicture(),
  })
  function draw(): void {
    const now = stand()
    const held = heldIn(now)
    curtain.show({
      text: pictureWords(now),
      note: held === undefined ? '' : say(state?.noPicture && !now.hasPicture ? 'heldNoPicture' : 'heldNote'),
      heldFor: held && held.length / 1000,
      goesOnIn: held && goesOnIn(held, parts.age?.delay() ?? 0),
      refused: isRefused && state?.live === true && held === undefined,
      offer: parts.offer !== undefined && state?.live === false && !state.disabled && !isFinishing,
    })
    const note =
      isPlaying && !isSteady && lowDelay?.kind === 'hls' ? say(slowLine.isSlow() ? 'lineSlow' : 'fellBack') : ''
    if (fellBack.textContent !== note) fellBack.textContent = note
    controls.hidden = state?.live !== true && !isFinishing
    if (controls.hidden) settings.close()
    sound.draw(isPlaying)
    redraw(play, isPaused ? 'play' : 'pause', `${say(isPaused ? 'play' : 'pause')} (${say('spaceKey')})`)
    modes.draw(isPlaying)
  }
  const togglePlay = (): void => {
    if (state?.live !== true && !isFinishing) return
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
  play.addEventListener('click', togglePlay)
  behind.addEventListener('click', toLive)
  function measure(): void {
    const now = isPlaying || isPaused ? preview.figures() : undefined
    const isMoving = isPlaying && !isPaused && state?.silent !== true && motion.held() === undefined
    const delay = (isMoving ? parts.age?.of(now?.shown) : undefined) ?? null
    const unknown = isMoving && now?.isUndated ? say('behindUnknown') : ''
    const text = isPaused ? say('pausedHere') : delay === null ? unknown : behindText(delay)
    if (behind.textContent !== text) behind.textContent = text
    behind.hidden = text === ''
    const kept = parts.age?.delay() ?? 0
    if (kindOf() === 'flv' && !document.hidden) slowLine.look(delay === null ? undefined : delay - kept)
    const late = live[kindOf()].late + kept
    behind.dataset['late'] = String(isPaused || (delay !== null && delay > late))
    settings.show({
      size: sizeText(video.videoHeight, now?.fps ?? null),
      steady: kindOf() === 'hls',
      behind: delay === null ? '' : text,
    })
    if (!figures.node.hidden) figures.show(now, delay, video, kindOf())
    if (motion.held()) draw()
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
      mute: sound.toggle,
      hear: sound.hear,
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
      if (state && next && (state.live !== next.live || state.since !== next.since)) {
        lowDelay?.renew()
        slowLine.forget()
        hasPlayed = false
      }
      // The browser may wait long on connections of before the break.
      const isBack = can === 'native' && !isPlaying && (trouble.now === 'lasting' ? !isHeard : isAsked && !state)
      isHeard ||= next !== undefined
      state = next
      isAsked = true
      motion.tell(next)
      if (next?.live) {
        isFinishing = false
        hadShow = true
        addresses = { flv: streamOf(next.flv), hls: streamOf(next.hls) }
        if (isBack) preview.again()
        else if (can !== 'none') preview.live()
      } else if (next) {
        overcome()
        // Nobody watches on who may not any more.
        if (isPlaying && !next.disabled && next.gate === undefined) isFinishing = preview.finish()
        else preview.idle()
      }
      draw()
    },
  }
}
