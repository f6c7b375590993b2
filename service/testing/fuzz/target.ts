import { SeededRandom } from './random.ts'

/** Result of an input. */
export type Verdict = 'taken' | 'refused'

/** A fuzzed reader: makes inputs and checks the results. */
export interface FuzzTarget {
  readonly name: string
  /** Makes an input from random numbers. */
  make(random: SeededRandom): Buffer
  /** Reads it; throws on a foreign error or a violated property. */
  check(input: Buffer, random: SeededRandom): Verdict
}

/** An input that violated a property. */
export interface Crasher {
  readonly target: string
  readonly input: Buffer
  readonly error: unknown
}

/** Counts of a run, and the first crasher, which ends it. */
export interface FuzzOutcome {
  readonly inputs: number
  readonly taken: number
  readonly refused: number
  /** Longest time of an input, in ms. */
  readonly slowest: number
  readonly crasher: Crasher | undefined
}

/** Runs a target on `count` inputs; equal seeds make equal inputs. */
export function fuzz(target: FuzzTarget, seed: number, count: number): FuzzOutcome {
  const random = new SeededRandom(seed)
  let taken = 0
  let slowest = 0
  for (let inputs = 0; inputs < count; inputs++) {
    const input = target.make(random)
    const begun = performance.now()
    try {
      if (target.check(input, random) === 'taken') taken += 1
    } catch (error) {
      return {
        inputs: inputs + 1,
        taken,
        refused: inputs - taken,
        slowest,
        crasher: { target: target.name, input, error },
      }
    }
    slowest = Math.max(slowest, performance.now() - begun)
  }
  return { inputs: count, taken, refused: count - taken, slowest, crasher: undefined }
}

/** Throws when a property is violated. */
export function promise(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`broken promise: ${what}`)
}
