import type { WatchState } from '../../contract/watch.ts'
import type { Held, Motion } from './motion.ts'
import type { StreamTrouble } from './stream-trouble.ts'
import { say, span, timeOfDay } from './words.ts'

/** What decides what is said over the picture. */
export interface PictureStand {
  /** Of the last answer; undefined while the service does not answer. */
  readonly state: WatchState | undefined
  /** The service was asked and has answered, or was waited for in vain. */
  readonly isAsked: boolean
  /** This browser can play it. */
  readonly canPlay: boolean
  readonly isPlaying: boolean
  readonly isPaused: boolean
  /** The browser waits for a tap. */
  readonly isRefused: boolean
  /** Another stream is opened in the place of one that played. */
  readonly isSwitching: boolean
  /** The show is over, and what this player has of it plays. */
  readonly isFinishing: boolean
  /** It played since this push began. */
  readonly hasPlayed: boolean
  /** The page saw a show. */
  readonly hadShow: boolean
  /** The service told when that ended; one that was started anew does not know. */
  readonly hasEnd: boolean
  readonly trouble: { readonly now: StreamTrouble }
  readonly motion: Pick<Motion, 'held' | 'hasStopped' | 'standsLong'>
  /** The line is too slow for low delay. */
  readonly isSlow: boolean
  /** The last one, or that of the stream, is shown. */
  readonly hasPicture: boolean
}

/** What this viewer sees of a hold. */
export const heldIn = ({ state, isPaused, canPlay, motion }: PictureStand): Held | undefined =>
  state?.live === true && !isPaused && canPlay ? motion.held() : undefined

/** In ms. */
const young = 10_000
/** Whether a show began so recently that its playlist may list too little to be played without a break. */
export const isYoung = (state: WatchState | undefined): boolean =>
  state?.since !== undefined && state.time - state.since < young + (state.newest?.delay ?? 0)

/** What is said over the picture; empty for nothing. */
export function pictureWords(stand: PictureStand): string {
  const { state, isAsked, canPlay, isPlaying, isPaused, isRefused, isSwitching, hasPlayed, hasPicture, motion } = stand
  const trouble = stand.trouble.now
  const hasStopped = !isPaused && (isPlaying ? motion.hasStopped() : hasPlayed && motion.standsLong())
  if (!state) return (isPlaying && !hasStopped) || !isAsked ? '' : say('serviceGone')
  if (state.disabled) return say('channelDisabled')
  if (stand.isFinishing) return ''
  if (!state.live && stand.hadShow) {
    if (stand.hasEnd) return say(state.next === undefined ? 'ended' : 'endedOffAir')
    return say(state.next === undefined ? 'torn' : 'tornOffAir')
  }
  if (!state.live && state.ended !== undefined)
    return say(state.next === undefined ? 'endedAt' : 'endedAtOffAir', { time: timeOfDay(state.ended) })
  if (!state.live) return say(state.next === undefined ? 'notLive' : 'offAir')
  if (!canPlay) return say('unplayable')
  const held = heldIn(stand)
  if (held) return held.growsTo === undefined ? say('held') : say('delayGrows', { time: span(held.growsTo / 1000) })
  if (isRefused) return say('playRefused')
  if (isPlaying && !isPaused && state.silent) return say('nothingArrives')
  if (stand.isSlow && isSwitching) return say('lineSlow')
  if (hasStopped) return say(stand.isSlow ? 'lineTooSlow' : 'pictureBroken')
  if (isPaused) return ''
  if (isPlaying || isSwitching) return hasPicture ? '' : say('pictureOpening')
  if (trouble === 'none') return say('pictureOpening')
  if (!hasPlayed) return say(trouble === 'new' ? 'pictureOpening' : 'pictureNotYet')
  if (trouble === 'lasting') return say('pictureBroken')
  return hasPicture ? '' : say('pictureOpening')
}
