import type { LinkPush } from './frames.ts'

/** Reads the stream across reconnections, each push once. */
export interface Reading {
  /** Seq up to which everything was delivered; undefined before the first log-in. */
  readonly seq: number | undefined
  /** Own stored messages not yet seen in the stream. */
  readonly ownWaiting: number
  /** Sets the start, unless already started. */
  startAt(seq: number): void
  push(push: LinkPush): void
  /** A part of the stream up to a seq. */
  take(pushes: readonly LinkPush[], upTo: number): void
  /** An own message is stored here and is not delivered again. */
  own(seq: number): void
}

/** Makes a reading that continues after `after`. */
export function createReading(after: number | undefined, onPush: (push: LinkPush) => void): Reading {
  let seq = after
  const own = new Set<number>()

  const push = (one: LinkPush): void => {
    const place = 'seq' in one ? one.seq : undefined
    if (place === undefined) return onPush(one)
    if (place <= (seq ?? 0)) return
    seq = place
    if (!own.delete(place)) onPush(one)
  }
  return {
    get seq() {
      return seq
    },
    get ownWaiting() {
      return own.size
    },
    startAt(start) {
      seq ??= start
    },
    push,
    take(pushes, upTo) {
      for (const one of pushes) push(one)
      seq = Math.max(seq ?? 0, upTo)
      for (const place of own) if (place <= seq) own.delete(place)
    },
    own(place) {
      if (place > (seq ?? 0)) own.add(place)
    },
  }
}
