import type { DatabaseSync } from 'node:sqlite'
import { openDatabaseStore } from '../../platform/stores.ts'

/** Where a receiver listens. */
export interface Place {
  readonly host: string
  readonly port: number
  readonly on: boolean
}

/** Where receivers listen, kept between starts of the app. */
export interface Places {
  all(): ReadonlyMap<string, Place>
  set(profileId: string, place: Place): void
}

/** Database of receivers; writes survive a kill. */
export interface ReceiverDatabase {
  readonly database: DatabaseSync
  readonly places: Places
  together<T>(work: () => T): T
  forget(profileId: string): void
}

/** Opens a database with these tables, which have a profileId each; a damaged one is quarantined. */
export const openReceiverDatabase = <T>(
  file: string,
  tables: Readonly<Record<string, string>>,
  open: (database: ReceiverDatabase) => T,
): T => openDatabaseStore(file, 1, (database) => open(receiverDatabase(database, tables)))

function receiverDatabase(database: DatabaseSync, tables: Readonly<Record<string, string>>): ReceiverDatabase {
  database.exec(`
    pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 2000;
    create table if not exists place (profileId text primary key, host text not null, port integer not null, "on" integer not null);
    ${Object.entries(tables)
      .map(([name, columns]) => `create table if not exists ${name} (${columns});`)
      .join('\n')}
  `)
  const placed = database.prepare('select profileId, host, port, "on" from place')
  const place = database.prepare(
    'insert into place (profileId, host, port, "on") values (?, ?, ?, ?) on conflict (profileId) do update set host = excluded.host, port = excluded.port, "on" = excluded."on"',
  )
  const together = <T>(work: () => T): T => {
    database.exec('begin immediate')
    try {
      const result = work()
      database.exec('commit')
      return result
    } catch (error) {
      // On a full disk SQLite rolls back by itself.
      if (database.isTransaction) database.exec('rollback')
      throw error
    }
  }
  return {
    database,
    places: {
      all: () =>
        new Map(
          (placed.all() as unknown as { profileId: string; host: string; port: number; on: number }[]).map(
            ({ profileId, host, port, on }) => [profileId, { host, port, on: on === 1 }],
          ),
        ),
      set: (profileId, { host, port, on }) => void place.run(profileId, host, port, Number(on)),
    },
    together,
    forget: (profileId) =>
      together(() => {
        for (const table of ['place', ...Object.keys(tables)])
          database.prepare(`delete from ${table} where profileId = ?`).run(profileId)
      }),
  }
}
