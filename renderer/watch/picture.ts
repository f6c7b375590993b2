import { loadHls } from '../player/hls-transport.ts'
import { createPreview } from '../player/preview.ts'
import { later } from '../data/timer.ts'
import type { WatchState } from '../../contract/watch.ts'
import { abilities, live, toNewest } from './abilities.ts'
import { createAutoHide } from './auto-hide.ts'
import { createCurtain } from './curtain.ts'
import { element, iconButton, redraw } from './element.ts'
import { createFigures } from './figures.ts'
import { createMeasure } from './measure.ts'
import { createMotion } from './motion.ts'
import { loadNative } from './native-transport.ts'
import { streamOf } from './page-id.ts'
import type { PictureParts } from './picture-parts.ts'
import { heldIn, isYoung, pictureWords, type PictureStand } from './picture-words.ts'
import { createScreenModes } from './screen-modes.ts'
import { createSettingsPanel } from './settings-panel.ts'
import { createSound } from './sound.ts'
import { stageOf } from './stage.ts'
import { createStill } from './still.ts'
import { store, stored } from './stored.ts'
import { createStreamTrouble } from './stream-trouble.ts'
import { createWay } from './way.ts'
import { say } from './words.ts'

const keptDelay = 'sidestage-delay'
/** After a sleep a picture that is older than what is late, by so many s, is not played any more. */
const stale = 2

