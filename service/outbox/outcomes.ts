import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { writeReason } from '../../contract/catalogue/reasons.ts'
import { inBackground } from '../background.ts'
import type { DeliveryTable } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'
import type { Attempt } from './delivery-request.ts'
import type { OutboxOptions } from './outbox-options.ts'
import type { SharedClaims } from './shared-claims.ts'

/** Stores results of attempts. */
export type Outcomes = ReturnType<typeof createOutcomes>

/** Wait after a database error, in ms. */
const afterFault = 5_000

/**
 * Makes it. Results of one turn are written together, so that a broken receiver with a long queue costs few synchronous
 * writes. Messages in lines survive the end of the process only, as the messages themselves: after a power failure some
 * are delivered again.
 */
export function createOutcomes(
  { store, kinds, clock, log }: Pick<OutboxOptions, 'store' | 'kinds' | 'clock' | 'log'>,
  closing: AbortSignal,
  claims?: Pick<SharedClaims, 'mayStore' | 'done' | 'now'>,
) {
  const time = (): number => claims?.now() ?? clock.now()
  const delivered = store.db
    .updateTable('delivery')
    .set(({ eb }) => ({ state: 'delivered' as const, result: '', attempts: eb('attempts', '+', sql.lit(1)) }))
    .where('nId', '=', '')
    .where('state', '=', 'waiting')
    .compile()
  const attempts = { delivered: 0, failed: 0 }
  let ended: { readonly row: DeliveryTable; readonly attempt: Attempt; readonly kept: (target: string) => void }[] = []

  const write = async (): Promise<void> => {
    await setImmediate()
    const batch = ended
    ended = []
    const targets = new Map<string, string>()
    const transact: Store['durable'] = batch.every(({ row }) => row.line !== null)
      ? (work) => store.db.transaction().execute(work)
      : store.durable
    try {
      await transact(async (transaction) => {
        for (const { row, attempt } of batch) {
          if (attempt.delivered) {
            await transaction.executeQuery({
              ...delivered,
              parameters: ['delivered', writeReason(attempt.result), row.nId, 'waiting'],
            })
            continue
          }
          const now = await transaction
            .selectFrom('delivery')
            .select(['step', 'attempts', 'url', 'target'])
            .$if(claims !== undefined, (query) => query.select('claimedBy').forUpdate())
            .where('nId', '=', row.nId)
            .executeTakeFirst()
          if (!now) continue
          if (claims && !claims.mayStore(row, { step: now.step, claimedBy: now.claimedBy ?? null })) continue
          targets.set(row.nId, now.target)
          const wait = kinds[row.kind]?.resendAfter[now.step]
          const next =
            now.url !== row.url
              ? // Redirected meanwhile: this result is not about the new target, for which it is already due.
                {}
              : wait === undefined
                ? { state: 'failed' as const }
                : { step: now.step + 1, due: time() + wait }
          await transaction
            .updateTable('delivery')
            .set({ attempts: now.attempts + 1, result: writeReason(attempt.result), ...next })
            .where('nId', '=', row.nId)
            .where('state', '=', 'waiting')
            .execute()
        }
      })
    } catch (error) {
      log.error({ err: error }, 'results of deliveries could not be stored; the deliveries will be repeated')
      await new Promise<void>((resolve) => {
        if (closing.aborted) return resolve()
        const cancel = clock.after(afterFault, resolve)
        closing.addEventListener('abort', () => (cancel(), resolve()), { once: true })
      })
    }
    for (const { row, kept } of batch) {
      claims?.done(row.nId)
      kept(targets.get(row.nId) ?? row.target)
    }
  }

  return {
    /** Attempts since the start, by what came of them. */
    attempts: (): Readonly<Record<'delivered' | 'failed', number>> => attempts,
    /** Resolves with the message's current target once stored, or some time after a database error. Never rejects. */
    keep: (row: DeliveryTable, attempt: Attempt) =>
      new Promise<string>((kept) => {
        attempts[attempt.delivered ? 'delivered' : 'failed'] += 1
        ended.push({ row, attempt, kept })
        if (ended.length === 1) inBackground(write(), log, 'keeping what came of deliveries')
      }),
  }
}
