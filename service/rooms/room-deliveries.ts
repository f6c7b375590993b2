import type { Clock } from '../../platform/clock.ts'
import { createTokenBucket, type BucketRate, type TokenBucket } from '../../platform/token-bucket.ts'
import { createLru } from '../../platform/lru.ts'

/** Rates for delivering guests' lines, in ms of processing. */
export interface DeliveryRates {
  /** For all of them. */
  readonly lines: BucketRate
  /** Reserve for addresses with few lines. */
  readonly quiet: BucketRate
}

/** Together three fifths of the strangers' rate; the rest is for their requests. */
const usualRates: DeliveryRates = { lines: { perSecond: 200, atOnce: 50 }, quiet: { perSecond: 100, atOnce: 25 } }
/** Rate up to which an address counts as quiet. */
const quietLines: BucketRate = { perSecond: 0.2, atOnce: 2 }
/** Longest time until a loud address counts as quiet again, in ms. */
const maxLoud = 30_000
/** Cost of a refusal in lines: constant retries are loud, a retry after the wait is not. */
const refusedLine = 0.25
/** Addresses remembered; the least recent is forgotten, quiet again by then. */
const maxAddresses = 10_000
/** Fixed cost of a line (history, figures, answer), in readers. */
const lineReaders = 5
/** Cost of a reader in ms: initial estimate (high, as the first burst is unmeasured), and bounds of measurements. */
const readerCost = { first: 0.05, least: 0.001, most: 0.1 } as const
/** Readers in the mean; earlier measurements then count half. */
const measuredReaders = 100_000

/** Makes it full; also charges `strangers` (`TimeBudget`). */
export function createRoomDeliveries(
  clock: Pick<Clock, 'monotonic'>,
  strangers: Pick<TokenBucket, 'spend'>,
  rates = usualRates,
) {
  const lines = createTokenBucket(clock, rates.lines)
  const quiet = createTokenBucket(clock, rates.quiet)
  const addresses = createLru<TokenBucket>(maxAddresses)
  const measured = { readers: 1000, took: 1000 * readerCost.first }
  /** Deliveries of this event-loop turn. */
  let turn: { readonly begun: number; readers: number } | undefined

  const costOf = (readers: number): number =>
    (readers + lineReaders) * Math.min(readerCost.most, Math.max(readerCost.least, measured.took / measured.readers))
  const learn = (): void => {
    if (!turn) return
    measured.took += clock.monotonic() - turn.begun
    measured.readers += turn.readers
    turn = undefined
    if (measured.readers <= measuredReaders) return
    measured.took /= 2
    measured.readers /= 2
  }

  return {
    /** Charges a line; if nothing is left, charges nothing and returns the seconds to wait. */
    take(subnet: string, readers: number): number {
      const own = addresses.of(subnet, () => createTokenBucket(clock, quietLines))
      const isQuiet = own.wait() === 0
      const account = lines.wait() === 0 ? lines : isQuiet && quiet.wait() === 0 ? quiet : undefined
      // Counts lines of both rates: the reserve is for quieter addresses.
      if (own.wait() < maxLoud) own.spend(account ? 1 : refusedLine)
      if (!account) return Math.ceil(Math.min(lines.wait(), Math.max(own.wait(), quiet.wait())) / 1000)
      const ms = costOf(readers)
      // Before storing: many may be in progress before the first delivery.
      account.spend(ms)
      strangers.spend(ms)
      return 0
    },
    /** Delivers a line and measures the time. */
    deliver(readers: number, hand: () => void): void {
      if (!turn) {
        turn = { begun: clock.monotonic(), readers: 0 }
        // Runs after all callbacks and promises of this turn, so that lines stored together are measured together.
        queueMicrotask(() => process.nextTick(learn))
      }
      turn.readers += readers + lineReaders
      hand()
    },
  }
}

/**
 * Limits the delivery time of guests' lines, which is lines times readers and unknown to the accounts of addresses.
 * Over all rooms and addresses, including this computer's, which may be a proxy.
 */
export type RoomDeliveries = ReturnType<typeof createRoomDeliveries>
