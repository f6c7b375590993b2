import type { IngestFigures } from '../../contract/local-events.ts'
import type { BroadcastSampleTable } from '../storage/broadcast-tables.ts'

/** What was measured from a time on, without its broadcast. */
export type Sample = Omit<BroadcastSampleTable, 'broadcastId'>

/** How long a sample is at first, in ms. */
export const firstSample = 10_000

/** Samples to store: instead of all that are there, or each instead of the one of its time. */
export interface UnstoredSamples {
  readonly edition: number
  readonly isAll: boolean
  readonly samples: readonly Sample[]
}

/** A low of nothing measured yet is that of the other. */
const low = (one: Sample, other: Sample, which: 'kbpsLow' | 'millifpsLow'): number =>
  one.known === 0 ? other[which] : other.known === 0 ? one[which] : Math.min(one[which], other[which])
const together = (one: Sample, other: Sample): Sample => ({
  at: one.at,
  measured: one.measured + other.measured,
  known: one.known + other.known,
  viewers: one.viewers + other.viewers,
  kbps: one.kbps + other.kbps,
  millifps: one.millifps + other.millifps,
  peak: Math.max(one.peak, other.peak),
  kbpsLow: low(one, other, 'kbpsLow'),
  millifpsLow: low(one, other, 'millifpsLow'),
  keyFrameGap: Math.max(one.keyFrameGap, other.keyFrameGap),
  audioGap: Math.max(one.audioGap, other.audioGap),
})
const measurement = (at: number, figures: IngestFigures): Sample => {
  const { viewers, kbps, millifps = 0, keyFrameGap = 0, audioGap = 0 } = figures
  const known = kbps === undefined ? 0 : 1
  return {
    at,
    measured: 1,
    known,
    viewers,
    peak: viewers,
    kbps: kbps ?? 0,
    kbpsLow: kbps ?? 0,
    millifps: known * millifps,
    millifpsLow: known * millifps,
    keyFrameGap,
    audioGap,
  }
}

/** Begins with none; `most` are kept, at the price of longer ones: neighbours become one. */
export function createSamples(most: number) {
  let samples: Sample[] = []
  let length = firstSample
  const storedOnes = new WeakSet<Sample>()
  /** How often neighbours became one, and which of these states is stored. */
  let [edition, storedEdition] = [0, 0]

  const fit = (): void => {
    while (samples.length > most) {
      length *= 2
      edition++
      const fewer: Sample[] = []
      for (const sample of samples) {
        const last = fewer.at(-1)
        if (last && sample.at - last.at < length) fewer[fewer.length - 1] = together(last, sample)
        else fewer.push(sample)
      }
      samples = fewer
    }
  }
  const add = (sample: Sample): void => {
    const last = samples.at(-1)
    // Also when the clock was set back: times ascend.
    if (last && sample.at - last.at < length) samples[samples.length - 1] = together(last, sample)
    else samples.push(sample)
  }
  return {
    measure(at: number, figures: IngestFigures) {
      add(measurement(at, figures))
      fit()
    },
    /** It goes on from earlier samples, which are stored. */
    follow(earlier: readonly Sample[]) {
      for (const sample of earlier) storedOnes.add(sample)
      const later = samples
      samples = [...earlier]
      for (const sample of later) add(sample)
      fit()
    },
    /** What is to be stored; until `stored` it is given again. */
    unstored(): UnstoredSamples {
      const isAll = edition !== storedEdition
      return { edition, isAll, samples: samples.filter((sample) => isAll || !storedOnes.has(sample)) }
    },
    /** What was given is stored; a sample that was measured further meanwhile is another one. */
    stored({ edition: stored, samples: given }: UnstoredSamples) {
      storedEdition = stored
      for (const sample of given) storedOnes.add(sample)
    },
  }
}
