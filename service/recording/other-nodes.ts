import type { Clock } from '../../platform/clock.ts'
import { inBackground } from '../background.ts'
import type { Bus } from '../bus/bus.ts'
import type { NodeCommands } from '../bus/node-commands.ts'
import type { Log } from '../log.ts'

/** The other services of a cluster. */
export interface OtherNodes {
  /** Name of this service among them. */
  readonly self: string
  /** These services have something to do for recordings of theirs, as the rows say. */
  hurry(nodes: Iterable<string>): void
}

/** Between looks of which no word came, in ms: a command may be lost. */
const lookEvery = 60_000

/**
 * What services of a cluster do for each other's recordings: each has its files on its own disk. One asks another by
 * the rows, and hurries it by a command. `look` does what the rows ask of this service.
 */
export function createOtherNodes(options: {
  readonly commands: NodeCommands
  readonly bus: Pick<Bus, 'onBack'>
  readonly look: () => Promise<void>
  readonly clock: Pick<Clock, 'after'>
  readonly log: Pick<Log, 'warn'>
}): OtherNodes & { start(): void; close(): Promise<void> } {
  const { commands, bus, clock, log } = options
  let looking: Promise<void> | undefined
  let isAsked = false
  let isStarted = false
  let stop = (): void => {}
  const lookAgain = async (): Promise<void> => {
    while (isAsked && isStarted) {
      isAsked = false
      await options.look()
    }
  }
  const look = (): void => {
    isAsked = true
    if (!isStarted) return
    looking ??= lookAgain().finally(() => {
      looking = undefined
    })
    inBackground(looking, log, 'what other services ask of recordings here')
  }
  const send = commands.kind<object>('recordings', look)
  let cancel = (): void => {}
  const later = (): void => {
    cancel = clock.after(lookEvery, () => {
      look()
      later()
    })
  }
  return {
    self: commands.self,
    hurry(nodes) {
      for (const node of nodes) if (node !== '') send(node, {})
    },
    /** From now on it looks by itself; what was left at the start has been taken up. */
    start() {
      isStarted = true
      stop = bus.onBack(look)
      later()
      if (isAsked) look()
    },
    async close() {
      isStarted = false
      cancel()
      stop()
      await looking?.catch(() => undefined)
    },
  }
}
