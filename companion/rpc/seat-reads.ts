import { createTokenBucket, type BucketRate, type TokenBucket } from '../../platform/token-bucket.ts'
import type { Clock } from '../../platform/clock.ts'
import { Failure } from '../failure.ts'

/** Concurrent reads; half of the connections stay free for the host. */
export const maxSeatReads = { ofSeat: 4, ofAll: 8 }
/** Reads and characters of answers: five lists after each measure, some 100 KB each, and history parts of 1 MiB. */
export const seatReadRate = {
  calls: { perSecond: 25, atOnce: 1_000 },
  characters: { perSecond: 2 * 1_048_576, atOnce: 32 * 1_048_576 },
} as const satisfies Record<string, BucketRate>
/** The least recently used idle one is dropped. */
const maxSeats = 1_000

/** Reads of moderators, which share the connections. */
export interface SeatReads {
  /** Queues a read; rejects when the page is `gone`. Throws code 416 above the rate. */
  read<T>(seat: string, gone: AbortSignal, work: () => Promise<T>, sizeOf: (answer: T) => number): Promise<T>
}

interface Reader {
  running: number
  readonly waiting: Set<() => void>
  readonly calls: TokenBucket
  readonly characters: TokenBucket
}

/** Makes it empty. */
export function createSeatReads(clock: Pick<Clock, 'monotonic'>): SeatReads {
  /** By last start. */
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
  /** Starts waiting reads in rotation. */
  const beginNext = (): void => {
    for (const [seat, reader] of readers) {
      if (running >= maxSeatReads.ofAll) return
      const [begin] = reader.waiting
      if (!begin || reader.running >= maxSeatReads.ofSeat) continue
      // Moves behind the others.
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
