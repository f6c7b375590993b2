import { TLSSocket } from 'node:tls'
import { isLoopback } from '../public-addresses.ts'

/** What is asked of the socket of an upgrade; once it has ended its addresses are not known. */
export interface PeerSocket {
  readonly remoteAddress?: string | undefined
  readonly localAddress?: string | undefined
}

/** An IPv4 address as an IPv6 socket names it. */
const mapped = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i

/**
 * Whether what a peer sends could be read on a network: it comes from another computer, and not through TLS. A peer with our own address is on
 * this computer, whose packets to itself go over no network; a proxy on this computer answers for what it passes on.
 */
export function isReadable(socket: PeerSocket): boolean {
  const peer = socket.remoteAddress?.replace(mapped, '') ?? ''
  return !(socket instanceof TLSSocket) && !isLoopback(peer) && peer !== socket.localAddress?.replace(mapped, '')
}
