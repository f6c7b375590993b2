import type { WatchState } from '../../contract/watch.ts'
import type { StreamTrouble } from './stream-trouble.ts'
import { say, span } from './words.ts'

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
  /** It played since this push began. */
  readonly hasPlayed: boolean
  readonly trouble: StreamTrouble
}

/** Whether viewers see a held picture. */
export const isHeld = ({ state, isPaused, canPlay }: PictureStand): boolean =>
  state?.live === true && state.held !== undefined && !isPaused && canPlay

/** What is said over the picture; empty for nothing. */
export function pictureWords(stand: PictureStand): string {
  const { state, isAsked, canPlay, isPlaying, isPaused, isRefused, isSwitching, hasPlayed, trouble } = stand
  if (!state) return isPlaying || !isAsked ? '' : say('serviceGone')
  if (state.disabled) return say('channelDisabled')
  if (!state.live) return say(state.next === undefined ? 'notLive' : 'offAir')
  if (!canPlay) return say('unplayable')
  if (isHeld(stand))
    return state.growsTo === undefined ? say('held') : say('delayGrows', { time: span(state.growsTo / 1000) })
  if (isRefused) return say('playRefused')
  if (isPlaying && !isPaused && state.silent) return say('nothingArrives')
  if (isPlaying || isPaused || isSwitching) return ''
  if (trouble === 'none') return say('pictureOpening')
  if (!hasPlayed) return say(trouble === 'new' ? 'pictureOpening' : 'pictureNotYet')
  return trouble === 'new' ? '' : say('pictureBroken')
}
