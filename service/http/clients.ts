import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { addressGroup } from '../../platform/address-group.ts'
import { beganWithProxyHeader, cameThroughTls } from '../../platform/proxied-socket.ts'
import { isLoopback } from '../public-addresses.ts'

/** Who sent a request: the peer of the connection, or whom a trusted proxy speaks for. */
export interface Client {
  /** IP address, without the prefix of an IPv4 address on an IPv6 socket; empty when the connection has ended. */
  readonly address: string
  /** What limits per address count: an IPv4 address whole, of an IPv6 address its /64. */
  readonly subnet: string
  /** How the client reached us, or the proxy. */
  readonly scheme: 'http' | 'https'
  /** Whether what the client sends could be read on a network: it comes from another computer, and not through TLS. */
  readonly readable: boolean
}

/** What is asked of the socket of a peer; once it has ended its addresses are not known. */
export type PeerSocket = { readonly [end in 'remoteAddress' | 'localAddress']?: Socket[end] | undefined }

/** Knows clients by their connections, and proxies whose word is taken for others. */
export interface Clients {
  /** Who sent this request. The only place where forwarding headers of HTTP are read; those of the PROXY protocol have changed the socket's addresses. */
  of(request: Pick<IncomingMessage, 'headers'> & { readonly socket: PeerSocket }): Client
  /** Whether a peer may say for whom it speaks. */
  isTrusted(address: string): boolean
}

/** An IPv4 address as an IPv6 socket names it. */
const mapped = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i

/** An IP address in one spelling. */
export const plainAddress = (address: string | undefined): string => address?.replace(mapped, '') ?? ''

/** An entry of X-Forwarded-For: some proxies add the port. */
function forwardedAddress(entry: string): string | undefined {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry
  return isIP(bare) === 0 ? undefined : plainAddress(bare)
}

/** Makes the knowledge of clients. `trusted` are ranges for which `rangeFault` finds nothing; nobody is trusted when it is empty. */
export function createClients(trusted: readonly string[] = []): Clients {
  const proxies = new BlockList()
  for (const range of trusted) {
    const [address = '', length] = range.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    proxies.addSubnet(address, Number(length ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  const isTrusted = (address: string): boolean => {
    const family = trusted.length === 0 ? 0 : isIP(address)
    return family !== 0 && proxies.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
  /** The last address that is not a trusted proxy's (behaviour.md#trusted-proxies); what is not readable is nobody's word. */
  const behind = (peer: string, forwarded: string): string => {
    const entries = forwarded.split(',')
    let address = peer
    while (isTrusted(address)) {
      const next = forwardedAddress(entries.pop()?.trim() ?? '')
      if (next === undefined) break
      address = next
    }
    return address
  }
  const joined = (value: string | string[] | undefined): string =>
    Array.isArray(value) ? value.join(',') : (value ?? '')

  /** The peers of connections that speak for themselves, which are the same for each request. */
  const peers = new WeakMap<PeerSocket, Client>()

  return {
    isTrusted,
    of({ socket, headers }) {
      const known = peers.get(socket)
      if (known) return known
      const peer = plainAddress(socket.remoteAddress)
      const isTls = socket instanceof TLSSocket || cameThroughTls(socket)
      // Our own packets to ourselves go over no network, whatever address of ours they carry.
      const isHere = isLoopback(peer) || (peer !== '' && peer === plainAddress(socket.localAddress))
      if (!isTrusted(peer) || beganWithProxyHeader(socket)) {
        const client: Client = {
          address: peer,
          subnet: addressGroup(peer),
          scheme: isTls ? 'https' : 'http',
          readable: !isTls && !isHere,
        }
        peers.set(socket, client)
        return client
      }
      const address = behind(peer, joined(headers['x-forwarded-for']))
      const schemes = joined(headers['x-forwarded-proto'])
        .split(',')
        .map((scheme) => scheme.trim().toLowerCase())
      const saysScheme = schemes[0] !== ''
      const isSecure = saysScheme ? schemes.every((scheme) => scheme === 'https' || scheme === 'wss') : isTls
      // A proxy on this computer that says nothing of the scheme answers for what it passes on.
      const readable = !isSecure && (saysScheme ? !isLoopback(address) : !isHere)
      return { address, subnet: addressGroup(address), scheme: isSecure ? 'https' : 'http', readable }
    },
  }
}
