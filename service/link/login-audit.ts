import { systemClock, type Clock } from '../../platform/clock.ts'
import type { Kysely } from 'kysely'
import { diskRefusalOf } from '../../platform/full-disk.ts'
import { addressGroup, isLoopbackGroup } from '../../platform/address-group.ts'
import { createBoundedLines } from '../../platform/bounded-lines.ts'
import { createTokenBucket, type BucketRate, type TokenBucket } from '../../platform/token-bucket.ts'
import { inBackground } from '../background.ts'
import { ownJobs, type Jobs } from '../jobs/jobs.ts'
import type { Log } from '../log.ts'
import type { LogInRecordTable } from '../storage/messaging-tables.ts'
import type { Tables } from '../storage/schema.ts'
import { createWriteBatch } from '../storage/write-batch.ts'
import { createLru } from '../../platform/lru.ts'
import { repeated } from '../../platform/repeated.ts'

/** A log-in or log-out (2-messaging queryUserEvents). */
export type LogInRecord = Omit<LogInRecordTable, 'recordId'>
/** Kinds of records: 2 login, 3 logout, as in message copies. */
export const recordTypes = { login: 2, logout: 3 } as const

/** Queues copies of log-ins and log-outs (3-chatrooms Login and logout events). */
export interface LogInCopies {
  /** In the transaction that stores the record. */
  enqueue(transaction: Kysely<Tables>, record: LogInRecord): Promise<void>
}

/** The stored log-ins and log-outs. */
export interface LoginAudit {
  /** Stores a record in the background. */
  note(record: LogInRecord): void
  /** Records of an account within a window (inclusive). */
  query(request: {
    readonly uid: number
    readonly accid: string
    readonly begin: number
    readonly end: number
    readonly limit: number
    readonly ascending: boolean
  }): Promise<LogInRecord[]>
  /** Deletes records of an application older than `before`. */
  forget(uid: number, before: number): Promise<void>
  /** Resolves when everything is stored. */
  settled(): Promise<void>
}

/** Records waiting to be stored; further ones are dropped and logged. */
const maxWaiting = 10_000

/** Records kept in memory while the disk is full. */
const maxLeft = 1_000

/** Records per address: enough when a venue reconnects, but only some MB a day from a client that loops. */
const addressRate: BucketRate = { perSecond: 0.2, atOnce: 2_000 }
/** Addresses remembered; the least recent is forgotten. */
const maxAddresses = 10_000

/** Records per delete, so that no statement blocks the database for long. */
const maxRemove = 500

/** Makes the records; `reads` is for long reads. */
export function createLoginAudit(
  db: Kysely<Tables>,
  copies: LogInCopies,
  log: Pick<Log, 'warn'>,
  reads = db,
  clock: Pick<Clock, 'monotonic'> = systemClock,
): LoginAudit {
  const addresses = createLru<TokenBucket>(maxAddresses)
  const leftOutLines = createBoundedLines(clock)
  /** Whether to store a record of an address; always for this computer, as for proxies. */
  const mayKeep = (address: string): boolean => {
    const group = addressGroup(address)
    if (isLoopbackGroup(group)) return true
    const bucket = addresses.of(group, () => createTokenBucket(clock, addressRate))
    if (bucket.wait() > 0) return false
    bucket.spend(1)
    return true
  }
  const store = createWriteBatch<LogInRecord>((records) =>
    db.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('logInRecord')
        .values([...records])
        .execute()
      // At once, so that the outbox writes them together.
      await Promise.all(records.map((record) => copies.enqueue(transaction, record)))
    }),
  )
  const writing = new Set<Promise<void>>()
  /** Refused by a full or read-only disk; stored with the next. */
  let left: LogInRecord[] = []
  const write = (record: LogInRecord): void => {
    const written = store(record)
      .catch((error: unknown) => {
        if (diskRefusalOf(error) && left.length < maxLeft) left.push(record)
        log.warn({ err: error, uid: record.uid, left: left.length }, 'a log-in record could not be stored')
      })
      .finally(() => writing.delete(written))
    writing.add(written)
  }

  return {
    note(record) {
      if (!mayKeep(record.clientIp))
        return leftOutLines.line((leftOut) =>
          log.warn(
            { uid: record.uid, address: record.clientIp, ...leftOut },
            'log-in records are left out: too many of one address',
          ),
        )
      if (writing.size >= maxWaiting)
        return log.warn(
          { uid: record.uid, eventType: record.eventType },
          'a log-in record was dropped: too many are waiting',
        )
      const again = left
      left = []
      for (const each of [...again, record]) write(each)
    },
    query({ uid, accid, begin, end, limit, ascending }) {
      const order = ascending ? 'asc' : 'desc'
      return reads
        .selectFrom('logInRecord')
        .select(['uid', 'accid', 'at', 'eventType', 'clientIp', 'sdkVersion', 'clientType', 'code'])
        .where('uid', '=', uid)
        .where('accid', '=', accid)
        .where('at', '>=', begin)
        .where('at', '<=', end)
        .orderBy('at', order)
        .orderBy('recordId', order)
        .limit(limit)
        .execute()
    },
    async forget(uid, before) {
      for (let gone = maxRemove; gone === maxRemove;) {
        const old = db
          .selectFrom('logInRecord')
          .select('recordId')
          .where('at', '<', before)
          .where('uid', '=', uid)
          .orderBy('at')
          .limit(maxRemove)
        gone = Number(
          (await db.deleteFrom('logInRecord').where('recordId', 'in', old).executeTakeFirst()).numDeletedRows,
        )
      }
    },
    async settled() {
      await Promise.all(writing)
    },
  }
}

/** Interval of removing old records, in ms. */
const forgetEvery = 3_600_000
const day = 86_400_000

/** Deletes old records (behaviour.md#retention-of-messages), now and every hour; returns its end. */
export function forgetOldRecords(options: {
  readonly records: Pick<LoginAudit, 'forget'>
  readonly uids: readonly number[]
  readonly days: (uid: number) => number
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  readonly jobs?: Jobs
}): () => void {
  const { records, uids, days, clock, log, jobs = ownJobs } = options
  const forget = async (): Promise<void> => {
    const forgotten = uids.map((uid) =>
      records
        .forget(uid, clock.now() - days(uid) * day)
        .catch((error: unknown) => log.warn({ err: error, uid }, 'old log-in records could not be deleted')),
    )
    await Promise.all(forgotten)
  }
  const look = (): void =>
    inBackground(jobs.run('log-in records', forgetEvery, forget), log, 'deleting old log-in records')
  look()
  return repeated(clock, forgetEvery, look)
}
