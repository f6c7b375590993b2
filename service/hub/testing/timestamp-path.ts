/** What timestamps do for a while: both tracks jump, go back, restart or stop, or only audio does. */
export interface Stretch {
  readonly does: 'steady' | 'jump' | 'back' | 'restart' | 'still' | 'held' | 'apart' | 'soundRestarts' | 'soundStill'
  /** Media length in ms, and step of the timestamps at its start. */
  readonly length: number
  readonly by: number
}

/** A push: first timestamp, speed relative to real time, largest random delay, and its stretches. */
export interface TimestampPath {
  readonly start: number
  readonly rate: number
  readonly late: number
  readonly stretches: readonly Stretch[]
}

/** A frame: media time in ms, timestamp, arrival. */
export interface PathFrame {
  readonly kind: 'video' | 'audio'
  readonly made: number
  readonly stamp: number
  readonly arrived: number
  readonly keyFrame: boolean
}

/** Duration of a picture in ms, and of a 44,100 Hz audio frame. */
const pictureEvery = 1000 / 30
const soundEvery = (1024 * 1000) / 44_100
const keyFrameEvery = 30

/** Whether the path has one clock throughout. */
export const isSteady = ({ stretches }: TimestampPath): boolean => stretches.every(({ does }) => does === 'steady')

/** Media length in ms. */
export const lengthOf = ({ stretches }: TimestampPath): number => stretches.reduce((sum, { length }) => sum + length, 0)

/** Frames in order of arrival; `chance` gives numbers from 0 to 1. */
export function* framesOf({ start, rate, late, stretches }: TimestampPath, chance: () => number): Generator<PathFrame> {
  const shift = { video: start, audio: start }
  let pictures = 0
  let sounds = 0
  let until = 0
  let arrived = 0
  for (const { does, length, by } of stretches) {
    const from = until
    until += length
    const begun = { video: shift.video, audio: shift.audio }
    if (does === 'jump') for (const kind of ['video', 'audio'] as const) shift[kind] += by
    if (does === 'back') for (const kind of ['video', 'audio'] as const) shift[kind] -= Math.abs(by) % 3000
    if (does === 'restart') for (const kind of ['video', 'audio'] as const) shift[kind] = -from
    if (does === 'apart') shift.audio += by % 10_000
    if (does === 'soundRestarts') shift.audio = -from
    for (;;) {
      const picture = pictures * pictureEvery
      const sound = sounds * soundEvery
      const kind = picture <= sound ? 'video' : 'audio'
      const made = Math.min(picture, sound)
      if (made >= until) break
      const isStill = does === 'still' || does === 'held' || (does === 'soundStill' && kind === 'audio')
      const stamp = Math.round((isStill ? from : made) + shift[kind]) >>> 0
      arrived = Math.max(arrived, made / rate + late * chance())
      yield {
        kind,
        made,
        stamp,
        arrived: Math.round(arrived),
        keyFrame: kind === 'video' && pictures % keyFrameEvery === 0,
      }
      if (kind === 'video') pictures += 1
      else sounds += 1
    }
    // After `still` the clock resumes where it stopped, after `held` as if it had not.
    if (does === 'still') for (const kind of ['video', 'audio'] as const) shift[kind] = begun[kind] - length
  }
}
