import { SeededRandom } from './random.ts'

/** What one input came to. */
export type Verdict = 'taken' | 'refused'

/** A reader under fuzzing: makes inputs and checks what becomes of each. */
export interface FuzzTarget {
  readonly name: string
  /** An input that the random numbers decide. */
  make(random: SeededRandom): Buffer
  /** Reads it; throws when something is wrong: an error that is not the reader's own, or a broken promise. */
  check(input: Buffer, random: SeededRandom): Verdict
}

/** An input that broke a promise. */
export interface Crasher {
  readonly target: string
  readonly input: Buffer
  readonly error: unknown
}

/** Counts of a run, and the first crasher, at which it ends. */
export interface FuzzOutcome {
  readonly inputs: number
  readonly taken: number
  readonly refused: number
  /** Longest time that one input took, in ms. */
  readonly slowest: number
  readonly crasher: Crasher | undefined
}

/** Runs a target on `count` inputs; the same seed makes the same inputs. */
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

/** Fails with a reason when a promise is broken. */
export function promise(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`broken promise: ${what}`)
}
