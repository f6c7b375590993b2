import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Log } from '../log.ts'
import { PlaceFault, wordsOf } from '../place-fault.ts'

/** What `pg` says where TLS is asked for and the server has none. */
const withoutTls = 'The server does not support SSL connections'
const mendedWithoutTls = 'this PostgreSQL speaks no TLS there: its address has no sslmode, or sslmode=disable'
/** In ms; whoever starts a service sees by then what it waits for. */
const slowAfter = 1000

/**
 * Connects to a database for the first time. Tells after a second that nobody has answered, which may pass; rejects
 * with PlaceFault where it cannot be reached. A resolver may be silent for longer than a connection is waited for, and
 * its silence looks like that of the database: so the name is looked up beside.
 */
export async function connectFirst(
  pool: { connect(): Promise<{ release(): void }> },
  url: string,
  log: Pick<Log, 'info'> | undefined,
  lookup: (host: string) => Promise<unknown> = systemLookup,
): Promise<void> {
  const host = URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? ''
  let isLookingUp = host !== '' && isIP(host) === 0
  const ended = (): void => void (isLookingUp = false)
  if (isLookingUp) lookup(host).then(ended, ended)
  const slow = setTimeout(() => {
    const what = isLookingUp ? 'the name of its host is not found yet' : 'the database does not answer yet'
    log?.info({}, `SIDESTAGE_DATABASE_URL: ${what}`)
  }, slowAfter)
  try {
    ;(await pool.connect()).release()
  } catch (error) {
    const words = isLookingUp ? 'the name of its host is not found, as no resolver answers' : wordsOf(error)
    const why = words === withoutTls ? mendedWithoutTls : `the database cannot be reached: ${words}`
    throw new PlaceFault(`SIDESTAGE_DATABASE_URL: ${why}`, { cause: error })
  } finally {
    clearTimeout(slow)
  }
}
