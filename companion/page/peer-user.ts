import { readFile } from 'node:fs/promises'
import { endianness } from 'node:os'
import type { Socket } from 'node:net'

/** The tables of sockets of Linux (proc_pid_net(5)); the second also has IPv4 connections of sockets that were made for IPv6. */
const tables = ['/proc/net/tcp', '/proc/net/tcp6']

/**
 * Reads something for whoever asks, at most once at a time: who asks while it is being read gets what is read after that, with all others who do. A
 * table has a line for each socket of the computer, and another user may open any number of them and of connections to us.
 */
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

/** An IPv4 address and port as they stand there: the address as a number of this machine, in hexadecimal. */
function written(address: string, port: number): string {
  const bytes = address.split('.').map(Number)
  if (endianness() === 'LE') bytes.reverse()
  return `${Buffer.from(bytes).toString('hex')}:${port.toString(16).padStart(4, '0')}`.toUpperCase()
}

/**
 * The number of the user whose process holds the other end of a TCP connection over IPv4 within this computer. Undefined where the system does not
 * tell: beyond Linux, and for a peer of another network namespace. `gone` when no process holds it any more: then the system calls it the superuser's.
 */
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
    // Behind the addresses stand state, queues, timer, retransmissions, the user, a timeout, and the inode, which is 0 without a process.
    const found =
      at < 0
        ? null
        : /^\S+ +\S+ +\S+ +\S+ +(\d+) +\d+ +(\d+)/.exec(text.slice(at + entry.length, at + entry.length + 120))
    if (found) return found[2] === '0' ? 'gone' : Number(found[1])
  }
  return undefined
}

/**
 * Whether a connection is held by another user of this computer, or by nobody any more, who may have been another user. The superuser, who may do everything here anyway, passes connections on for others (of
 * a container, of the system around a virtual machine).
 */
export async function isOfAnotherUser(socket: Socket, own = process.getuid?.()): Promise<boolean> {
  const user = await peerUser(socket)
  return user !== undefined && user !== 0 && user !== own
}
