import { createBackoff, listedWait } from '../../platform/backoff.ts'
import type { Clock } from '../../platform/clock.ts'
import { diskRefusalOf, type DiskRefusal } from '../../platform/full-disk.ts'
import { inBackground } from '../background.ts'
import type { Log } from '../log.ts'

/** Why a write is owed. */
export type OwedReason = DiskRefusal | 'other'

/** In ms; the last one repeats. */
const tryAgain = [1_000, 2_000, 5_000, 10_000] as const

/** What the caller is told when something is in force that is not on the disk. */
const words: Readonly<Record<OwedReason, string>> = {
  full: 'the disk of the service is full',
  readOnly: 'the disk of the service can only be read',
  broken: 'the disk of the service answers with errors',
  other: 'the database refused it',
}
/** `msg` of an answer to what is in force but not written; nothing when it is written. */
export const inForce = (owed: OwedReason | undefined): { readonly msg?: string } =>
  owed === undefined
    ? {}
    : {
        msg:
          `this is in force, but not stored: ${words[owed]}; ` +
          'it is stored as soon as that works again, and a restart before then undoes it',
      }

/**
 * Writes of what takes access away (decisions/012-unexpected-faults.md): it is in force in memory whatever the disk
 * says, and what the disk refused is written again until it takes it.
 */
export type HeldWrites = ReturnType<typeof createHeldWrites>

/** Makes it. `changed` is called when the first write becomes owed, and when none is left. */
export function createHeldWrites(options: {
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly changed: () => void
}) {
  const { clock, log, changed } = options
  /** By what they are about; each writes what is in memory then, so the newest one is enough. */
  const owed = new Map<string, () => Promise<unknown>>()
  let reason: OwedReason | undefined
  let work: Promise<void> = Promise.resolve()

  const say = (next: OwedReason | undefined): void => {
    const before = reason
    reason = next
    if (before !== next) changed()
  }
  /** Stops at the first refusal: the disk is the same for all. */
  const writeAll = async (): Promise<void> => {
    for (const [name, write] of owed) {
      try {
        await write()
      } catch (error) {
        say(diskRefusalOf(error) ?? 'other')
        backoff.again()
        return
      }
      if (owed.get(name) === write) owed.delete(name)
    }
    backoff.reset()
    if (owed.size > 0 || reason === undefined) return
    log.info({}, 'what takes access away is stored')
    say(undefined)
  }
  const writeInTurn = (): Promise<void> => (work = work.then(writeAll))
  const backoff = createBackoff(
    clock,
    (before) => listedWait(tryAgain, before),
    () => inBackground(writeInTurn(), log, 'storing what takes access away'),
  )

  return {
    /**
     * Runs `write`. A refused one is owed under `name`: `again`, which writes what is in memory at that time, is tried
     * until it succeeds. Resolves to why it is owed.
     */
    async hold(
      name: string,
      write: () => Promise<unknown>,
      again: () => Promise<unknown> = write,
    ): Promise<OwedReason | undefined> {
      try {
        await write()
      } catch (error) {
        const why = diskRefusalOf(error) ?? 'other'
        log.warn({ err: error, what: name }, 'what takes access away is in force, but not stored; a restart undoes it')
        owed.set(name, again)
        backoff.again()
        say(why)
        return why
      }
      return undefined
    },
    /** Writes what is owed under a name, before something undoes it; rejects when the disk refuses that. */
    async settle(name: string): Promise<void> {
      const write = owed.get(name)
      if (!write) return
      await write()
      if (owed.get(name) === write) owed.delete(name)
      if (owed.size === 0) say(undefined)
    },
    /** Why something is owed; undefined when all is written. */
    reason: (): OwedReason | undefined => reason,
    /** Writes that are owed. */
    size: (): number => owed.size,
    /** Tries a last time. */
    async close(): Promise<void> {
      backoff.stop()
      await work
      if (owed.size > 0) await writeInTurn()
      backoff.stop()
      if (owed.size > 0) log.warn({ what: [...owed.keys()].slice(0, 20) }, 'a restart undoes what was not stored')
    },
  }
}
