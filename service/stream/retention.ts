import type { Clock } from '../../platform/clock.ts'
import type { Kysely } from 'kysely'
import { createAgeClock } from '../../platform/age-clock.ts'
import { inBackground } from '../background.ts'
import { ownJobs, type Jobs } from '../jobs/jobs.ts'
import type { Log } from '../log.ts'
import type { Tables } from '../storage/schema.ts'
import { placeOfTime } from './place-of-time.ts'
import type { KeepDays } from './keep-days.ts'
import { countedDays } from './unread.ts'
import { createSerial } from '../../platform/serial.ts'
import { repeated } from '../../platform/repeated.ts'

/** Interval of removals, in ms. */
const removeEvery = 3_600_000
/** Rows per delete, so that nothing waits long for the database. */
const chunk = 500
const day = 86_400_000

/** Removes events beyond their application's retention once an hour, first after an hour. */
export function createRetention(options: {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly keep: (uid: number) => KeepDays
  readonly uids: readonly number[]
  readonly log: Log
  readonly jobs?: Jobs
}) {
  const { db, clock, keep, uids, log, jobs = ownJobs } = options
  const age = createAgeClock(clock)
  let closed = false
  const inTurn = createSerial()

  const removeEvents = async (now: number): Promise<void> => {
    const oldest = new Map(uids.map((uid) => [uid, now - keep(uid).historyDays * day]))
    const newest = Math.max(...oldest.values())
    for (let from = 0; !closed;) {
      const rows = await db
        .selectFrom('event')
        .select(['seq', 'uid', 'at'])
        .where('seq', '>', from)
        .orderBy('seq')
        .limit(chunk)
        .execute()
      const old = rows.filter(({ uid, at }) => at < (oldest.get(uid) ?? newest)).map(({ seq }) => seq)
      if (old.length > 0) await db.deleteFrom('event').where('seq', 'in', old).execute()
      if (rows.length < chunk || rows.every(({ at }) => at >= newest)) return
      from = rows.at(-1)!.seq
    }
  }
  const removeBefore = async (table: 'inbox' | 'sentOnce', border: number): Promise<void> => {
    while (!closed) {
      const rows = await db
        .selectFrom(table)
        .select('seq')
        .where('seq', '<', border)
        .orderBy('seq')
        .limit(chunk)
        .execute()
      if (rows.length === 0) return
      await db.deleteFrom(table).where('seq', '<=', rows.at(-1)!.seq).execute()
    }
  }
  const remove = async (): Promise<void> => {
    if (uids.length === 0) return
    const now = age()
    // Before the events, whose times define the limit.
    const days = Math.max(countedDays, ...uids.flatMap((uid) => [keep(uid).roamingDays, keep(uid).offlineDays]))
    const border = await placeOfTime(db, now - days * day)
    await removeBefore('inbox', border)
    await removeBefore('sentOnce', border)
    await removeEvents(now)
  }
  const run = (): Promise<void> =>
    inTurn(() => jobs.run('messages', removeEvery, remove)).catch((error: unknown) =>
      log.error({ err: error }, 'old messages could not be removed'),
    )

  const stop = repeated(clock, removeEvery, () => inBackground(run(), log, 'removing old messages'))
  return {
    run,
    /** Stops, and waits until a running removal pauses. */
    async close(): Promise<void> {
      closed = true
      stop()
      await inTurn.idle()
    },
  }
}
