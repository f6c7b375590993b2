import type { Operation } from '../../contract/operation.ts'
import { Histogram } from '../../platform/histogram.ts'

/** What came of a request: done, refused with a code of its operation, or failed by a fault of the service. */
export const outcomes = ['ok', 'refused', 'failed'] as const
/** One of them. */
export type Outcome = (typeof outcomes)[number]

/** In ms. */
const durations = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1000, 5000]

/** Answers of signed operations by group, which the contract bounds. */
export type RequestCounts = ReturnType<typeof createRequestCounts>

/** Makes them. */
export function createRequestCounts() {
  const groups = new Map<string, Record<Outcome, Histogram>>()
  const refusals = new Map<number, number>()
  const of = (group: string): Record<Outcome, Histogram> => {
    let known = groups.get(group)
    if (!known) {
      known = { ok: new Histogram(durations), refused: new Histogram(durations), failed: new Histogram(durations) }
      groups.set(group, known)
    }
    return known
  }
  return {
    /** Counts an answer with its code, and its time in ms; `failed` tells a fault from a refusal with the same code. */
    answered({ group }: Operation, code: number, took: number, failed: boolean): void {
      if (code === 200) return of(group).ok.add(took)
      of(group)[failed ? 'failed' : 'refused'].add(took)
      refusals.set(code, (refusals.get(code) ?? 0) + 1)
    },
    /** Times in ms by group and outcome, of groups that were called. */
    groups: (): Iterable<readonly [string, Readonly<Record<Outcome, Histogram>>]> => groups,
    /** Answers other than 200, by code. */
    refusals: (): Iterable<readonly [number, number]> => refusals,
  }
}
