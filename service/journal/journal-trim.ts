import type { Kysely } from 'kysely'
import type { Clock } from '../../platform/clock.ts'
import { repeated } from '../../platform/repeated.ts'
import { createSerial } from '../../platform/serial.ts'
import { inBackground } from '../background.ts'
import type { Log } from '../log.ts'
import type { Tables } from '../storage/schema.ts'

/** Interval in ms. */
const trimEvery = 3_600_000
/** Age in ms up to which entries stay, so that a service that stood still may go on; turns stay as long. */
const kept = 86_400_000
/** Entries per statement, so that nothing waits long for the database. */
const chunk = 500

/** Removes entries and turns that nobody needs any more, once an hour, first after an hour. */
export function createJournalTrim(options: {
  readonly db: Kysely<Tables>
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Pick<Log, 'error' | 'warn'>
}) {
  const { db, clock, log } = options
  const inTurn = createSerial()
  let isClosed = false

  const trim = async (): Promise<void> => {
    const border = clock.now() - kept
    while (!isClosed) {
      const rows = await db.selectFrom('journalEntry').select(['place', 'at']).orderBy('place').limit(chunk).execute()
      const last = rows.findLast(({ at }) => at < border)
      if (last) await db.deleteFrom('journalEntry').where('place', '<=', last.place).execute()
      if (rows.length < chunk || last !== rows.at(-1)) break
    }
    await db.deleteFrom('turn').where('at', '<', border).execute()
  }
  const run = (): Promise<void> => inTurn(trim)
  const stop = repeated(clock, trimEvery, () => inBackground(run(), log, 'removing old changes of the journal'))
  return {
    run,
    async close(): Promise<void> {
      isClosed = true
      stop()
      await inTurn.idle()
    },
  }
}
