import type { DatabaseSync } from 'node:sqlite'
import { noticeType } from '../../contract/catalogue/notices.ts'
import { openDatabaseStore } from '../../platform/stores.ts'
import type { SaidLine } from './copied-line.ts'

/** How a line arrived. */
export interface Arrival {
  readonly at: number
  /** CheckSum valid by the embedded service's rule. */
  readonly verified: boolean
}
interface CopiedQuery {
  readonly profileId: string
  readonly roomid: number
  readonly from?: string | undefined
  /** In ms, inclusive. */
  readonly begin?: number | undefined
  readonly end?: number | undefined
  /** Lines before this msgid. */
  readonly before?: string | undefined
  readonly notices: boolean
  readonly limit: number
}

/** Lines of hosted rooms, on disk. */
export type CopiedLines = ReturnType<typeof copiedLines>

/** Per room and per profile; the oldest are dropped. */
const maxCopied = { room: 2000, profile: 20_000 }
const trimEvery = 50

/** Opens the lines; a damaged file is quarantined. */
export const openCopiedLines = (
  file: string,
  most: { readonly room: number; readonly profile: number } = maxCopied,
): CopiedLines => openDatabaseStore(file, 1, (database) => copiedLines(database, most))

function copiedLines(database: DatabaseSync, most: { readonly room: number; readonly profile: number }) {
  database.exec(`
    pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 2000; pragma secure_delete = on;
    create table if not exists line (
      number integer primary key autoincrement, profileId text not null, roomid integer not null, msgid text not null, at integer not null,
      sender text not null, notice integer not null, came integer, verified integer, line text not null, unique (profileId, roomid, msgid)
    );
    create index if not exists line_at on line (profileId, roomid, at, number);
    create index if not exists line_came on line (profileId, roomid, came);
    create index if not exists line_number on line (profileId, number);
  `)
  const keep = database.prepare(
    'insert into line (profileId, roomid, msgid, at, sender, notice, came, verified, line) values (?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing',
  )
  const came = database.prepare(
    'update line set came = ?4, verified = ?5 where profileId = ?1 and roomid = ?2 and msgid = ?3 and came is null',
  )
  const edge = database.prepare(
    'select at from line where profileId = ? and roomid = ? order by at desc, number desc limit 1 offset ?',
  )
  const trimRoom = database.prepare(
    `delete from line where number in (select number from line where profileId = ? and roomid = ? order by at desc, number desc limit -1 offset ?)`,
  )
  const trimProfile = database.prepare(
    'delete from line where profileId = ?1 and number <= (select number from line where profileId = ?1 order by number desc limit 1 offset ?2)',
  )
  const list = database.prepare(
    `select line from line where profileId = ?1 and roomid = ?2 and (?3 is null or sender = ?3) and (?4 is null or at >= ?4) and (?5 is null or at <= ?5)
     and (?6 or notice = 0)
     and (?8 is null or (at, number) < (select at, number from line where profileId = ?1 and roomid = ?2 and msgid = ?8))
     order by at desc, number desc limit ?7`,
  )
  const last = database.prepare(
    'select came as at, verified from line where profileId = ? and roomid = ? and came is not null order by came desc, number desc limit 1',
  )
  const forget = database.prepare('delete from line where profileId = ?')
  /** Lines since the last trim. */
  const since = new Map<string, number>()

  return {
    /**
     * Keeps a line once. No `arrival`: said here, copy pending. `old`: before a full room's lines. Throws when the disk
     * refuses.
     */
    keep: (profileId: string, line: SaidLine, arrival: Arrival | undefined): 'new' | 'known' | 'old' => {
      const { roomid, msgid, at, from, type } = line
      const full = edge.get(profileId, roomid, most.room - 1) as { at: number } | undefined
      if (full && at < full.at) return 'old'
      const [when, verified] = arrival ? [arrival.at, Number(arrival.verified)] : [null, null]
      if (
        keep.run(profileId, roomid, msgid, at, from, Number(type === noticeType), when, verified, JSON.stringify(line))
          .changes === 0
      ) {
        if (arrival) came.run(profileId, roomid, msgid, when, verified)
        return 'known'
      }
      const key = `${profileId} ${roomid}`
      const added = (since.get(key) ?? 0) + 1
      since.set(key, added % trimEvery)
      if (added === trimEvery) {
        trimRoom.run(profileId, roomid, most.room)
        trimProfile.run(profileId, most.profile)
      }
      return 'new'
    },
    list: ({ profileId, roomid, from, begin, end, before, notices, limit }: CopiedQuery): SaidLine[] => {
      const found = list.all(
        profileId,
        roomid,
        from ?? null,
        begin ?? null,
        end ?? null,
        Number(notices),
        limit,
        before ?? null,
      )
      return (found as unknown as { line: string }[]).map(({ line }) => JSON.parse(line) as SaidLine)
    },
    /** The last copy of a room. */
    last: (profileId: string, roomid: number): Arrival | undefined => {
      const row = last.get(profileId, roomid) as { at: number; verified: number } | undefined
      return row && { at: row.at, verified: row.verified === 1 }
    },
    forget: (profileId: string) => void forget.run(profileId),
    close: () => database.close(),
  }
}
