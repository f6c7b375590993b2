/** What the timestamps of a push do for a while: both tracks jump, go back, begin anew or stand still, or the sound alone does something. */
export interface Stretch {
  readonly does: 'steady' | 'jump' | 'back' | 'restart' | 'still' | 'held' | 'apart' | 'soundRestarts' | 'soundStill'
  /** Media of the stretch in ms, and how far timestamps move at its begin. */
  readonly length: number
  readonly by: number
}

/** A push: its first timestamp, how often faster than real time it comes, the most that arrivals are late by chance, and what its timestamps do. */
export interface TimestampPath {
  readonly start: number
  readonly rate: number
  readonly late: number
  readonly stretches: readonly Stretch[]
}

/** A frame of such a push: when it was made in ms of media, how the encoder calls that, and when it arrives. */
export interface PathFrame {
  readonly kind: 'video' | 'audio'
  readonly made: number
  readonly stamp: number
  readonly arrived: number
  readonly keyFrame: boolean
}

/** Frames per 1,000 s of the picture, and samples of a frame of sound at 44,100 Hz. */
const pictureEvery = 1000 / 30
const soundEvery = (1024 * 1000) / 44_100
const keyFrameEvery = 30

/** Whether the path is one clock from its begin to its end. */
export const isSteady = ({ stretches }: TimestampPath): boolean => stretches.every(({ does }) => does === 'steady')

/** Length of the media in ms. */
export const lengthOf = ({ stretches }: TimestampPath): number => stretches.reduce((sum, { length }) => sum + length, 0)

/** The frames of a path in the order in which they come; `chance` gives numbers from 0 to 1. */
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
    // After `still` the clock goes on where it stood, after `held` as if nothing had been.
    if (does === 'still') for (const kind of ['video', 'audio'] as const) shift[kind] = begun[kind] - length
  }
}