/** Low latency if possible, otherwise HLS; muted until the viewer wants sound. */
export function createPicture(parts: PictureParts = {}) {
  const video = element('video', { playsinline: '', 'aria-label': say('picture') })
  const can = abilities(video)
  const refuse = (isNow: boolean): void => {
    isRefused = isNow
    draw()
  }
  const begin = (): void => {
    sound.hear()
    refuse(false)
    video.play().catch(() => refuse(true))
  }
  const curtain = createCurtain(begin)
  if (parts.offer) curtain.node.append(parts.offer)
  const sound = createSound(video, () => draw())
  const play = iconButton('pause', say('pause'))
  const behind = element('button', { type: 'button', class: 'behind', title: say('backToLive') })
  const fellBack = element('span', { class: 'fell-back', role: 'status' })
  const figures = createFigures()
  const still = createStill(video)
  const isSteady = stored(keptDelay) === 'steady'
  const settings = createSettingsPanel({
    steadyOnly: can !== 'buffered',
    steady: isSteady,
    choose(steady) {
      store(keptDelay, steady ? 'steady' : 'low')
      way.steady(steady)
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
  /** The last one, also while the service does not answer. */
  let known: WatchState | undefined
  let isAsked = false
  let isPlaying = false
  let isPaused = false
  let isRefused = false
  /** The show is over, and what this player has of it plays. */
  let isFinishing = false
  /** The page saw a show. */
  let hadShow = false
  /** The service told when that ended. */
  let hasEnd = false
  /** The stream is switched during playback: shows no message. */
  let isSwitching = false
  const overcome = (): void => {
    trouble.over()
    isRefused = false
  }
  const autoHide = createAutoHide(stage, controls, () => settings.isOpen() || isPaused || !isPlaying)
  const way = createWay(can === 'buffered', {
    flv: () => (isPaused || state?.live !== true ? null : addresses.flv),
    figures: () => preview.figures(),
    use(kind) {
      node.dataset['kind'] = kind
      isSwitching = isPlaying
      // Not while the preview handles its own event.
      queueMicrotask(() => preview.use(kind))
    },
    changed: () => draw(),
  })
  const preview = createPreview(
    video,
    {
      open: () => Promise.resolve(addresses),
      transports: { flv: way.loadFlv, hls: can === 'native' ? loadNative : loadHls },
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
          way.playing()
        }
        if (now !== 'opening') isSwitching = false
        if (now === 'off') {
          isFinishing = false
          way.closed()
        }
        if (isPlaying || now === 'off') still.node.hidden = true
        draw()
        // How far behind another picture was is not said of this one.
        measure()
        parts.playing?.(isPlaying)
      },
      stopping() {
        if (state?.live !== false) still.keep()
        if (isPaused) way.closed()
      },
      trouble(reason) {
        if (reason === null) return
        if (trouble.begins()) {
          isHeard = false
          parts.broke?.()
        }
        way.broke()
      },
      refused: () => refuse(true),
    },
  )
  preview.use(way.kind())
  node.dataset['kind'] = way.kind()
  if (isSteady) way.steady(true)
  const motion = createMotion(video, {
    isPlaying: () => isPlaying,
    isPaused: () => isPaused,
    lag: () => live[way.kind()].late * 1000,
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
    hasEnd,
    trouble,
    motion,
    // Without an answer it is lost.
    isSlow: way.isSlow() && (isHeard || trouble.now !== 'lasting'),
    hasPicture: !still.node.hidden || motion.hasPicture(),
  })
  function draw(): void {
    const now = stand()
    const held = heldIn(now)
    curtain.show({
      text: pictureWords(now),
      note: held === undefined ? '' : say(state?.noPicture && !now.hasPicture ? 'heldNoPicture' : 'heldNote'),
      heldFor: held && held.length / 1000,
      goesOnIn: held?.goesOnIn,
      refused: isRefused && state?.live === true && held === undefined,
      offer: parts.offer !== undefined && state?.live === false && !state.disabled && !isFinishing,
    })
    const word = isPlaying ? way.note() : ''
    const note = word === '' ? '' : say(word)
    if (fellBack.textContent !== note) fellBack.textContent = note
    controls.hidden = state?.live !== true && !isFinishing
    if (controls.hidden) settings.close()
    sound.draw(isPlaying)
    const next = isPaused || isRefused ? 'play' : 'pause'
    redraw(play, next, `${say(next)} (${say('spaceKey')})`)
    modes.draw(isPlaying)
  }
  const togglePlay = (): void => {
    if (state?.live !== true && !isFinishing) return
    if (isRefused && !isPaused) return begin()
    isPaused = !isPaused
    if (isPaused) preview.pause()
    else preview.resume()
    draw()
    measure()
  }
  const toLive = (): void => (isPaused ? togglePlay() : toNewest(video, live[way.kind()].back))
  play.addEventListener('click', togglePlay)
  behind.addEventListener('click', toLive)
  stage.addEventListener('click', sound.restore)
  const measured = createMeasure(video, { behind, settings, figures }, parts.age, () => ({
    figures: isPlaying || isPaused ? preview.figures() : undefined,
    isMoving: isPlaying && !isPaused && state?.silent !== true && motion.held() === undefined,
    isPaused,
    kind: way.kind(),
  }))
  function measure(): number | undefined {
    if (motion.held()) draw()
    return measured()
  }
  setInterval(() => way.look(measure()), 1000)
  draw()
  measure()
  return {
    node,
    stage,
    /** For keys and other parts of the page. */
    actions: {
      play: togglePlay,
      sound,
      full: modes.toggleFull,
      inPicture: modes.toggleInPicture,
      wake: autoHide.wake,
    },
    /** What there is of a show that is over plays. */
    isFinishing: () => isFinishing,
    /** After a sleep: goes on with the picture of now. */
    awake(): void {
      const old = isPlaying ? (parts.age?.of(preview.figures()?.shown) ?? 0) : Infinity
      if (old - (parts.age?.delay() ?? 0) < live[way.kind()].late + stale) return
      isSwitching = isPlaying
      way.renew()
      preview.again()
    },
    /** Undefined while the service does not answer, which leaves a running picture alone. */
    show(next: WatchState | undefined): void {
      // Another push, or none: failures of the last one do not count.
      if (known && next && (known.live !== next.live || known.since !== next.since)) {
        way.anew()
        trouble.over()
        hasPlayed = false
      }
      // The browser may wait long on connections of before the break.
      const isBack = !isPlaying && (trouble.now === 'lasting' ? !isHeard : isAsked && !state)
      if (next) {
        isHeard = true
        way.heard()
      }
      known = next ?? known
      state = next
      isAsked = true
      motion.tell(next)
      if (next?.live) {
        isFinishing = false
        hadShow = true
        hasEnd = false
        addresses = { flv: streamOf(next.flv), hls: streamOf(next.hls) }
        if (isBack) way.back()
        if (can !== 'none') preview.live()
        if (isBack) preview.again()
      } else if (next) {
        overcome()
        hasEnd ||= next.ended !== undefined
        // Nobody watches on who may not any more.
        if (isPlaying && !next.disabled && next.gate === undefined) isFinishing = preview.finish()
        else preview.idle()
      }
      draw()
    },
  }
}
