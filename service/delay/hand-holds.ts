import type { Kysely } from 'kysely'
import type { Clock } from '../../platform/clock.ts'
import { createKeyedSerial } from '../../platform/serial.ts'
import type { HeldWrites, OwedReason } from '../storage/held-writes.ts'
import type { Tables } from '../storage/schema.ts'

/** The longest beyond the hold of its channel that a push may take to come back, after a start or a loss, in ms. */
export const returnsWithin = 5 * 60_000
/** A hold that began so long before a start is of an earlier broadcast, in ms. */
const longestAgo = 24 * 3_600_000

/**
 * Holds by hand, stored: after a crash, or a loss of the encoder, the push that comes back is held too, as its encoder
 * connects by itself and nobody has said that it may be seen (behaviour.md#hold).
 */
export type HandHolds = Awaited<ReturnType<typeof createHandHolds>>

/** Loads them. */
export async function createHandHolds(options: {
  readonly db: Kysely<Tables>
  readonly held: Pick<HeldWrites, 'hold'>
  readonly clock: Clock
  /** Hold of a channel when its encoder is lost, in ms. */
  readonly holdFor: (cid: string) => number
  /** A hold whose push did not come back could not be removed. */
  readonly failed: (error: unknown) => void
}) {
  const { db, held, clock, holdFor, failed } = options
  const serial = createKeyedSerial<string>()
  /** Since when, in ms; as it is to be stored. */
  const holds = new Map<string, number>()
  /** Of them, those whose push has not come back since the start or its loss: until when by the monotonic clock. */
  const awaited = new Map<string, { readonly until: number; readonly cancel: () => void }>()

  const write = (cid: string): Promise<void> =>
    serial(cid, async () => {
      const since = holds.get(cid)
      if (since === undefined) await db.deleteFrom('handHold').where('cid', '=', cid).execute()
      else
        await db
          .insertInto('handHold')
          .values({ cid, since })
          .onConflict((conflict) => conflict.column('cid').doUpdateSet({ since }))
          .execute()
    })
  const store = (cid: string): Promise<OwedReason | undefined> => held.hold(`hold by hand of ${cid}`, () => write(cid))
  const end = async (cid: string): Promise<OwedReason | undefined> => {
    awaited.get(cid)?.cancel()
    awaited.delete(cid)
    return holds.delete(cid) ? store(cid) : undefined
  }

  const awaitPush = (cid: string, wait: number): void => {
    awaited.get(cid)?.cancel()
    const cancel = clock.after(wait, () => {
      end(cid).catch(failed)
    })
    awaited.set(cid, { until: clock.monotonic() + wait, cancel })
  }

  for (const { cid, since } of await db.selectFrom('handHold').selectAll().execute()) {
    holds.set(cid, since)
    awaitPush(cid, clock.now() - since > longestAgo ? 0 : holdFor(cid) + returnsWithin)
  }
  return {
    /** It is held since a time, whatever the disk says; why that is not stored. */
    begin(cid: string, since: number): Promise<OwedReason | undefined> {
      holds.set(cid, since)
      return store(cid)
    },
    /** It is over: by hand, or with its broadcast. */
    end,
    /** Its push ended without being stopped, after the hold of the channel: the one that comes back is held. */
    lost(cid: string) {
      if (holds.has(cid)) awaitPush(cid, returnsWithin)
    },
    /** A push begins: since when it is held by hand, as it comes back after a crash or a loss. */
    returned(cid: string): number | undefined {
      const waiting = awaited.get(cid)
      waiting?.cancel()
      awaited.delete(cid)
      return waiting && holds.get(cid)
    },
    /** Whether a push is held by hand, on air or awaited. */
    isHeld: (cid: string): boolean => holds.has(cid),
    /** Until when a push is awaited that is held when it comes back, in ms; undefined for none. */
    awaitedUntil(cid: string): number | undefined {
      const waiting = awaited.get(cid)
      return waiting && Math.round(clock.now() + waiting.until - clock.monotonic())
    },
    async close(): Promise<void> {
      for (const { cancel } of awaited.values()) cancel()
      await serial.idle()
    },
  }
}
