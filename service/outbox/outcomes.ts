import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { writeReason } from '../../contract/catalogue/reasons.ts'
import { inBackground } from '../background.ts'
import type { DeliveryTable } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'
import type { Attempt } from './delivery-request.ts'
import type { OutboxOptions } from './outbox-options.ts'

/** Keeps what came of attempts. */
export interface Outcomes {
  /** Resolves, with the target that the message has now, when it is kept, or when the database refused and some time has passed. Never rejects. */
  keep(row: DeliveryTable, attempt: Attempt): Promise<string>
}

/** How long it waits after the database refused, in ms. */
const afterFault = 5_000

/**
 * Makes the keeper. Outcomes of one turn are written together: a broken receiver with a long queue costs few synchronous writes. What came of
 * messages in lines is safe from the end of the process only, as the messages are: after a power failure some are delivered once more.
 */
export function createOutcomes(
  { store, kinds, clock, after, log }: Pick<OutboxOptions, 'store' | 'kinds' | 'clock' | 'after' | 'log'>,
  closing: AbortSignal,
): Outcomes {
  const delivered = store.db
    .updateTable('delivery')
    .set(({ eb }) => ({ state: 'delivered' as const, result: '', attempts: eb('attempts', '+', sql.lit(1)) }))
    .where('nId', '=', '')
    .where('state', '=', 'waiting')
    .compile()
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
            .where('nId', '=', row.nId)
            .executeTakeFirst()
          if (!now) continue
          targets.set(row.nId, now.target)
          const wait = kinds[row.kind]?.resendAfter[now.step]
          const next =
            now.url !== row.url
              ? // It was sent elsewhere meanwhile: the old place says nothing about the new one, which is due already.
                {}
              : wait === undefined
                ? { state: 'failed' as const }
                : { step: now.step + 1, due: clock() + wait }
          await transaction
            .updateTable('delivery')
            .set({ attempts: now.attempts + 1, result: writeReason(attempt.result), ...next })
            .where('nId', '=', row.nId)
            .where('state', '=', 'waiting')
            .execute()
        }
      })
    } catch (error) {
      log.error({ err: error }, 'what came of deliveries could not be kept; they will be made again')
      await new Promise<void>((resolve) => {
        if (closing.aborted) return resolve()
        const cancel = after(afterFault, resolve)
        closing.addEventListener('abort', () => (cancel(), resolve()), { once: true })
      })
    }
    for (const { row, kept } of batch) kept(targets.get(row.nId) ?? row.target)
  }

  return {
    keep: (row, attempt) =>
      new Promise((kept) => {
        ended.push({ row, attempt, kept })
        if (ended.length === 1) inBackground(write(), log, 'keeping what came of deliveries')
      }),
  }
}
