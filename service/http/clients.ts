import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { addressGroup } from '../../platform/address-group.ts'
import { beganWithProxyHeader, cameThroughTls } from '../../platform/proxied-socket.ts'
import { isLoopback } from '../public-addresses.ts'
import { plainAddress } from '../../platform/plain-address.ts'
import { hasProxyHeader } from './proxy-headers.ts'

/** The sender of a request: the peer, or the client of a trusted proxy. */
export interface Client {
  /** Plain IP address; empty when the connection has ended. */
  readonly address: string
  /** Key of limits per address: IPv4 whole, IPv6 by /64. */
  readonly subnet: string
  /** How the client reached us, or the proxy. */
  readonly scheme: 'http' | 'https'
  /** The request came over a network without TLS. */
  readonly readable: boolean
  /** A proxy passes the connection on, and said for whom by a PROXY header. */
  readonly passedOn: boolean
}

/** The parts of a socket that are used; addresses are unknown after its end. */
export type PeerSocket = { readonly [end in 'remoteAddress' | 'localAddress']?: Socket[end] | undefined }

/** Determines clients from connections and trusted proxies. */
export type Clients = ReturnType<typeof createClients>

/** IPv4-mapped IPv6 address. */
/** Address of an X-Forwarded-For entry, without the port that some proxies add. */
function forwardedAddress(entry: string): string | undefined {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry
  return isIP(bare) === 0 ? undefined : plainAddress(bare)
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', length] = range.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, Number(length ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return list
}

/** Makes it. `first` ranges must have passed `rangeFault`; empty trusts nobody. */
export function createClients(first: readonly string[] = []) {
  let trusted = first
  let proxies = listOf(trusted)
  const isTrusted = (address: string): boolean => {
    const plain = plainAddress(address)
    const family = trusted.length === 0 ? 0 : isIP(plain)
    return family !== 0 && proxies.check(plain, family === 6 ? 'ipv6' : 'ipv4')
  }
  /**
   * The last address that is not a trusted proxy (behaviour.md#trusted-proxies), and whether it named another one;
   * invalid entries are ignored.
   */
  const behind = (peer: string, forwarded: string): { readonly address: string; readonly named: boolean } => {
    const entries = forwarded === '' ? [] : forwarded.split(',')
    let address = peer
    while (isTrusted(address)) {
      const next = forwardedAddress(entries.pop()?.trim() ?? '')
      if (next === undefined) break
      address = next
    }
    return { address, named: entries.length > 0 && !isTrusted(address) }
  }
  const joined = (value: string | string[] | undefined): string =>
    Array.isArray(value) ? value.join(',') : (value ?? '')

  const believes = (socket: PeerSocket): boolean =>
    isTrusted(plainAddress(socket.remoteAddress)) && !beganWithProxyHeader(socket)

  /** Connections of trusted proxies, with the proxy's own address. */
  const held = new Map<Socket, string>()
  /** Clients of direct connections, equal for every request. */
  const peers = new WeakMap<PeerSocket, Client>()

  return {
    isTrusted,
    /** Whether the headers of a connection are read that only a trusted proxy may set. */
    believes,
    /** Notes a connection that just came, so that it ends when its proxy is not trusted any more. */
    hold(socket: Socket) {
      const peer = plainAddress(socket.remoteAddress)
      if (!isTrusted(peer)) return
      held.set(socket, peer)
      socket.once('close', () => held.delete(socket))
    },
    /** Replaces the trusted proxies, which must have passed `rangeFault`; what came through those that left ends. */
    trust(ranges: readonly string[]) {
      trusted = ranges
      proxies = listOf(ranges)
      for (const [socket, peer] of held) if (!isTrusted(peer)) socket.destroy()
    },
    /** The proxy that is taken for the client, of a request that had no header of a proxy when it was sent. */
    untrustedProxy({ socket, headers }: Pick<IncomingMessage, 'headers'> & { readonly socket: PeerSocket }) {
      if (beganWithProxyHeader(socket)) return undefined
      const peer = plainAddress(socket.remoteAddress)
      if (!isTrusted(peer)) return hasProxyHeader(headers) ? peer : undefined
      const { address, named } = behind(peer, joined(headers['x-forwarded-for']))
      return named ? address : undefined
    },
    /** The sender of a request. The only place that reads headers of forwarding. */
    of({ socket, headers }: Pick<IncomingMessage, 'headers'> & { readonly socket: PeerSocket }): Client {
      const known = peers.get(socket)
      if (known) return known
      const peer = plainAddress(socket.remoteAddress)
      const isTls = socket instanceof TLSSocket || cameThroughTls(socket)
      // Connections from our own address do not cross a network.
      const isHere = isLoopback(peer) || (peer !== '' && peer === plainAddress(socket.localAddress))
      if (!believes(socket)) {
        const client: Client = {
          address: peer,
          subnet: addressGroup(peer),
          scheme: isTls ? 'https' : 'http',
          readable: !isTls && !isHere,
          passedOn: beganWithProxyHeader(socket),
        }
        peers.set(socket, client)
        return client
      }
      const { address } = behind(peer, joined(headers['x-forwarded-for']))
      const schemes = joined(headers['x-forwarded-proto'])
        .split(',')
        .map((scheme) => scheme.trim().toLowerCase())
      const saysScheme = schemes[0] !== ''
      const isSecure = saysScheme ? schemes.every((scheme) => scheme === 'https' || scheme === 'wss') : isTls
      // If a local proxy does not send the scheme, TLS is its responsibility.
      const readable = !isSecure && (saysScheme ? !isLoopback(address) : !isHere)
      const scheme = isSecure ? 'https' : 'http'
      return { address, subnet: addressGroup(address), scheme, readable, passedOn: false }
    },
  }
}
