import { sql, type Kysely, type RawBuilder } from 'kysely'
import { deliveryTimeout } from '../../contract/callbacks/recording.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../log.ts'
import { databaseTime } from '../storage/database-time.ts'
import type { DeliveryTable, Tables } from '../storage/schema.ts'
import { columns, notYet } from './deliveries.ts'

/** Which messages and lines this process of a cluster sends. */
export type SharedClaims = Awaited<ReturnType<typeof createSharedClaims>>

/** A line that was claimed, with the message that blocks it. */
export interface ClaimedLine {
  readonly line: string
  readonly target: string
  readonly head: string | undefined
}

/** How long a claim holds without being renewed, in ms: what a process that died had is sent by others then. */
export const claimLease = 15_000
/** In ms. */
const renewEvery = 1000
/** Lines that are sent at once for one target, and in all; more would wait here for what others could send. */
const perTarget = 4
const inAll = 32

/** The database's time in ms: clocks of computers differ. */
const time = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`

/**
 * Makes the claims of a process at the outbox of a PostgreSQL. A message without an order is claimed by its due time,
 * which is when others may send it; a line by a row, which is renewed. `owner` is another one for each process.
 */
export async function createSharedClaims(options: {
  readonly db: Kysely<Tables>
  readonly owner: string
  /** Kinds of messages that this process can send; others are left to a newer release. */
  readonly kinds: readonly string[]
  /** Resends after which a line passes a message. */
  readonly passedSteps: number
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}) {
  const { db, owner, kinds, passedSteps, clock, log } = options
  /** When the claim of each line ends, by the monotonic clock. */
  const lines = new Map<string, number>()
  const messages = new Set<string>()
  let known = { time: 0, at: 0 }
  let last = 0
  const readTime = async (): Promise<void> => {
    const read = await databaseTime(db)
    // Of the answer, so that it is never ahead of the database.
    known = { time: read, at: clock.monotonic() }
  }
  await readTime()
  /** Whether something can be sent in a line: the next message of those that wait for their turn, or one to resend. */
  const isSendable = (line: RawBuilder<unknown>) => sql`(
    exists (select from "delivery" where "state" = 'waiting' and "line" = ${line} and "due" <= ${time}
      and "kind" = any(${kinds}))
    or exists (select from (select "kind" from "delivery" where "state" = 'waiting' and "line" = ${line}
      and "due" = ${notYet} order by "place" limit 1) "next" where "kind" = any(${kinds})))`

  const renew = async (): Promise<void> => {
    const at = clock.monotonic()
    await readTime()
    if (lines.size === 0) return
    const { rows } = await sql<{ line: string }>`
      update "deliveryLine" set "until" = ${time} + ${claimLease}
        where "owner" = ${owner} and "line" = any(${[...lines.keys()]}) returning "line"`.execute(db)
    for (const { line } of rows) if (lines.has(line)) lines.set(line, at + claimLease)
  }
  let hasFailed = false
  let isClosed = false
  let renewing: Promise<void> | undefined
  let cancel = (): void => {}
  const renewAgain = (): void => {
    cancel = clock.after(renewEvery, () => {
      renewing = renew()
        .then(() => {
          hasFailed = false
        })
        .catch((error: unknown) => {
          if (!hasFailed) log.warn({ err: error }, 'what this service sends of the outbox cannot be claimed further')
          hasFailed = true
        })
        .finally(() => {
          renewing = undefined
          if (!isClosed) renewAgain()
        })
    })
  }
  renewAgain()
  const hasLine = (line: string): boolean => (lines.get(line) ?? 0) > clock.monotonic() + deliveryTimeout + renewEvery

  return {
    owner,
    /** The database's time in ms, as far as it is known; it does not go back. */
    now: (): number => (last = Math.max(last, Math.floor(known.time + clock.monotonic() - known.at))),
    /** Claims due messages of a target, longest due first: those without a line, and of the lines that are held. */
    async due(target: string, limit: number): Promise<DeliveryTable[]> {
      const { rows } = await sql<DeliveryTable>`
        update "delivery" set "due" = ${time} + ${claimLease}, "claimedBy" = ${owner} where "nId" in (
          select "nId" from "delivery"
            where "state" = 'waiting' and "target" = ${target} and "due" <= ${time} and "nId" <> all(${[...messages]})
              and "kind" = any(${kinds}) and ("line" is null or "line" = any(${[...lines.keys()]}))
            order by "due", "place" limit ${limit} for update skip locked
        ) returning ${sql.join(columns.map((name) => sql.ref(name)))}`.execute(db)
      for (const { nId } of rows) messages.add(nId)
      return rows
    },
    /** A message is not under way here any more. */
    done: (nId: string): boolean => messages.delete(nId),
    /** Whether the line is this process's for long enough to send a message. */
    hasLine(line: string): boolean {
      const isHeld = hasLine(line)
      if (!isHeld) lines.delete(line)
      return isHeld
    },
    /** Whether the line was claimed here and not let go. */
    knowsLine: (line: string): boolean => lines.has(line),
    /** Claims lines in which something can be sent, besides the `active` ones of each target. */
    async lines(active: ReadonlyMap<string, number>): Promise<ClaimedLine[]> {
      const room = inAll - [...active.values()].reduce((sum, count) => sum + count, 0)
      if (room <= 0 || isClosed) return []
      const at = clock.monotonic()
      const busy = [...active].filter(([, count]) => count >= perTarget).map(([target]) => target)
      // From line to line: a few lines may have a million messages.
      const { rows } = await sql<{ line: string; target: string; head: string | null }>`
        with recursive "each" ("line") as (
          (select "line" from "delivery" where "state" = 'waiting' and "line" is not null order by "line" limit 1)
          union all
          select (select "line" from "delivery" where "state" = 'waiting' and "line" > "each"."line"
            order by "line" limit 1) from "each" where "each"."line" is not null
        ), "free" as (
          select "each"."line", "first"."target", "first"."place", "first"."head",
              row_number() over (partition by "first"."target" order by "first"."place") as "number"
            from "each" cross join lateral (
              select "target", "place", "kind",
                  case when "due" < ${notYet} and "step" < ${passedSteps} then "nId" end as "head"
                from "delivery" where "state" = 'waiting' and "line" = "each"."line"
                order by "place" limit 1
            ) "first"
            where "each"."line" is not null and "first"."target" <> all(${busy})
              and "first"."kind" = any(${kinds}) and ${isSendable(sql.ref('each.line'))}
              and not exists (select from "deliveryLine" where "line" = "each"."line" and "until" > ${time})
        ), "taken" as (
          insert into "deliveryLine" ("line", "owner", "until")
            select "line", ${owner}, ${time} + ${claimLease} from "free" where "number" <= ${perTarget}
              order by "place" limit ${room}
            on conflict ("line") do update set "owner" = excluded."owner", "until" = excluded."until"
              where "deliveryLine"."until" <= ${time}
            returning "line"
        ) select "line", "target", "head" from "taken" join "free" using ("line")`.execute(db)
      for (const { line } of rows) lines.set(line, at + claimLease)
      return rows.map(({ line, target, head }) => ({ line, target, head: head ?? undefined }))
    },
    /** Lets a line go where nothing can be sent in it; false where something came meanwhile. */
    async release(line: string): Promise<boolean> {
      const { numAffectedRows = 0n } = await sql`
        delete from "deliveryLine" where "line" = ${line} and "owner" = ${owner}
          and not ${isSendable(sql`${line}`)}`.execute(db)
      if (numAffectedRows > 0n || !hasLine(line)) {
        lines.delete(line)
        return true
      }
      return false
    },
    /** Whether a failure that was seen of a message may be stored: nobody else has taken the message since. */
    mayStore: (row: DeliveryTable, now: { readonly step: number; readonly claimedBy: string | null }): boolean =>
      messages.has(row.nId) ? now.claimedBy === owner : now.step === row.step,
    /** Lets everything go. */
    async close() {
      isClosed = true
      cancel()
      await renewing
      await sql`delete from "deliveryLine" where "owner" = ${owner}`.execute(db)
      if (messages.size > 0)
        await sql`update "delivery" set "due" = ${time} where "state" = 'waiting' and "claimedBy" = ${owner}
          and "nId" = any(${[...messages]})`.execute(db)
    },
  }
}
