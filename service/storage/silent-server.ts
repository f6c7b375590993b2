import { connect } from 'node:net'
import type { Pool, PoolClient } from 'pg'

/** In ms: how often it is looked, after which silence the server is asked, and how long it may take to answer that. */
const usual = { every: 1000, silence: 2000, patience: 3000 } as const
/** Begins a connection with PostgreSQL, which answers with one letter before it asks who that is. */
const mayIEncrypt = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** What the types of `pg` leave out. */
interface Connected extends PoolClient {
  readonly host: string
  readonly port: number
}

/** Whether a server says anything in time; one that refuses does. */
const answers = (host: string, port: number, patience: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port })
    const end = (is: boolean): void => {
      clearTimeout(late)
      socket.destroy()
      resolve(is)
    }
    // What came while this process stood still is seen first.
    const late = setTimeout(() => setImmediate(end, false), patience)
    socket.once('connect', () => socket.write(mayIEncrypt))
    for (const event of ['data', 'error', 'end'] as const) socket.once(event, () => end(true))
  })

/**
 * Ends the connections of a pool when its server has become silent, as when a cable is cut: the system would notice a
 * quarter of an hour later, and whoever has asked something would wait so long. A statement that takes its time is left
 * alone as long as the server answers others.
 */
export function endWhenSilent(pool: Pool, times: Readonly<Record<keyof typeof usual, number>> = usual): void {
  const clients = new Set<Connected>()
  /** Since when those have been at work. */
  const busy = new Map<Connected, number>()
  let looking: NodeJS.Timeout | undefined
  let isAsking = false

  async function look(): Promise<void> {
    const since = Math.min(...busy.values())
    if (isAsking || performance.now() - since < times.silence) return
    const { host, port } = [...busy.keys()][0]!
    // A socket of this computer is never cut.
    if (host.startsWith('/')) return
    isAsking = true
    const isThere = await answers(host, port, times.patience)
    isAsking = false
    // Not by `end`, which waits for the server. The pool takes them out, and whoever waits on them is told.
    if (!isThere) for (const client of clients) client.connection.stream.destroy()
  }
  pool.on('connect', (client) => {
    clients.add(client as Connected)
    looking ??= setInterval(() => {
      look().catch(() => undefined)
    }, times.every).unref()
  })
  pool.on('acquire', (client) => void busy.set(client as Connected, performance.now()))
  pool.on('release', (_, client) => void busy.delete(client as Connected))
  pool.on('remove', (client) => {
    clients.delete(client as Connected)
    busy.delete(client as Connected)
    if (clients.size > 0) return
    clearInterval(looking)
    looking = undefined
  })
}
