import type { Kysely } from 'kysely'
import type { Log } from '../log.ts'
import type { AdmissionTable } from '../storage/live-tables.ts'
import type { Tables } from '../storage/schema.ts'

/** Stores admissions in the background, one write at a time, only the newest of each address. */
export function createAdmissionLog(db: Kysely<Tables>, log: Pick<Log, 'warn'>) {
  /** Bounded by the addresses that the gate remembers. */
  const waiting = new Map<string, () => Promise<unknown>>()
  /** Failed writes, retried with the next one. */
  const failed = new Map<string, () => Promise<unknown>>()
  let writing: Promise<void> | undefined

  const write = async (): Promise<void> => {
    for (let next = waiting.entries().next(); !next.done; next = waiting.entries().next()) {
      const [key, run] = next.value
      waiting.delete(key)
      try {
        await run()
      } catch (error) {
        log.warn({ err: error }, 'an admission could not be stored; it is tried again with the next one')
        failed.set(key, run)
      }
    }
    writing = undefined
  }
  const later = (cid: string, wsTime: number, run: () => Promise<unknown>): void => {
    for (const [key, again] of failed) waiting.set(key, again)
    failed.clear()
    waiting.set(`${cid} ${wsTime}`, run)
    writing ??= Promise.resolve().then(write)
  }

  return {
    load: () => db.selectFrom('admission').selectAll().execute(),
    note: (admission: AdmissionTable) =>
      later(admission.cid, admission.wsTime, () =>
        db
          .insertInto('admission')
          .values(admission)
          .onConflict((conflict) =>
            conflict.columns(['cid', 'wsTime']).doUpdateSet({ lastPacket: admission.lastPacket }),
          )
          .execute(),
      ),
    forget: ({ cid, wsTime }: Pick<AdmissionTable, 'cid' | 'wsTime'>) =>
      later(cid, wsTime, () =>
        db.deleteFrom('admission').where('cid', '=', cid).where('wsTime', '=', wsTime).execute(),
      ),
    /** Resolves when all admissions are stored. */
    settled: () => writing ?? Promise.resolve(),
  }
}
