import { Histogram } from '../../platform/histogram.ts'

/** In ms. */
const statementTimes = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1000, 5000]
/** Items of one write; a batch has 200 at most. */
const batchSizes = [1, 2, 5, 10, 20, 50, 100, 200]

/** What the store of a service counts. */
export interface DatabaseCounts {
  /** Time of each short statement, in ms. */
  readonly statements: Histogram
  /** Items of each write that combined some. */
  readonly batches: Histogram
  /** Long reads that wait for their turn. */
  readsWaiting: number
}

/** Makes them. */
export const createDatabaseCounts = (): DatabaseCounts => ({
  statements: new Histogram(statementTimes),
  batches: new Histogram(batchSizes),
  readsWaiting: 0,
})
