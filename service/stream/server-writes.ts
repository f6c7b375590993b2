import { CompiledQuery, type Kysely } from 'kysely'
import type { NewEvent } from '../events/event.ts'
import type { Tables } from '../storage/schema.ts'
import { conversationOf, hasBadge, inboxEntriesOf } from './event-writes.ts'

/** Times of other services that are this much ahead of the own clock, in ms, are not taken over. */
const mostAhead = 1000

/**
 * Takes places for events and stores those whose key is new, with keys and inbox entries. Places go on from the
 * counter, whose row is locked until the commit; the time is not before that of the place before. A frame gets its
 * place and time as `framed` (stream.ts) gives it. Answers the place before the first, the time, and which events have
 * a key that was used, by their number from 1 on. The server plans with what it expects: one row of the counter, which
 * it would take for thousands where the table was never looked through.
 */
const putEvents = `with place as (
  update "streamPosition" set "value" = "value" + $1::bigint,
    "at" = case when "at" between $2::bigint and $2::bigint + ${mostAhead} then "at" else $2::bigint end
  returning "value" - $1::bigint as "before", "at"
), given as materialized (
  select place."before" + g."n" as "seq", place."at", g.*
  from (select * from place limit 1) as place, unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::integer[], $9::text[])
    with ordinality as g("uid", "kind", "conversation", "sender", "frame", "flags", "clientId", "n")
), once as (
  insert into "sentOnce" ("uid", "sender", "clientId", "seq", "at")
  select "uid", "sender", "clientId", "seq", "at" from given where "clientId" is not null order by "seq"
  on conflict ("uid", "sender", "clientId") do nothing returning "seq"
), fresh as materialized (
  select given.* from given left join once using ("seq") where "clientId" is null or once."seq" is not null
), stored as (
  insert into "event" ("seq", "uid", "at", "kind", "conversation", "sender", "frame", "history", "roam", "offline",
    "hidden", "badge", "sync", "recalled")
  select "seq", "uid", "at", "kind", "conversation", "sender",
    left("frame", -1) || ',"seq":' || "seq" || ',"at":' || "at"
      || case when "kind" = 'notification' then ',"msgid":' || "seq" else '' end || '}',
    "flags" & 1, "flags" >> 1 & 1, "flags" >> 2 & 1, "flags" >> 3 & 1, "flags" >> 4 & 1, "flags" >> 5 & 1, 0
  from fresh
), entries as (
  insert into "inbox" ("uid", "accid", "seq", "counts")
  select fresh."uid", e."accid", fresh."seq", e."counts"
  from fresh join unnest($10::bigint[], $11::text[], $12::integer[]) with ordinality
    as e("n", "accid", "counts", "order") using ("n")
  order by e."order"
)
select "before", "at", array(
  select "n"::integer from given left join once using ("seq") where "clientId" is not null and once."seq" is null
) as "repeated" from place`

const flagsOf = (event: NewEvent): number => {
  const { keep, hidden, sync } = event
  const flags = [keep.history, keep.roam, keep.offline, hidden === true, hasBadge(event), sync !== false]
  return flags.reduce((all, flag, bit) => all | (Number(flag) << bit), 0)
}

/** Where events were put. */
interface PutEvents {
  /** Place of the first; the others follow it, also those that are not stored. */
  readonly first: number
  readonly at: number
  /** Which were not stored, as their idempotency key was used before. */
  readonly repeated: readonly number[]
}

/** Stores events on a server in one statement: each more would hold up all services for a round trip. */
export async function putOnServer(db: Kysely<Tables>, events: readonly NewEvent[], now: number): Promise<PutEvents> {
  const entries = events.flatMap((event, index) =>
    inboxEntriesOf(event).map(({ accid, counts }) => ({ number: index + 1, accid, counts })),
  )
  const parameters = [
    events.length,
    now,
    events.map(({ uid }) => uid),
    events.map(({ frame }) => frame.t),
    events.map(conversationOf),
    events.map(({ from }) => from),
    events.map(({ frame }) => JSON.stringify(frame)),
    events.map(flagsOf),
    events.map(({ idempotencyKey }) => idempotencyKey ?? null),
    entries.map(({ number }) => number),
    entries.map(({ accid }) => accid),
    entries.map(({ counts }) => counts),
  ]
  const { rows } = await db.executeQuery<{ before: number; at: number; repeated: readonly number[] }>(
    CompiledQuery.raw(putEvents, parameters),
  )
  const { before, at, repeated } = rows[0]!
  return { first: before + 1, at, repeated: repeated.map((number) => number - 1) }
}
