import { copyHeadPatience } from '../../contract/callbacks/copy.ts'
import { inBackground } from '../background.ts'
import type { Deliveries } from './deliveries.ts'
import type { createDispatcher } from './dispatcher.ts'
import { createLines } from './lines.ts'
import type { OutboxOptions } from './outbox-options.ts'
import { createSharedClaims } from './shared-claims.ts'

/** What a process tells all others of the outbox. */
interface Hint {
  /** Lines in which a message was put; others may have some too where there are too many to tell. */
  readonly lines?: readonly string[]
  /** What waits is changed: what is about to be sent must be read again. */
  readonly changed?: true
  /** Messages of these lines were taken away. */
  readonly dropped?: string
}

type Dispatcher = ReturnType<typeof createDispatcher>

/** Between looks at what waits of which no word came, in ms. */
const lookEvery = 2000
const maxTold = 200

/**
 * Makes what an outbox does otherwise where several processes of a cluster send what is in it: claims, the database's
 * time, and hints over the bus.
 */
export async function createSharedOutbox(
  options: Pick<OutboxOptions, 'store' | 'clock' | 'random' | 'log'> & {
    readonly shared: NonNullable<OutboxOptions['shared']>
    readonly rows: Deliveries
    readonly kinds: readonly string[]
    readonly passedSteps: number
  },
) {
  const { store, rows, kinds, random, log, passedSteps } = options
  const { node, bus } = options.shared
  const owner = `${node} ${random(8).toString('hex')}`
  const claims = await createSharedClaims({ db: store.db, owner, kinds, passedSteps, clock: options.clock, log })
  const clock = { ...options.clock, now: claims.now }
  let dispatcher: Dispatcher | undefined

  const release = async (line: string): Promise<void> => {
    const isFree = await claims.release(line)
    if (!isFree) lines.touched(line, '')
    // A message may have come since, for which the line is claimed anew.
    else lines.forget(line)
    dispatcher?.anyTouched()
  }
  const lines = createLines({
    clock,
    patience: copyHeadPatience,
    ended: (line) => inBackground(release(line), log, 'letting a line of the outbox go'),
  })
  const topic = bus.topic<Hint>('outbox')
  const hear = ({ lines: named = [], changed, dropped }: Hint): void => {
    if (dropped !== undefined) lines.release(dropped)
    for (const line of named) if (claims.knowsLine(line)) lines.touched(line, '')
    if (changed) dispatcher?.changed()
    else dispatcher?.anyTouched()
  }
  let told: Set<string> | undefined
  const stops = [topic.subscribe('all', hear), bus.onBack(() => hear({}))]
  /** Here at once, and to the others. */
  const tell = (hint: Hint): void => {
    hear(hint)
    topic.publish('all', hint)
  }

  return {
    claims,
    clock,
    lines,
    /** The rows as the dispatcher of one of several processes gets them. */
    rows: {
      ...rows,
      // By the database's clock, which no process sets.
      earlier: () => Promise.resolve(),
      notLater: () => Promise.resolve(),
      due: (target: string, _now: number, _underWay: readonly string[], limit: number) => claims.due(target, limit),
    },
    /** For the dispatcher. */
    taking: {
      lookEvery,
      has: claims.hasLine,
      async take() {
        for (const { line, target, head } of await claims.lines(lines.active())) {
          if (head === undefined) lines.touched(line, target)
          else lines.block(line, head, target)
        }
      },
    },
    attach(one: Dispatcher) {
      dispatcher = one
    },
    /** A message was put in, or is due at once. */
    put(line: string | null) {
      if (told) {
        if (line !== null && told.size < maxTold) told.add(line)
        return
      }
      told = new Set(line === null ? [] : [line])
      // Those of one turn together.
      setImmediate(() => {
        const named = [...told!]
        told = undefined
        tell({ lines: named })
      })
    },
    changed: () => tell({ changed: true }),
    dropped: (prefix: string) => tell({ changed: true, dropped: prefix }),
    async close() {
      for (const stop of stops) stop()
      await claims
        .close()
        .catch((error: unknown) => log.warn({ err: error }, 'the outbox of this service could not be left to others'))
      topic.publish('all', {})
    },
  }
}
