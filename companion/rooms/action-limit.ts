import type { DatabaseSync } from 'node:sqlite'

/** Size limit of the host's entries, and again of all seats'. */
export interface ActionLimit {
  readonly entries: number
  readonly bytes: number
}
/** The usual limit. */
export const actionLimit: ActionLimit = { entries: 100_000, bytes: 32 * 1024 * 1024 }
/** Per insert; an oversized old log shrinks step by step. */
const maxDrops = 500

/** With the database's own overhead. `row` is `new` also where a table is read, under that alias. */
const bytesOf = (row: string, ...columns: string[]): string =>
  ['100', ...columns.map((column) => `coalesce(octet_length(${row}.${column}), 0)`)].join(' + ')
const entryBytes = bytesOf('new', 'what', 'why', 'operator', 'target')
const outcomeBytes = bytesOf('new', 'detail', 'more')
const author = '(select author from action where id = new.id)'

/** Adds counters by author; an older log is counted once. */
export function countActions(database: DatabaseSync): void {
  const had = (table: string, column: string): boolean =>
    database.prepare('select 1 from pragma_table_info(?) where name = ?').get(table, column) !== undefined
  // Older entries count as the host's.
  if (!had('action', 'seat'))
    database.exec(`
      alter table action add column seat integer not null default 0;
      alter table action add column author text generated always as (seat || ' ' || profileId || ' ' || operator) virtual;
    `)
  const counted = had('author', 'bytes')
  database.exec(`
    drop trigger if exists action_remains;
    drop trigger if exists outcome_remains;
    create index if not exists action_author on action (author, id);
    create table if not exists author (author text primary key, seat integer not null, entries integer not null, bytes integer not null) without rowid;
    create table if not exists dropped (
      profileId text not null, roomid integer not null, entries integer not null, until integer not null, primary key (profileId, roomid)
    ) without rowid;
    create trigger if not exists action_counted after insert on action begin
      insert into author values (new.author, new.seat, 1, ${entryBytes})
      on conflict do update set entries = entries + 1, bytes = bytes + excluded.bytes;
    end;
    create trigger if not exists outcome_counted after insert on outcome begin
      update author set bytes = bytes + ${outcomeBytes} where author = ${author};
    end;
    create trigger if not exists outcome_dropped after delete on outcome begin
      update author set bytes = bytes - (${outcomeBytes.replaceAll('new.', 'old.')}) where author = ${author.replace('new.', 'old.')};
    end;
    create trigger if not exists action_dropped after delete on action begin
      update author set entries = entries - 1, bytes = bytes - (${entryBytes.replaceAll('new.', 'old.')}) where author = old.author;
      delete from author where author = old.author and entries = 0;
      insert into dropped values (old.profileId, old.roomid, 1, old.at)
      on conflict do update set entries = entries + 1, until = max(until, excluded.until);
    end;
  `)
  if (!counted)
    database.exec(`
      insert into author select new.author, new.seat, count(*), sum(${entryBytes} + case when o.id is null then 0 else ${outcomeBytes.replaceAll(
        'new.',
        'o.',
      )} end)
      from action new left join outcome o on o.id = new.id group by new.author
    `)
}

/** Drops the oldest entries of the largest author, so that nobody displaces others' entries. */
export function dropBeyond(database: DatabaseSync, limit: ActionLimit): (seat: 0 | 1) => void {
  const sum = database.prepare('select total(entries) as entries, total(bytes) as bytes from author where seat = ?')
  const largest = database.prepare('select author from author where seat = ? order by bytes desc limit 1')
  const oldest = database.prepare('select id from action where author = ? order by id limit 1')
  const outcome = database.prepare('delete from outcome where id = ?')
  const entry = database.prepare('delete from action where id = ?')
  return (seat) => {
    for (let dropped = 0; dropped < maxDrops; dropped++) {
      const { entries, bytes } = sum.get(seat) as { entries: number; bytes: number }
      const most = largest.get(seat) as { author: string } | undefined
      if (!most || (entries <= limit.entries && bytes <= limit.bytes)) return
      const { id } = oldest.get(most.author) as { id: number }
      outcome.run(id)
      entry.run(id)
    }
  }
}
