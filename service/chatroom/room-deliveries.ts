import { createTokenBucket, type BucketRate, type TokenBucket } from '../../platform/token-bucket.ts'
import { createLru } from '../../platform/lru.ts'

/** Time in which guests' lines of all rooms are handed to their readers, in ms. */
export interface DeliveryRates {
  /** For all of them. */
  readonly lines: BucketRate
  /** Kept for lines of addresses that say little, when others have taken that. */
  readonly quiet: BucketRate
}

/** Together three fifths of what all strangers have, so that their requests keep the rest. */
const usualRates: DeliveryRates = { lines: { perSecond: 200, atOnce: 50 }, quiet: { perSecond: 100, atOnce: 25 } }
/** Lines of an address that says little. */
const quietLines: BucketRate = { perSecond: 0.2, atOnce: 2 }
/** How long an address says more than little after it has said much, in ms, at most. */
const maxLoud = 30_000
/** What being refused counts for, in lines: who goes on asking says more than little, who comes again after the wait does not. */
const refusedLine = 0.25
/** Addresses remembered; the one that spoke longest ago is forgotten, by when its lines are there again. */
const maxAddresses = 10_000
/** What a line costs beside its readers (history, figures, its answer), in readers. */
const lineReaders = 5
/** What a reader costs, in ms: before anything was measured (much, since a first burst comes at once), and the bounds of what is believed of a measure. */
const readerCost = { first: 0.05, least: 0.001, most: 0.1 } as const
/** Readers of which the mean is taken; beyond them what was measured earlier counts for half. */
const measuredReaders = 100_000

/**
 * Time that guests' lines take until their readers have them: lines times readers, which no account of an address knows. In all rooms and of all
 * addresses together, those of this computer as well, since a proxy may stand there that tells no addresses.
 */
export interface RoomDeliveries {
  /** Takes the time that a line of a guest will take; the seconds to wait for when nothing is left, and then nothing is taken. */
  take(subnet: string, readers: number): number
  /** Hands such a line to its readers, and measures it for those that come. */
  deliver(readers: number, hand: () => void): void
}

/** Makes it, with everything there. What is taken is taken of `strangers` too (`TimeBudget`). `monotonic` is in ms. */
export function createRoomDeliveries(
  monotonic: () => number,
  strangers: Pick<TokenBucket, 'spend'>,
  rates = usualRates,
): RoomDeliveries {
  const lines = createTokenBucket(monotonic, rates.lines)
  const quiet = createTokenBucket(monotonic, rates.quiet)
  const addresses = createLru<TokenBucket>(maxAddresses)
  const measured = { readers: 1000, took: 1000 * readerCost.first }
  /** What is handed out in this turn of the event loop. */
  let turn: { readonly begun: number; readers: number } | undefined

  const costOf = (readers: number): number =>
    (readers + lineReaders) * Math.min(readerCost.most, Math.max(readerCost.least, measured.took / measured.readers))
  const learn = (): void => {
    if (!turn) return
    measured.took += monotonic() - turn.begun
    measured.readers += turn.readers
    turn = undefined
    if (measured.readers <= measuredReaders) return
    measured.took /= 2
    measured.readers /= 2
  }

  return {
    take(subnet, readers) {
      const own = addresses.of(subnet, () => createTokenBucket(monotonic, quietLines))
      const isQuiet = own.wait() === 0
      const account = lines.wait() === 0 ? lines : isQuiet && quiet.wait() === 0 ? quiet : undefined
      // Also of who is heard with the others: the rest is for those who say less than they do.
      if (own.wait() < maxLoud) own.spend(account ? 1 : refusedLine)
      if (!account) return Math.ceil(Math.min(lines.wait(), Math.max(own.wait(), quiet.wait())) / 1000)
      const ms = costOf(readers)
      // Before the line is stored: many may be under way before the first is handed out.
      account.spend(ms)
      strangers.spend(ms)
      return 0
    },
    deliver(readers, hand) {
      if (!turn) {
        turn = { begun: monotonic(), readers: 0 }
        // Called when no callback and no promise of this turn is left: lines that were stored together are handed out together.
        queueMicrotask(() => process.nextTick(learn))
      }
      turn.readers += readers + lineReaders
      hand()
    },
  }
}
