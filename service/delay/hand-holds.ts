import type { Kysely } from 'kysely'
import type { Clock } from '../../platform/clock.ts'
import type { Journal } from '../journal/journal.ts'
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
  readonly journal: Journal
  readonly held: Pick<HeldWrites, 'hold'>
  readonly clock: Clock
  /** Hold of a channel when its encoder is lost, in ms. */
  readonly holdFor: (cid: string) => number
  /** A hold whose push did not come back could not be removed. */
  readonly failed: (error: unknown) => void
  /** In a cluster: whether another node has the push of a channel. */
  readonly elsewhere?: ((cid: string) => boolean) | undefined
}) {
  const { db, journal, held, clock, holdFor, failed, elsewhere } = options
  /** Since when, in ms. */
  const holds = new Map<string, number>()
  /** Of them, those whose push has not come back since the start or its loss: until when by the monotonic clock. */
  const awaited = new Map<string, { readonly until: number; readonly cancel: () => void }>()

  /** Told of what another node has made of a hold: since when it is held, or undefined. */
  let followed = (_cid: string, _since: number | undefined): void => undefined
  /** What is in force and not stored yet: since when it is held, or null where that is over. */
  const ahead = new Map<string, number | null>()

  const forget = (cid: string): void => {
    awaited.get(cid)?.cancel()
    awaited.delete(cid)
    holds.delete(cid)
  }
  const changes = journal.kind<{ readonly cid: string; readonly since: number | null }>('handHold', {
    async store(transaction, { cid, since }) {
      if (since === null) await transaction.deleteFrom('handHold').where('cid', '=', cid).execute()
      else
        await transaction
          .insertInto('handHold')
          .values({ cid, since })
          .onConflict((conflict) => conflict.column('cid').doUpdateSet({ since }))
          .execute()
    },
    apply({ cid, since }) {
      if (ahead.has(cid)) {
        // What is in force here since then stays, and is stored after this.
        if (ahead.get(cid) === since) ahead.delete(cid)
        return
      }
      if (since === null) forget(cid)
      else holds.set(cid, since)
      followed(cid, since ?? undefined)
    },
  })
  const write = (cid: string): Promise<void> =>
    changes.inTurn(cid, () => changes.commit({ cid, since: holds.get(cid) ?? null }))
  const store = (cid: string): Promise<OwedReason | undefined> => {
    ahead.set(cid, holds.get(cid) ?? null)
    return held.hold(`hold by hand of ${cid}`, () => write(cid))
  }
  const end = async (cid: string): Promise<OwedReason | undefined> => {
    const wasHeld = holds.has(cid)
    forget(cid)
    return wasHeld ? store(cid) : undefined
  }

  const awaitPush = (cid: string, wait: number): void => {
    awaited.get(cid)?.cancel()
    const cancel = clock.after(wait, () => {
      // It came back at another node.
      if (elsewhere?.(cid)) awaited.delete(cid)
      else end(cid).catch(failed)
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
      if (holds.has(cid) && !elsewhere?.(cid)) awaitPush(cid, returnsWithin)
    },
    /** Its push goes on at another node, which has the hold. */
    wentOn(cid: string) {
      awaited.get(cid)?.cancel()
      awaited.delete(cid)
    },
    /**
     * A push begins: since when it is held by hand, as it comes back after a crash or a loss. From another node it may
     * come before it is known here that it ended there.
     */
    returned(cid: string): number | undefined {
      const waiting = awaited.get(cid)
      waiting?.cancel()
      awaited.delete(cid)
      return waiting || elsewhere ? holds.get(cid) : undefined
    },
    onFollowed(call: (cid: string, since: number | undefined) => void) {
      followed = call
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
      await changes.idle()
    },
  }
}
