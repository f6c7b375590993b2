/** Counts of values up to each bound, as Prometheus has them, with their sum. */
export interface HistogramRead {
  /** Values up to each bound, in order; each includes those before it. */
  readonly upTo: readonly (readonly [bound: number, count: number])[]
  readonly sum: number
  readonly count: number
}

/** Counts values by size. Adding one costs a few comparisons, for paths that run thousands of times a second. */
export class Histogram {
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0
  #count = 0

  /** `bounds` ascend; larger values are in the count alone. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = bounds.map(() => 0)
  }

  add(value: number): void {
    this.#sum += value
    this.#count += 1
    const bounds = this.#bounds
    for (let index = 0; index < bounds.length; index++)
      if (value <= bounds[index]!) {
        this.#counts[index]! += 1
        return
      }
  }

  read(): HistogramRead {
    let before = 0
    return {
      upTo: this.#bounds.map((bound, index) => [bound, (before += this.#counts[index]!)] as const),
      sum: this.#sum,
      count: this.#count,
    }
  }
}
