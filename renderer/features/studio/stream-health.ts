import type { Figures } from '../../../contract/rpc/state.ts'

/** How a push does, in one word. */
export type HealthWord = 'good' | 'fair' | 'poor' | 'unknown' | 'lost'

/** What is wrong with a push, the likeliest root first: a slow line also loses frames, and lost frames also lower the bitrate. */
export const healthCauses = [
  'silent',
  'behind',
  'ahead',
  'frames',
  'soundMissing',
  'soundGaps',
  'keyFrames',
  'bitrate',
  'uneven',
] as const
/** What is wrong with a push. */
export type HealthCause = (typeof healthCauses)[number]

/** A word with its cause; `settling` is after a silence, `measuring` after the begin of the push. */
export interface HealthJudgement {
  readonly word: HealthWord
  readonly cause: HealthCause | 'lost' | 'idle' | 'measuring' | 'settling' | 'notGiven' | null
  /** The figure that the cause is about, in the unit of its sentence: s, frames per second, kbit/s or per cent. */
  readonly value: number | null
}

/** A judgement in force with what may follow it. */
export interface StreamHealth extends HealthJudgement {
  /** What was measured meanwhile and since when, in ms; null while it says the same. */
  readonly next: (HealthJudgement & { readonly since: number }) | null
  /** Until when figures settle after a silence, in ms: they are measured over it; null without one. */
  readonly settles: number | null
}

/** What is judged. */
export interface HealthReading {
  readonly local: boolean
  readonly live: boolean
  /** The last push was not ended by anybody: the connection to the encoder was lost. */
  readonly lost: boolean
  /** Begin of the push in ms, where it is known. */
  readonly since: number | null
  readonly figures: Figures | null
  /** The usual frame rate of this push where the encoder declares none. */
  readonly fpsUsual: number | null
}

/** How long something must be measured before it is said, in ms: worse soon, better late, against flicker. */
const healthPatience = { worse: 3_000, better: 10_000 } as const
/** Figures need so long after the begin of a push, and after a silence, in ms. */
const settling = 5_000

type Grade = 0 | 1 | 2
interface Finding {
  readonly grade: Grade
  readonly value: number
}
/** A limit that was passed is left only well inside of it. */
const easing = 0.85
const above = (value: number | null, fair: number, poor: number, held: Grade): Grade =>
  value === null ? 0 : value > poor * (held === 2 ? easing : 1) ? 2 : value > fair * (held >= 1 ? easing : 1) ? 1 : 0
const below = (value: number | null, fair: number, poor: number, held: Grade, eased = easing): Grade =>
  value === null ? 0 : value < poor / (held === 2 ? eased : 1) ? 2 : value < fair / (held >= 1 ? eased : 1) ? 1 : 0
/** The same for shares of frames and frame rates, whose usual values lie near the limit. */
const easingOfFrames = { share: 0.95, fps: 1 } as const

/** Limits of fair and poor: s of drift, gaps of sound and key frames, shares of the frame rate, kbit/s, share of the mean bitrate. */
const limits = {
  behind: [1.5, 4],
  ahead: [10, 30],
  soundGaps: [1, 3],
  keyFrames: [4.2, 10],
  frames: [0.85, 0.6],
  fps: [14.5, 8],
  bitrate: [300, 100],
} as const
const unevenFrom = 0.5
const seconds = (ms: number | null): number | null => (ms === null ? null : ms / 1_000)

const findings = (
  figures: Figures,
  fpsUsual: number | null,
  held: (cause: HealthCause) => Grade,
): Record<HealthCause, Finding> => {
  const drift = seconds(figures.drift)
  const { fps, kbps, kbpsDeviation } = figures
  const expected = figures.fpsDeclared ?? fpsUsual
  const share = fps === null || expected === null ? null : fps / expected
  const video = figures.videoCodec !== null
  const spread = kbps === null || kbpsDeviation === null || kbps <= 0 ? null : kbpsDeviation / kbps
  const max = (one: Grade, other: Grade): Grade => (one > other ? one : other)
  return {
    silent: { grade: kbps === 0 ? 2 : 0, value: 0 },
    behind: { grade: above(drift, ...limits.behind, held('behind')), value: drift ?? 0 },
    ahead: { grade: above(drift === null ? null : -drift, ...limits.ahead, held('ahead')), value: -(drift ?? 0) },
    frames: {
      grade: video
        ? max(
            below(share, ...limits.frames, held('frames'), easingOfFrames.share),
            below(fps, ...limits.fps, held('frames'), easingOfFrames.fps),
          )
        : 0,
      value: fps ?? 0,
    },
    soundMissing: { grade: video && figures.audioCodec === null ? 1 : 0, value: 0 },
    soundGaps: {
      grade: above(seconds(figures.audioGap), ...limits.soundGaps, held('soundGaps')),
      value: seconds(figures.audioGap) ?? 0,
    },
    keyFrames: {
      grade: above(seconds(figures.keyFrameGapMax), ...limits.keyFrames, held('keyFrames')),
      value: seconds(figures.keyFrameGapMax) ?? 0,
    },
    bitrate: { grade: video ? below(kbps, ...limits.bitrate, held('bitrate')) : 0, value: kbps ?? 0 },
    uneven: {
      grade: spread !== null && spread > unevenFrom * (held('uneven') === 1 ? easing : 1) ? 1 : 0,
      value: (spread ?? 0) * 100,
    },
  }
}

