import { readFile } from 'node:fs/promises'
import { endianness } from 'node:os'
import type { Socket } from 'node:net'

/** Socket tables of Linux (proc_pid_net(5)); the second has IPv4 connections of IPv6 sockets too. */
const tables = ['/proc/net/tcp', '/proc/net/tcp6']

/** Shares reads: calls during a read get the next one together. A table has a line per socket of the computer. */
export function sharedRead(read: () => Promise<string>): () => Promise<string> {
  let current: Promise<string> | undefined
  let next: Promise<string> | undefined
  const begin = (): Promise<string> => {
    const reading = read().finally(() => {
      if (current === reading) current = undefined
    })
    current = reading
    return reading
  }
  return () => {
    if (!current) return begin()
    next ??= current
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => {
        next = undefined
        return begin()
      })
    return next
  }
}
const readers = tables.map((table) => sharedRead(() => readFile(table, 'latin1')))

/** An address and port as in the table, in hexadecimal. */
function written(address: string, port: number): string {
  const bytes = address.split('.').map(Number)
  if (endianness() === 'LE') bytes.reverse()
  return `${Buffer.from(bytes).toString('hex')}:${port.toString(16).padStart(4, '0')}`.toUpperCase()
}

/** User id of the peer of a local IPv4 connection; `gone` when its process has ended, undefined if unknown. */
export async function peerUser(
  socket: Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>,
): Promise<number | 'gone' | undefined> {
  const { remoteAddress, remotePort, localAddress, localPort } = socket
  if (process.platform !== 'linux' || remoteAddress === undefined || localAddress === undefined) return undefined
  // The peer's own entry: its end is local there.
  const [peer, own] = [written(remoteAddress, remotePort ?? 0), written(localAddress, localPort ?? 0)]
  const mapped = '0000000000000000FFFF0000'
  for (const [index, read] of readers.entries()) {
    const text = await read().catch(() => '')
    const entry = index === 0 ? ` ${peer} ${own} ` : ` ${mapped}${peer} ${mapped}${own} `
    const at = text.indexOf(entry)
    // State, queues, timer, retransmissions, user, timeout, inode; inode 0: no process.
    const found =
      at < 0
        ? null
        : /^\S+ +\S+ +\S+ +\S+ +(\d+) +\d+ +(\d+)/.exec(text.slice(at + entry.length, at + entry.length + 120))
    if (found) return found[2] === '0' ? 'gone' : Number(found[1])
  }
  return undefined
}

/** Whether the peer is another user or gone. The superuser is accepted: it forwards connections for others. */
export async function isOfAnotherUser(socket: Socket, own = process.getuid?.()): Promise<boolean> {
  const user = await peerUser(socket)
  return user !== undefined && user !== 0 && user !== own
}
