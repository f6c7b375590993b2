import { createTokenBucket, type BucketRate, type TokenBucket } from '../../platform/token-bucket.ts'
import type { Clock } from '../../platform/clock.ts'
import { Failure } from '../failure.ts'

/** Reads of one seat over all its pages, and of all seats together, that are under way at once: half of the connections to a service, so that the host finds one free. */
export const maxSeatReads = { ofSeat: 4, ofAll: 8 }
/**
 * How many reads a seat makes in time, and how many characters of answers. A page reads five lists after each measure, of some hundred KB where many are
 * blacklisted, and history in parts of 1 MiB at most.
 */
export const seatReadRate = {
  calls: { perSecond: 25, atOnce: 1_000 },
  characters: { perSecond: 2 * 1_048_576, atOnce: 32 * 1_048_576 },
} as const satisfies Record<string, BucketRate>
/** Seats remembered; of those that read nothing now the one that read nothing longest goes. */
const maxSeats = 1_000

/** What is read for moderators: everybody waits for the service and its connections. */
export interface SeatReads {
  /** Makes a read of a seat when its turn comes, or rejects when its page is `gone` before. Throws code 416 where the seat has read too much. How many wait is bounded by the calls of a seat. */
  read<T>(seat: string, gone: AbortSignal, work: () => Promise<T>, sizeOf: (answer: T) => number): Promise<T>
}

interface Reader {
  running: number
  /** What begins the reads that wait. */
  readonly waiting: Set<() => void>
  readonly calls: TokenBucket
  readonly characters: TokenBucket
}

/** Makes it with nothing under way. */
export function createSeatReads(clock: Pick<Clock, 'monotonic'>): SeatReads {
  /** By seat; whose read began last is last. */
  const readers = new Map<string, Reader>()
  let running = 0
  const forgetOne = (): void => {
    for (const [seat, { running, waiting }] of readers) {
      if (running + waiting.size > 0) continue
      readers.delete(seat)
      return
    }
  }
  const readerOf = (seat: string): Reader => {
    const known = readers.get(seat)
    if (known) return known
    if (readers.size >= maxSeats) forgetOne()
    const bucket = (rate: BucketRate): TokenBucket => createTokenBucket(clock, rate)
    const made = {
      running: 0,
      waiting: new Set<() => void>(),
      calls: bucket(seatReadRate.calls),
      characters: bucket(seatReadRate.characters),
    }
    readers.set(seat, made)
    return made
  }
  /** Begins what there is a place for, one of each seat after the other. */
  const beginNext = (): void => {
    for (const [seat, reader] of readers) {
      if (running >= maxSeatReads.ofAll) return
      const [begin] = reader.waiting
      if (!begin || reader.running >= maxSeatReads.ofSeat) continue
      // It comes round once more behind the others.
      readers.delete(seat)
      readers.set(seat, reader)
      begin()
    }
  }
  const turnOf = (reader: Reader, gone: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const drop = (): void => {
        reader.waiting.delete(begin)
        reject(new Failure('forbidden', 'the page is gone'))
      }
      const begin = (): void => {
        reader.waiting.delete(begin)
        gone.removeEventListener('abort', drop)
        reader.running++
        running++
        resolve()
      }
      if (gone.aborted) return drop()
      gone.addEventListener('abort', drop, { once: true })
      reader.waiting.add(begin)
      beginNext()
    })

  return {
    read: async (seat, gone, work, sizeOf) => {
      const reader = readerOf(seat)
      if (Math.max(reader.calls.wait(), reader.characters.wait()) > 0)
        throw new Failure('code', 'too much was read from here in a short time', { code: 416 })
      reader.calls.spend(1)
      await turnOf(reader, gone)
      try {
        const answer = await work()
        reader.characters.spend(sizeOf(answer))
        return answer
      } finally {
        reader.running--
        running--
        beginNext()
      }
    },
  }
}
