import { setTimeout as wait } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import type { Log } from '../log.ts'
import { wordsOf } from '../place-fault.ts'
import { noteAway } from '../away-notes.ts'

/** What is waited between two tries to reach the server, in ms. */
const retryEvery = 50
/** Of the system, PostgreSQL and `pg`: nobody listens or answers, it is starting, or it is ending. */
const away = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03'])

const ended = new Set(['Connection terminated unexpectedly', 'Connection terminated due to connection timeout'])

/** Of the system: there is no way to the server now. Callers are told at once, as it takes longer. */
const wayless = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'])

/** Whether a try to connect failed since no server is there, or none that takes connections now. */
const isAway = (error: unknown): boolean => {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
  return away.has(String(code)) || ended.has(String(message))
}

/**
 * Makes a pool wait for a server that is away for a moment, as when it is started again: nothing was asked yet, so
 * nothing can have been done twice. Callers wait for `longest` ms at most and then fail with what the last try said.
 * One of them tries for all: a server that starts has other work than to refuse each of them. `log` is told once that
 * it is away, and once that it is there again.
 */
export function connectPatiently(pool: Pool, longest: number, log?: Pick<Log, 'warn' | 'info'>): Pool {
  const connectNow = pool.connect.bind(pool) as () => Promise<PoolClient>
  let isGone = false
  /** Before, whoever begins says that it is not there. */
  let wasThere = false
  const failed = (error: unknown): void => {
    noteAway(error)
    if (
      !wasThere ||
      isGone ||
      pool.ending ||
      !(isAway(error) || wayless.has(String((error as { code?: unknown }).code)))
    )
      return
    isGone = true
    log?.warn({ reason: wordsOf(error) }, 'PostgreSQL is away: what needs it fails, and is done again or refused')
  }
  async function connect(): Promise<PoolClient> {
    try {
      const client = await connectNow()
      if (isGone) log?.info({}, 'PostgreSQL is there again')
      isGone = false
      wasThere = true
      return client
    } catch (error) {
      failed(error)
      throw error
    }
  }
  /** Resolves when the server is back, or when nobody waits any more. */
  let trying: Promise<void> | undefined
  let until = 0
  let last: unknown

  async function tryAgain(): Promise<void> {
    while (performance.now() < until) {
      await wait(retryEvery)
      try {
        const client = await connect()
        return client.release()
      } catch (error) {
        last = error
        if (!isAway(error)) return
      }
    }
  }
  async function patient(): Promise<PoolClient> {
    const end = performance.now() + longest
    for (;;) {
      if (!trying)
        try {
          return await connect()
        } catch (error) {
          last = error
          if (!isAway(error)) throw error
        }
      if (performance.now() >= end) throw last
      until = Math.max(until, end)
      trying ??= tryAgain().finally(() => (trying = undefined))
      const late = new AbortController()
      await Promise.race([trying, wait(end - performance.now(), undefined, { signal: late.signal }).catch(() => {})])
      late.abort()
    }
  }
  type Call = (error: Error | undefined, client?: PoolClient, release?: PoolClient['release']) => void
  return Object.assign(pool, {
    // `pool.query` gives a call.
    connect(call?: Call): Promise<PoolClient> | undefined {
      const got = patient()
      if (!call) return got
      got.then((client) => call(undefined, client, client.release.bind(client)), call)
      return undefined
    },
  })
}
