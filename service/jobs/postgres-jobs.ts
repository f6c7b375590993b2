import { randomUUID } from 'node:crypto'
import { sql, type Kysely } from 'kysely'
import type { Clock } from '../../platform/clock.ts'
import { repeated } from '../../platform/repeated.ts'
import { inBackground } from '../background.ts'
import type { Log } from '../log.ts'
import type { Tables } from '../storage/schema.ts'
import type { Jobs } from './jobs.ts'

/** How long a job is its service's without being renewed, in ms: what one that died had begun, another does then. */
const lease = 15_000
/** In ms. */
const renewEvery = 5000
/** Of the time between two runs: each service asks by a timer of its own. */
const share = 0.9

/** The database's time in ms: clocks of computers differ. */
const time = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`

/** Jobs of services that share a PostgreSQL, one row each. */
export function createPostgresJobs(options: {
  readonly db: Kysely<Tables>
  readonly node: string
  readonly clock: Pick<Clock, 'after'>
  readonly log: Pick<Log, 'warn'>
}): Jobs {
  const { db, node, clock, log } = options
  return {
    async run(name, every, work) {
      // Of this run alone: one that lost it ends no other.
      const owner = `${node} ${randomUUID()}`
      const { numAffectedRows } = await sql`
        insert into "job" ("name", "owner", "until", "done") values (${name}, ${owner}, ${time} + ${lease}, 0)
          on conflict ("name") do update set "owner" = excluded."owner", "until" = excluded."until"
            where "job"."until" <= ${time} and "job"."done" + ${Math.floor(every * share)} <= ${time}`.execute(db)
      if (numAffectedRows !== 1n) return
      const renew = async (): Promise<void> => {
        await sql`update "job" set "until" = ${time} + ${lease} where "name" = ${name} and "owner" = ${owner}`.execute(
          db,
        )
      }
      const stop = repeated(clock, renewEvery, () => inBackground(renew(), log, 'renewing a job'))
      let hasEnded = false
      try {
        await work()
        hasEnded = true
      } finally {
        stop()
        const done = hasEnded ? time : sql.ref('done')
        const end = sql`update "job" set "until" = 0, "done" = ${done} where "name" = ${name} and "owner" = ${owner}`
        await end
          .execute(db)
          .catch((error: unknown) => log.warn({ err: error, name }, 'the end of a job was not noted'))
      }
    },
  }
}
