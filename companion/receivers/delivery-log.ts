import { readReason, writeReason, type ReasonOf } from '../../contract/catalogue/reasons.ts'
import type { Delivery } from '../../contract/rpc/index.ts'
import { openReceiverDatabase, type ReceiverDatabase } from './receiver-database.ts'

interface Arrival {
  readonly profileId: string
  readonly at: number
  readonly verdict: 'genuine' | 'forged' | 'unreadable'
  readonly test: Delivery['test']
  readonly from: string
  readonly why: ReasonOf<'callback'> | null
  readonly fields: Readonly<Record<string, string>>
  readonly nId?: string
  /** By when its nId came first. */
  readonly stale: (firstSeen: number | undefined) => boolean
  readonly sign: string
  readonly body: string
}

/** Per profile; the oldest are dropped. */
const maxGenuine = 500
const maxOthers = 100
const maxSeen = 20_000

interface Row {
  readonly id: number
  readonly at: number
  readonly verdict: Delivery['verdict']
  readonly stale: number
  readonly test: Delivery['test']
  readonly remote: string
  readonly why: string | null
  readonly fields: string
}
const deliveryOf = ({ id, at, verdict, stale, test, remote, why, fields }: Row): Delivery => ({
  id,
  at,
  verdict,
  stale: stale === 1,
  test,
  from: remote,
  why: readReason('callback', why) ?? null,
  fields: JSON.parse(fields) as Record<string, string>,
})

/** Opens the log; a damaged one is quarantined. */
export const openDeliveryLog = (file: string) => openReceiverDatabase(file, tables, deliveryLog)

const tables = {
  seen: 'number integer primary key, profileId text not null, nId text not null, at integer not null, unique (profileId, nId)',
  delivery: `id integer primary key autoincrement, profileId text not null, at integer not null, verdict text not null, stale integer not null, test text,
    remote text not null, why text, fields text not null, sign text not null, body text not null`,
}

function deliveryLog({ database, places, together, forget }: ReceiverDatabase) {
  database.exec(
    'create index if not exists delivery_of on delivery (profileId, id); create index if not exists seen_of on seen (profileId, number)',
  )
  const sql = {
    seen: database.prepare('select at from seen where profileId = ? and nId = ?'),
    see: database.prepare('insert into seen (profileId, nId, at) values (?, ?, ?)'),
    keep: database.prepare(
      'insert into delivery (profileId, at, verdict, stale, test, remote, why, fields, sign, body) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id, at, verdict, stale, test, remote, why, fields',
    ),
    trimSeen: database.prepare(
      'delete from seen where profileId = ?1 and number <= (select number from seen where profileId = ?1 order by number desc limit 1 offset ?2)',
    ),
    trimGenuine: database.prepare(
      `delete from delivery where profileId = ?1 and verdict in ('accepted', 'duplicate') and id <= (select id from delivery where profileId = ?1 and verdict in ('accepted', 'duplicate') order by id desc limit 1 offset ?2)`,
    ),
    trimOthers: database.prepare(
      `delete from delivery where profileId = ?1 and verdict in ('forged', 'unreadable') and id <= (select id from delivery where profileId = ?1 and verdict in ('forged', 'unreadable') order by id desc limit 1 offset ?2)`,
    ),
    list: database.prepare(
      'select id, at, verdict, stale, test, remote, why, fields from delivery where profileId = ? order by id desc limit ?',
    ),
    original: database.prepare(
      `select body, sign from delivery where profileId = ? and id = ? and verdict in ('accepted', 'duplicate')`,
    ),
  }

  return {
    /** A repeated nId is a duplicate. On disk when it returns. Throws when the disk refuses. */
    keep: ({ profileId, at, verdict, test, from, why, fields, nId, stale, sign, body }: Arrival): Delivery =>
      together(() => {
        let judged: Delivery['verdict'] = verdict === 'genuine' ? 'accepted' : verdict
        let firstSeen: number | undefined
        if (nId !== undefined) {
          firstSeen = (sql.seen.get(profileId, nId) as { at: number } | undefined)?.at
          if (firstSeen === undefined) {
            sql.see.run(profileId, nId, at)
            sql.trimSeen.run(profileId, maxSeen)
          } else judged = 'duplicate'
        }
        const late = verdict === 'genuine' && stale(firstSeen)
        const row = sql.keep.get(
          profileId,
          at,
          judged,
          Number(late),
          test,
          from,
          why && writeReason(why),
          JSON.stringify(fields),
          sign,
          verdict === 'genuine' ? body : '',
        ) as unknown as Row
        if (verdict === 'genuine') sql.trimGenuine.run(profileId, maxGenuine)
        else sql.trimOthers.run(profileId, maxOthers)
        return deliveryOf(row)
      }),
    list: (profileId: string, limit: number): Delivery[] =>
      (sql.list.all(profileId, limit) as unknown as Row[]).map(deliveryOf),
    original: (profileId: string, id: number): { readonly body: string; readonly sign: string } | undefined =>
      sql.original.get(profileId, id) as { body: string; sign: string } | undefined,
    places,
    forget,
    close: () => database.close(),
  }
}