const words = ['good', 'fair', 'poor'] as const
const gradeOf = (word: HealthWord): Grade => (word === 'poor' ? 2 : word === 'fair' ? 1 : 0)

/** The word for one reading alone: the worst grade, with the first of its causes. Limits of `before` are left later than they are passed. */
export function judgeReading(
  reading: HealthReading,
  at: number,
  before: HealthJudgement | null = null,
): HealthJudgement {
  if (!reading.local) return { word: 'unknown', cause: 'notGiven', value: null }
  if (!reading.live)
    return reading.lost ? { word: 'lost', cause: 'lost', value: null } : { word: 'unknown', cause: 'idle', value: null }
  if (!reading.figures || reading.figures.kbps === null || (reading.since !== null && at - reading.since < settling))
    return { word: 'unknown', cause: 'measuring', value: null }
  const found = findings(reading.figures, reading.fpsUsual, (cause) =>
    before?.cause === cause ? gradeOf(before.word) : 0,
  )
  const worst = healthCauses.reduce<Grade>(
    (grade, cause) => (found[cause].grade > grade ? found[cause].grade : grade),
    0,
  )
  const cause = worst === 0 ? undefined : healthCauses.find((each) => found[each].grade === worst)
  return { word: words[worst], cause: cause ?? null, value: cause === undefined ? null : found[cause].value }
}

/** Whether figures gave the word. */
const isMeasured = ({ word }: HealthJudgement): boolean => word !== 'unknown' && word !== 'lost'

/** The word in force after a reading at `at` (ms): a worse one stands after 3 s, a better one after 10 s, what is unknown or lost at once. */
export function judgeStream(before: StreamHealth | null, reading: HealthReading, at: number): StreamHealth {
  const now = judgeReading(reading, at, before)
  if (before === null || !isMeasured(now)) return { ...now, next: null, settles: null }
  // Something comes again: silence is over at once, other figures mean nothing yet.
  const settles =
    (before.cause === 'silent' || before.next?.cause === 'silent') && now.cause !== 'silent'
      ? at + settling
      : before.settles
  if (settles !== null && at < settles && now.cause !== 'silent')
    return { word: 'unknown', cause: 'settling', value: null, next: null, settles }
  if (!isMeasured(before)) return { ...now, next: null, settles: null }
  if (now.word === before.word && now.cause === before.cause) return { ...now, next: null, settles: null }
  // A word that goes on changing is as old as the first reading that differed in the same direction.
  const worse = gradeOf(now.word) >= gradeOf(before.word)
  const waiting = before.next
  const same = waiting !== null && gradeOf(waiting.word) >= gradeOf(before.word) === worse
  const since = same ? waiting.since : at
  // Nothing comes: whatever was good about the push is over.
  if (now.cause === 'silent') return { ...now, next: null, settles: null }
  if (at - since >= (worse ? healthPatience.worse : healthPatience.better)) return { ...now, next: null, settles: null }
  return { word: before.word, cause: before.cause, value: before.value, next: { ...now, since }, settles: null }
}

/** The frame rates that were measured since `since`, which is the begin of the push: the one before may have had another. */
export const measuredRates = (
  history: readonly { readonly at: number; readonly figures: Pick<Figures, 'fps'> }[],
  since: number,
): number[] => history.flatMap((sample) => (sample.at < since ? [] : (sample.figures.fps ?? [])))

/** Rates that encoders are set to. */
const commonRates = [10, 12, 15, 20, 24, 25, 30, 48, 50, 60, 72, 90, 100, 120, 144, 240]
/** A measured rate so near to a common one is it, as a share: 23.976 is 24, and 24 is not 25. */
const commonWithin = 0.04

/** The frame rate of a push, in whole frames: what the encoder declares, else what most seconds have; null with fewer than 10 s. */
export function steadyRate(declared: number | null, rates: readonly number[]): number | null {
  if (declared !== null) return Math.round(declared)
  if (rates.length < 10) return null
  const middle = [...rates].sort((a, b) => a - b)[Math.floor(rates.length / 2)] ?? 0
  const near = commonRates.reduce((best, rate) => (Math.abs(rate - middle) < Math.abs(best - middle) ? rate : best))
  return Math.abs(near - middle) <= near * commonWithin ? near : Math.round(middle)
}

/** The frame rate that a push usually has: nine of ten seconds have no more. Null with fewer than 10 s. */
export function usualRate(rates: readonly number[]): number | null {
  if (rates.length < 10) return null
  return [...rates].sort((a, b) => a - b)[Math.floor(rates.length * 0.9)] ?? null
}
