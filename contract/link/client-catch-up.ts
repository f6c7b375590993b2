import { LinkFailure } from './client-calls.ts'
import type { Reading } from './client-reading.ts'
import { linkLimits, type LinkAnswer, type LinkPush } from './frames.ts'

/** Reads what was missed on one connection, and holds the pushes that come meanwhile. */
export interface CatchUp {
  readonly isUnderWay: boolean
  /** Reads to the end, once at a time. Rejects with `LinkFailure` where the service does not come to an end. */
  run(): Promise<void>
  /** Holds a push of `size` characters that the parts to come precede. */
  hold(push: LinkPush, size: number): void
}

/** Of one run: parts in all, and parts in a row after which the reading is where it was. */
const most = { parts: 1_000, fruitless: 20 }

/** Makes it; `done` is called after each run that came to its end. */
export function createCatchUp(options: {
  readonly reading: Reading
  readonly ask: (after: number) => Promise<LinkAnswer<'sync'>>
  readonly fits: (push: LinkPush) => boolean
  readonly done: () => void
}): CatchUp {
  const { reading, ask, fits, done } = options
  let running: Promise<void> | undefined
  let held: LinkPush[] = []
  let size = 0
  let isMissing = false

  const drop = (): void => {
    held = []
    size = 0
  }
  const read = async (): Promise<void> => {
    let more = true
    for (let parts = 0, fruitless = 0; more; parts++) {
      if (parts === most.parts || fruitless === most.fruitless)
        throw new LinkFailure(0, 'the service did not come to the end of what was missed')
      const before = reading.seq ?? 0
      isMissing = false
      const part = await ask(before)
      reading.take((part.events as LinkPush[]).filter(fits), part.seq)
      fruitless = (reading.seq ?? 0) > before ? 0 : fruitless + 1
      more = part.more || isMissing
    }
    running = undefined
    // They may have come together with the last answer, whose part precedes them.
    const late = held
    drop()
    for (const push of late) reading.push(push)
    done()
  }
  return {
    get isUnderWay() {
      return running !== undefined
    },
    run: () => (running ??= read()),
    hold(push, characters) {
      held.push(push)
      size += characters
      if (size <= linkLimits.queue) return
      // The service has them: they are read again.
      drop()
      isMissing = true
    },
  }
}
