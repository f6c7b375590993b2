import { streamRanges } from '../channels/stream-ranges.ts'
import type { Broadcast, Sample } from './broadcast.ts'

/** A time in ms, with both ends. */
export interface Stretch {
  readonly from: number
  readonly to: number
}
/** Which figure left its range; `silent`: nothing came. */
export type RangeCause = 'silent' | 'bitrate' | 'frames' | 'keyFrames'
/** A time in which figures were out of their range. */
export interface Band extends Stretch {
  readonly causes: readonly RangeCause[]
}

/** A pause between samples longer than this is one of the broadcast, in ms and as a share of their distance. */
const pauseAfter = { ms: 5_000, share: 0.1 } as const

/** End of what a sample measured, in ms. */
export const endOf = (sample: Sample): number => sample.at + sample.seconds * 1_000

/** Why a sample is out of the ranges of the Studio's health; none if it is within. */
export function causesOf({ kbps, millifps = 0, keyFrameGap = 0 }: Sample): readonly RangeCause[] {
  if (kbps === undefined || kbps === 0) return ['silent']
  return [
    ...(kbps < streamRanges.kbps ? (['bitrate'] as const) : []),
    // 0 is a push of sound alone.
    ...(millifps > 0 && millifps < streamRanges.fps * 1_000 ? (['frames'] as const) : []),
    ...(keyFrameGap > streamRanges.keyFrameGap * 1_000 ? (['keyFrames'] as const) : []),
  ]
}

/** Samples without a pause between them. */
export function runsOf(samples: readonly Sample[]): readonly (readonly Sample[])[] {
  const runs: Sample[][] = []
  for (const sample of samples) {
    const run = runs.at(-1)
    const last = run?.at(-1)
    const isNext =
      last !== undefined && sample.at - endOf(last) <= Math.max(pauseAfter.ms, (sample.at - last.at) * pauseAfter.share)
    if (isNext) run?.push(sample)
    else runs.push([sample])
  }
  return runs
}

/** Times out of range; neighbours with the same causes are one. */
export const bandsOf = (samples: readonly Sample[]): readonly Band[] =>
  runsOf(samples).flatMap((run) => {
    const bands: Band[] = []
    for (const [index, sample] of run.entries()) {
      const causes = causesOf(sample)
      if (causes.length === 0) continue
      const to = run[index + 1]?.at ?? endOf(sample)
      const last = bands.at(-1)
      if (last?.to === sample.at && last.causes.join() === causes.join()) bands[bands.length - 1] = { ...last, to }
      else bands.push({ from: sample.at, to, causes })
    }
    return bands
  })

/** Times between pushes, of a second at least. */
export const pausesOf = ({ pushList }: Pick<Broadcast, 'pushList'>): readonly Stretch[] =>
  pushList.flatMap(({ ended }, index) => {
    const next = pushList[index + 1]
    return ended === undefined || next === undefined || next.began - ended < 1_000
      ? []
      : [{ from: ended, to: next.began }]
  })

/** Times for which the picture was held, by hand or as the encoder was lost; each ends with its push at the latest. */
export function holdsOf({
  events,
  pushList,
  ended,
}: Pick<Broadcast, 'events' | 'pushList' | 'ended'>): readonly (Stretch & { readonly byHand: boolean })[] {
  const last = ended ?? Infinity
  return events.flatMap(({ at, kind, detail }, index) => {
    if (kind !== 'held') return []
    const over = events.slice(index + 1).find((event) => event.kind === 'wentOn' || event.kind === 'held')?.at ?? last
    const push = pushList.findLast((each) => each.began <= at)?.ended ?? last
    return [{ from: at, to: Math.min(over, push), byHand: detail === 'hand' }]
  })
}

/** Average and lowest of a figure. */
export interface Spread {
  readonly average: number
  readonly low: number
}
/** Figures of a whole broadcast; null for what was not measured. */
export interface BroadcastFigures {
  /** From begin to end, and how much of it without a push; in ms. */
  readonly length: number
  readonly paused: number
  /** Null where events were left out, or it is not over. */
  readonly held: number | null
  /** When there were most viewers, in ms. */
  readonly peakAt: number | null
  readonly kbps: Spread | null
  readonly fps: Spread | null
  /** Share of the measured seconds within all ranges. */
  readonly inRange: number | null
}

const total = (stretches: readonly Stretch[]): number => stretches.reduce((sum, { from, to }) => sum + to - from, 0)
/** Each sample counts as many times as it has seconds. */
function spreadOf(
  samples: readonly Sample[],
  read: (sample: Sample) => readonly [number | undefined, number | undefined],
): Spread | null {
  let [seconds, sum, low] = [0, 0, Infinity]
  for (const sample of samples) {
    const [average, lowest] = read(sample)
    if (average === undefined || lowest === undefined) continue
    seconds += sample.seconds
    sum += average * sample.seconds
    low = Math.min(low, lowest)
  }
  return seconds === 0 ? null : { average: sum / seconds, low }
}

/** `now` is the end while it is on air. */
export function figuresOf(broadcast: Broadcast, now: number): BroadcastFigures {
  const { began, ended, samples, peak, eventsLeftOut } = broadcast
  const holds = holdsOf(broadcast)
  const hasPicture = samples.some(({ millifps = 0 }) => millifps > 0)
  const seconds = samples.reduce((sum, sample) => sum + sample.seconds, 0)
  const good = samples.reduce((sum, sample) => sum + (causesOf(sample).length === 0 ? sample.seconds : 0), 0)
  return {
    length: Math.max(0, (ended ?? now) - began),
    paused: total(pausesOf(broadcast)),
    held: eventsLeftOut > 0 || holds.some(({ to }) => to === Infinity) ? null : total(holds),
    peakAt: peak === 0 ? null : (samples.find((sample) => sample.peak === peak)?.at ?? null),
    kbps: spreadOf(samples, ({ kbps, kbpsLow }) => [kbps, kbpsLow]),
    fps: hasPicture
      ? spreadOf(samples, ({ millifps, millifpsLow }) => [
          millifps && millifps / 1_000,
          millifpsLow === undefined ? undefined : millifpsLow / 1_000,
        ])
      : null,
    inRange: seconds === 0 ? null : good / seconds,
  }
}
