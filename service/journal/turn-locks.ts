import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Pool, QueryResult } from 'pg'
import type { Clock } from '../../platform/clock.ts'
import { createKeyedSerial } from '../../platform/serial.ts'
import type { Tables } from '../storage/schema.ts'
import { storedText } from '../storage/postgres-values.ts'

/** A turn on a key, for work that is done one piece after the other. */
export interface Turn {
  /** Place of the last change that was stored when it began. */
  readonly last: number
  /** In the transaction of a change: rejects where the turn was lost. Nobody has another one until that one ends. */
  fence(transaction: Kysely<Tables>): Promise<void>
}

/** Turns on the keys of a kind. */
export interface KeyTurns {
  /** Runs work while nobody else works on the key. */
  hold<T>(key: string | number, work: (turn: Turn) => Promise<T>): Promise<T>
  /** Resolves when all work has ended. */
  idle(): Promise<void>
}

/** Turns among all services of a database. */
export interface TurnLocks {
  of(kind: string): KeyTurns
  close(): Promise<void>
}

/** A turn that this service has. */
interface Held extends Turn {
  /** Whether it is not known to be lost, and others have not waited for long. */
  mayGoOn(): boolean
  end(): Promise<void>
}

/** In ms; below the time after which the server ends an idle transaction (`storage/store-postgres.ts`). */
const shownAlive = 250
/** In ms; other services have waited for long then. */
const longest = 100

/**
 * Turns by advisory locks of PostgreSQL. Work on a key that waits here is done in one turn, as each costs questions to
 * the server in which nobody works on the key. A service that stands still loses its turns, as the server ends its
 * transactions; each turn has a token, so that what such a service stores when it goes on is refused. `pool` is for
 * turns alone: a change that waited for one of its connections would wait for itself.
 */
export function createTurnLocks(pool: Pool, schema: string, clock: Pick<Clock, 'now' | 'monotonic'>): TurnLocks {
  async function begin(name: string): Promise<Held> {
    const client = await pool.connect()
    let failure: Error | undefined
    const fail = (error: Error): void => void (failure ??= error)
    client.on('error', fail)
    const alive = setInterval(() => void client.query('select 1').catch(fail), shownAlive)
    const begun = clock.monotonic()
    const end = async (): Promise<void> => {
      clearInterval(alive)
      await client.query('select pg_advisory_unlock_all(); commit').catch(fail)
      client.off('error', fail)
      client.release(failure)
    }
    const token = randomUUID()
    const [key, row] = [`${schema} ${name}`, name].map((text) => client.escapeLiteral(storedText(text)))
    try {
      // In one question. A token that a server which ended at once has lost has let nobody store what is still there.
      const results = (await client.query(`
        begin;
        set local synchronous_commit = off;
        select pg_advisory_lock(hashtextextended(${key}, 0));
        insert into turn (name, token, at) values (${row}, '${token}', ${clock.now()})
          on conflict (name) do update set token = excluded.token, at = excluded.at;
        commit;
        begin;
        select value from "journalPosition"`)) as unknown as QueryResult<{ readonly value: number }>[]
      const last = results.at(-1)!.rows[0]!.value
      return {
        last,
        async fence(transaction) {
          const found = await transaction
            .selectFrom('turn')
            .select('token')
            .where('name', '=', name)
            .where('token', '=', token)
            .forShare()
            .executeTakeFirst()
          if (!found) throw new Error(`another service has the turn on ${name} now`)
        },
        mayGoOn: () => failure === undefined && clock.monotonic() - begun < longest,
        end,
      }
    } catch (error) {
      fail(error as Error)
      await end()
      throw error
    }
  }

  return {
    of(kind) {
      const serial = createKeyedSerial<string | number>()
      /** Work that waits here. */
      const waiting = new Map<string | number, number>()
      /** Turns that the next work goes on with. */
      const kept = new Map<string | number, Held>()
      const countOf = (key: string | number): number => waiting.get(key) ?? 0
      return {
        idle: serial.idle,
        hold(key, work) {
          waiting.set(key, countOf(key) + 1)
          return serial(key, async () => {
            const left = countOf(key) - 1
            if (left > 0) waiting.set(key, left)
            else waiting.delete(key)
            const held = kept.get(key) ?? (await begin(`${kind} ${key}`))
            kept.delete(key)
            try {
              return await work(held)
            } finally {
              if (countOf(key) > 0 && held.mayGoOn()) kept.set(key, held)
              // Nobody waits for it: whoever is next waits for the lock.
              else held.end().catch(() => undefined)
            }
          })
        },
      }
    },
    close: () => pool.end(),
  }
}
