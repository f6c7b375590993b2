import { readReason, type ReasonOf } from '../../contract/catalogue/reasons.ts'
import type { ReceivedCopy } from '../../contract/rpc/index.ts'
import { openReceiverDatabase, type ReceiverDatabase } from './receiver-database.ts'

/** What is kept of one copy. */
export interface CopyArrival extends Omit<ReceivedCopy, 'id'> {
  readonly profileId: string
  /** Identifies duplicates. */
  readonly once?: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Per profile; forged copies never displace genuine ones. */
const maxGenuine = 1000
const maxOthers = 200
const maxSeen = 50_000
const trimEvery = 100

interface Row {
  readonly id: number
  readonly about: string
}
/** Earlier versions kept a sentence in `why`. */
type Kept = Omit<ReceivedCopy, 'id' | 'why'> & { readonly why: ReasonOf<'copy'> | string | null }
const copyOf = ({ id, about }: Row): ReceivedCopy => {
  const kept = JSON.parse(about) as Kept
  return { id, ...kept, why: typeof kept.why === 'string' ? (readReason('copy', kept.why) ?? null) : kept.why }
}

/** Opens the log; a damaged one is quarantined. */
export const openCopyLog = (file: string) => openReceiverDatabase(file, tables, copyLog)

const tables = {
  seen: 'number integer primary key, profileId text not null, once text not null, unique (profileId, once)',
  copy: 'id integer primary key autoincrement, profileId text not null, about text not null, headers text not null, body text not null',
}

function copyLog({ database, places, together, forget }: ReceiverDatabase) {
  database.exec(
    'create index if not exists copy_of on copy (profileId, id); create index if not exists seen_of on seen (profileId, number)',
  )
  const sql = {
    see: database.prepare('insert into seen (profileId, once) values (?, ?) on conflict do nothing'),
    keep: database.prepare(
      'insert into copy (profileId, about, headers, body) values (?, ?, ?, ?) returning id, about',
    ),
    trimSeen: database.prepare(
      'delete from seen where profileId = ?1 and number <= (select number from seen where profileId = ?1 order by number desc limit 1 offset ?2)',
    ),
    trimGenuine: database.prepare(
      `delete from copy where profileId = ?1 and body != '' and id <= (select id from copy where profileId = ?1 and body != '' order by id desc limit 1 offset ?2)`,
    ),
    trimOthers: database.prepare(
      `delete from copy where profileId = ?1 and body = '' and id <= (select id from copy where profileId = ?1 and body = '' order by id desc limit 1 offset ?2)`,
    ),
    list: database.prepare('select id, about from copy where profileId = ? order by id desc limit ?'),
    original: database.prepare(`select headers, body from copy where profileId = ? and id = ? and body != ''`),
  }

  return {
    /** On disk when it returns. Throws when the disk refuses. */
    keep: ({ profileId, once, headers, body, ...about }: CopyArrival): ReceivedCopy =>
      together(() => {
        const duplicate = once !== undefined && sql.see.run(profileId, once).changes === 0
        const genuine = about.verdict !== 'forged' && about.verdict !== 'unreadable'
        const judged = JSON.stringify(duplicate ? { ...about, verdict: 'duplicate' } : about)
        const row = sql.keep.get(
          profileId,
          judged,
          genuine ? JSON.stringify(headers) : '{}',
          genuine ? body : '',
        ) as unknown as Row
        if (row.id % trimEvery === 0) {
          sql.trimGenuine.run(profileId, maxGenuine)
          sql.trimOthers.run(profileId, maxOthers)
          sql.trimSeen.run(profileId, maxSeen)
        }
        return copyOf(row)
      }),
    list: (profileId: string, limit: number): ReceivedCopy[] =>
      (sql.list.all(profileId, limit) as unknown as Row[]).map(copyOf),
    original(
      profileId: string,
      id: number,
    ): { readonly body: string; readonly headers: Readonly<Record<string, string>> } | undefined {
      const row = sql.original.get(profileId, id) as { body: string; headers: string } | undefined
      return row && { body: row.body, headers: JSON.parse(row.headers) as Record<string, string> }
    },
    places,
    forget,
    close: () => database.close(),
  }
}
