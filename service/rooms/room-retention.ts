import type { Clock } from '../../platform/clock.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { createAgeClock } from '../../platform/age-clock.ts'
import { inBackground } from '../background.ts'
import { ownJobs, type Jobs } from '../jobs/jobs.ts'
import type { Log } from '../log.ts'
import type { Tables } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'
import type { RoomNames } from './room-names.ts'
import type { RoomStatistics } from './room-statistics.ts'
import { createSerial } from '../../platform/serial.ts'
import { repeated } from '../../platform/repeated.ts'

/** Interval of removals, in ms. */
const removeEvery = 3_600_000
/** Rows per delete, and the pause after it in ms, four times as long as one takes, so that others get the database. */
const chunk = 100
const restAfter = 20
const day = 86_400_000
/** Size of the database at which the oldest lines are removed early, as strangers can write lines; bytes. */
const mostBytes = 4 * 2 ** 30
/** The newest lines always kept. */
const fewestLines = 500_000

/** Removes once an hour: lines beyond the retention, and the oldest while the database is too large. */
export function createRoomRetention(options: {
  readonly store: Pick<Store, 'db' | 'bytes'>
  readonly reads?: Kysely<Tables>
  readonly statistics: Pick<RoomStatistics, 'removeOld'>
  readonly names: Pick<RoomNames, 'removeOld'>
  readonly clock: Clock
  readonly historyDays: (uid: number) => number
  readonly uids: readonly number[]
  readonly log: Log
  readonly jobs?: Jobs
  readonly size?: { readonly mostBytes: number; readonly fewestLines: number }
}) {
  const {
    store,
    reads = store.db,
    statistics,
    names,
    clock,
    historyDays,
    uids,
    log,
    jobs = ownJobs,
    size = { mostBytes, fewestLines },
  } = options
  const age = createAgeClock(clock)
  let closed = false
  const inTurn = createSerial()

  const { db } = store
  const held = async (): Promise<number> => (await store.bytes()) ?? 0
  /** Removes the oldest lines of all rooms until the size is right. */
  const shorten = async (): Promise<void> => {
    if ((await held()) <= size.mostBytes) return
    // Rows, not numbers: a repeated line uses up a number.
    const lastToGo = await reads
      .selectFrom('roomLine')
      .select('line')
      .where('line', '<=', Number.MAX_SAFE_INTEGER)
      .orderBy('line', 'desc')
      .limit(1)
      .offset(size.fewestLines)
      .executeTakeFirst()
    if (!lastToGo) return
    let removed = 0
    while (!closed && (await held()) > size.mostBytes) {
      const rows = await db
        .selectFrom('roomLine')
        .select('line')
        .where('line', '<=', lastToGo.line)
        .orderBy('line')
        .limit(chunk)
        .execute()
      const last = rows.at(-1)
      if (!last) break
      await db.deleteFrom('roomLine').where('line', '<=', last.line).execute()
      removed += rows.length
      await sleep(restAfter)
    }
    if (removed > 0)
      log.warn(
        { removed, most: size.mostBytes },
        'the oldest lines of rooms were removed: the database holds more than it may',
      )
  }

  const remove = async (): Promise<void> => {
    // Of what each service has in memory too.
    await names.removeOld()
    await jobs.run('lines of rooms', removeEvery, async () => {
      await statistics.removeOld(chunk)
      await removeOld()
      await shorten()
    })
  }
  const removeOld = async (): Promise<void> => {
    if (uids.length === 0) return
    // In order of saying, which is that of times unless the clock was set.
    const now = age()
    const oldest = new Map(uids.map((uid) => [uid, now - historyDays(uid) * day]))
    const newest = Math.max(...oldest.values())
    for (let from = 0; !closed;) {
      const rows = await db
        .selectFrom('roomLine')
        .select(['line', 'uid', 'at'])
        .where('line', '>', from)
        .orderBy('line')
        .limit(chunk)
        .execute()
      const old = rows.filter(({ uid, at }) => at < (oldest.get(uid) ?? 0)).map(({ line }) => line)
      if (old.length > 0) {
        await db.deleteFrom('roomLine').where('line', 'in', old).execute()
        await sleep(restAfter)
      }
      if (rows.length < chunk || rows.every(({ at }) => at >= newest)) return
      from = rows.at(-1)!.line
    }
  }
  const run = (): Promise<void> =>
    inTurn(remove).catch((error: unknown) => log.error({ err: error }, 'old lines of rooms could not be removed'))
  const stop = repeated(clock, removeEvery, () => inBackground(run(), log, 'removing old lines of rooms'))
  return {
    run,
    /** Stops, and waits for a running removal. */
    async close(): Promise<void> {
      closed = true
      stop()
      await inTurn.idle()
    },
  }
}

/** Removes old lines and counters. */
export type RoomRetention = ReturnType<typeof createRoomRetention>
