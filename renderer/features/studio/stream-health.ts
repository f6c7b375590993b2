import type { Figures } from '../../../contract/rpc/state.ts'

/** The health of a push in one word. */
export type HealthWord = 'good' | 'fair' | 'poor' | 'unknown' | 'lost'

/** Most likely root first: a slow network loses frames, which lowers the bitrate. */
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
/** A cause of poor health. */
export type HealthCause = (typeof healthCauses)[number]

/** `settling` follows a silence, `measuring` the start of a push. */
export interface HealthJudgement {
  readonly word: HealthWord
  readonly cause: HealthCause | 'lost' | 'node' | 'idle' | 'measuring' | 'settling' | 'notGiven' | null
  /** The figure of the cause: s, frames per second, kbit/s or per cent. */
  readonly value: number | null
}

/** The word in force, and the one that may follow. */
export interface StreamHealth extends HealthJudgement {
  /** A different judgement, and the time in ms from which it has held. */
  readonly next: (HealthJudgement & { readonly since: number }) | null
  /** Time in ms until which figures still include a silence; null without one. */
  readonly settles: number | null
}

/** Input of a judgement. */
export interface HealthReading {
  readonly local: boolean
  readonly live: boolean
  /** The encoder was lost: with the push, or while its picture is held. */
  readonly lost: boolean
  /** With the push, as its node of the service is gone. */
  readonly ofNode: boolean
  /** In ms. */
  readonly since: number | null
  /** When a lost encoder was back in its held push, in ms; null if it was not lost. */
  readonly returned: number | null
  readonly figures: Figures | null
  /** See `usualRate`; for encoders that declare no rate. */
  readonly fpsUsual: number | null
}

/** In ms for which a judgement must hold; longer for better ones, against flicker. */
const healthPatience = { worse: 3_000, better: 10_000 } as const
/** In ms without judgement after a start or a silence. */
const settling = 5_000

type Grade = 0 | 1 | 2
interface Finding {
  readonly grade: Grade
  readonly value: number
}
/** Hysteresis of limits. */
const easing = 0.85
const above = (value: number | null, fair: number, poor: number, held: Grade): Grade =>
  value === null ? 0 : value > poor * (held === 2 ? easing : 1) ? 2 : value > fair * (held >= 1 ? easing : 1) ? 1 : 0
const below = (value: number | null, fair: number, poor: number, held: Grade, eased = easing): Grade =>
  value === null ? 0 : value < poor / (held === 2 ? eased : 1) ? 2 : value < fair / (held >= 1 ? eased : 1) ? 1 : 0
/** Less for frames, whose usual values are near the limit. */
const easingOfFrames = { share: 0.95, fps: 1 } as const

/** In s of drift, sound gaps and key frames; share of the rate, frames per second, kbit/s. */
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

/** The worst grade and its first cause. `before` is used for hysteresis. */
export function judgeReading(
  reading: HealthReading,
  at: number,
  before: HealthJudgement | null = null,
): HealthJudgement {
  if (!reading.local) return { word: 'unknown', cause: 'notGiven', value: null }
  if (reading.lost) return { word: 'lost', cause: reading.ofNode ? 'node' : 'lost', value: null }
  if (!reading.live) return { word: 'unknown', cause: 'idle', value: null }
  if (reading.returned !== null && at - reading.returned < settling)
    return { word: 'unknown', cause: 'settling', value: null }
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

/** The figure of a cause in force, as the cells have it at the same time. */
function valueNow({ cause, value }: HealthJudgement, { figures, fpsUsual }: HealthReading): number | null {
  const known = healthCauses.find((each) => each === cause)
  return known && figures ? findings(figures, fpsUsual, () => 0)[known].value : value
}

const isMeasured = ({ word }: HealthJudgement): boolean => word !== 'unknown' && word !== 'lost'

/** At `at` (ms): worse words come into force after 3 s, better ones after 10 s, others at once. */
export function judgeStream(before: StreamHealth | null, reading: HealthReading, at: number): StreamHealth {
  const now = judgeReading(reading, at, before)
  if (before === null || !isMeasured(now)) return { ...now, next: null, settles: null }
  // The silence is over, but figures still include it.
  const settles =
    (before.cause === 'silent' || before.next?.cause === 'silent') && now.cause !== 'silent'
      ? at + settling
      : before.settles
  if (settles !== null && at < settles && now.cause !== 'silent')
    return { word: 'unknown', cause: 'settling', value: null, next: null, settles }
  if (!isMeasured(before)) return { ...now, next: null, settles: null }
  if (now.word === before.word && now.cause === before.cause) return { ...now, next: null, settles: null }
  // Counts from the first reading that differed in the same direction.
  const worse = gradeOf(now.word) >= gradeOf(before.word)
  const waiting = before.next
  const same = waiting !== null && gradeOf(waiting.word) >= gradeOf(before.word) === worse
  const since = same ? waiting.since : at
  // A silence is reported at once.
  if (now.cause === 'silent') return { ...now, next: null, settles: null }
  if (at - since >= (worse ? healthPatience.worse : healthPatience.better)) return { ...now, next: null, settles: null }
  return {
    word: before.word,
    cause: before.cause,
    value: valueNow(before, reading),
    next: { ...now, since },
    settles: null,
  }
}

/** From `since` on, the start of the push. */
export const measuredRates = (
  history: readonly { readonly at: number; readonly figures: Pick<Figures, 'fps'> }[],
  since: number,
): number[] => history.flatMap((sample) => (sample.at < since ? [] : (sample.figures.fps ?? [])))

const commonRates = [10, 12, 15, 20, 24, 25, 30, 48, 50, 60, 72, 90, 100, 120, 144, 240]
/** Maximum distance as a share: 23.976 counts as 24, but 24 not as 25. */
const commonWithin = 0.04

/** In whole frames: as declared, otherwise by the median; null below 10 s. */
export function steadyRate(declared: number | null, rates: readonly number[]): number | null {
  if (declared !== null) return Math.round(declared)
  if (rates.length < 10) return null
  const middle = [...rates].sort((a, b) => a - b)[Math.floor(rates.length / 2)] ?? 0
  const near = commonRates.reduce((best, rate) => (Math.abs(rate - middle) < Math.abs(best - middle) ? rate : best))
  return Math.abs(near - middle) <= near * commonWithin ? near : Math.round(middle)
}

/** The 90th percentile; null below 10 s. */
export function usualRate(rates: readonly number[]): number | null {
  if (rates.length < 10) return null
  return [...rates].sort((a, b) => a - b)[Math.floor(rates.length * 0.9)] ?? null
}
