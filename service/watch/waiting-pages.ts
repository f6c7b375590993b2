import type { EventEmitter } from 'node:events'
import type { Clock } from '../../platform/clock.ts'

/** For how long a page that waits for a show is kept waiting, in ms: what else changed is told then. */
export const waitsFor = 4_000
/** Pages that are answered in one turn when a show begins. */
const perTurn = 32

/** Pages of one address that wait at a time. */
const perAddress = 64

/**
 * Pages off air that wait for the show of their channel: they are answered when it begins, or after a while. A
 * connection that waits gives its place to nobody, so at most `most` wait at a time; further ones are answered at once.
 */
export function createWaitingPages(clock: Pick<Clock, 'after'>, most: number) {
  const waiting = new Map<string, Set<() => void>>()
  const addresses = new Map<string, number>()
  let all = 0
  const counted = (address: string, by: 1 | -1): void => {
    all += by
    const now = (addresses.get(address) ?? 0) + by
    if (now > 0) addresses.set(address, now)
    else addresses.delete(address)
  }
  return {
    /** Resolves when a show of the channel begins, after 4 s, or when the page goes; at once where too many wait. */
    wait: (cid: string, address: string, answer: EventEmitter): Promise<void> =>
      new Promise((resolve) => {
        if (all >= most || (addresses.get(address) ?? 0) >= perAddress) return resolve()
        const pages = waiting.get(cid) ?? new Set()
        waiting.set(cid, pages)
        counted(address, 1)
        const done = (): void => {
          if (!pages.has(done)) return
          counted(address, -1)
          cancel()
          pages.delete(done)
          if (pages.size === 0 && waiting.get(cid) === pages) waiting.delete(cid)
          resolve()
        }
        const cancel = clock.after(waitsFor, done)
        pages.add(done)
        answer.once('close', done)
      }),
    /** A show of the channel has begun. */
    began(cid: string): void {
      const pages = [...(waiting.get(cid) ?? [])]
      const answer = (): void => {
        for (const done of pages.splice(0, perTurn)) done()
        if (pages.length > 0) setImmediate(answer)
      }
      answer()
    },
    /** Answers all, as the listener closes. */
    close(): void {
      for (const pages of waiting.values()) for (const done of pages) done()
    },
    /** Pages that wait. */
    count: (): number => all,
  }
}
