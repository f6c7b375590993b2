import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectSecure } from 'node:tls'
import { isCertificateError } from '../../platform/certificate-error.ts'
import type { Clock } from '../../platform/clock.ts'
import { ipPlace } from '../../platform/ip-place.ts'
import { inflowFault, PeerInflow } from '../media/peer-inflow.ts'
import { isProtocolFault, RtmpClient } from '../media/rtmp-client.ts'
import type { Resolve } from '../outbox/address-guard.ts'
import type { TargetAddress } from './target-address.ts'

/** Why a connection failed or ended. */
export type TargetFault =
  | 'unresolved'
  | 'unreachable'
  | 'noAnswer'
  | 'certificate'
  | 'tls'
  | 'handshake'
  | 'refused'
  | 'closed'
  | 'stalled'
  | 'fault'

/** What becomes of a connection; `ended` is the last call. */
export interface ConnectionEvents {
  /** Media may be written to the socket. */
  publishing(socket: Socket, streamId: number): void
  /** The server says that it has taken what was sent: so many bytes, with 32 bits. */
  acknowledged?(count: number): void
  /** `isKey`: the server refused the stream key; `answer`: its own words, without the key. */
  ended(fault: TargetFault, answer?: { readonly text: string; readonly isKey: boolean }): void
}

/** What connections share. */
export interface ConnectionOptions {
  readonly resolve: Resolve
  /** Ports of the service, to which its own addresses may not be connected. */
  readonly ownPorts: () => readonly number[]
  readonly ownAddresses: () => readonly string[]
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  /** What the client calls itself. */
  readonly program: string
  /** Further authorities in PEM; for tests and servers of one's own. */
  readonly ca?: string | undefined
  /** Longest time of each step, in ms. */
  readonly patience?: number
}

/** Longest time of each step before media, in ms. */
const stepPatience = 10_000
/** Answers to the server that it does not read, in bytes at most. */
const maxUnread = 64 * 1024
/** How long the peer may take to close after the end; ms. */
const endPatience = 2_000

/** Begins to publish; `close` ends it without a call of `ended`. */
export function connectTarget(
  address: TargetAddress,
  key: string,
  options: ConnectionOptions,
  events: ConnectionEvents,
): { readonly close: () => void } {
  const { resolve, ownPorts, ownAddresses, clock, random, program, ca, patience = stepPatience } = options
  let socket: Socket | undefined
  let client: RtmpClient | undefined
  let inflow: PeerInflow | undefined
  let isOver = false
  /** The server was reached; with RTMPS, TLS is still to come. */
  let isReached = false
  let isOpen = false
  let isPublishing = false
  /** Bytes of answers that the system has not taken. */
  let unread = 0
  let cancel = (): void => undefined

  const over = (fault: TargetFault, answer?: { readonly text: string; readonly isKey: boolean }): void => {
    if (isOver) return
    isOver = true
    cancel()
    socket?.destroy()
    events.ended(fault, answer)
  }
  const beforeOpen = (): TargetFault => (isReached ? 'tls' : 'unreachable')
  const step = (): void => {
    cancel()
    cancel = clock.after(patience, () => over(isOpen ? 'noAnswer' : beforeOpen()))
  }
  /** Only addresses that may be connected to. */
  const allowed = (one: string): boolean => {
    const place = ipPlace(one)
    if (place === 'metadata' || place === 'mapped' || place === 'refused') return false
    return !(ownPorts().includes(address.port) && (place === 'loopback' || ownAddresses().includes(one)))
  }
  const lookup: LookupFunction = (host, _wanted, answer) => {
    resolve(host).then(
      (found) => {
        const good = found.filter(allowed)
        // Without an address `connect` would throw outside of any handler.
        if (found.length === 0) answer(Object.assign(new Error('unresolved'), { code: 'ENOTFOUND' }), [])
        else if (good.length === 0) answer(Object.assign(new Error('not allowed'), { code: 'EACCES' }), [])
        else
          answer(
            null,
            good.map((one) => ({ address: one, family: isIP(one) })),
          )
      },
      () => answer(Object.assign(new Error('unresolved'), { code: 'ENOTFOUND' }), []),
    )
  }
  const began = (): void => {
    isOpen = true
    step()
    const { app, tcUrl } = address
    client = new RtmpClient({
      request: { app, tcUrl, name: key, program },
      random,
      send(bytes) {
        unread += bytes.length
        socket?.write(bytes, () => (unread -= bytes.length))
        if (unread > maxUnread) over('stalled')
      },
      outcome(outcome) {
        if (outcome.kind === 'refused') return over('refused', outcome)
        cancel()
        isPublishing = true
        if (socket) events.publishing(socket, outcome.streamId)
      },
      acknowledged: (count) => events.acknowledged?.(count),
    })
    inflow = new PeerInflow(clock, client.chunks)
  }

  step()
  if (isIP(address.host) !== 0 && !allowed(address.host)) {
    clock.after(0, () => over('unreachable'))
    return { close: () => void (isOver = true) }
  }
  const { host, port } = address
  const base = { host, port, lookup, noDelay: true, keepAlive: true }
  socket = address.isSecure
    ? connectSecure({
        ...base,
        ...(isIP(host) === 0 && { servername: host }),
        ...(ca !== undefined && { ca }),
        minVersion: 'TLSv1.2',
      })
    : connectPlain(base)
  socket.once('connect', () => (isReached = true))
  socket.once(address.isSecure ? 'secureConnect' : 'connect', began)
  socket.on('data', (bytes: Buffer) => {
    try {
      const before = client?.state
      // What is within the limit is read before it ends: the answer to the key can arrive with what is beyond.
      const within = inflow?.count(bytes.length) ?? 0
      client?.push(bytes.subarray(0, within))
      if (within < bytes.length) throw inflowFault()
      if (!isOver && client?.state !== before && client?.state !== 'publishing') step()
    } catch (error) {
      // A server that has taken the push has understood it.
      over(isProtocolFault(error) && !isPublishing ? 'handshake' : 'fault')
    }
  })
  socket.on('error', (error: NodeJS.ErrnoException) => {
    const code = error.code ?? ''
    if (code === 'ENOTFOUND') over('unresolved')
    else if (address.isSecure && !isOpen && isCertificateError(code)) over('certificate')
    else if (code === 'EPROTO' || code.startsWith('ERR_SSL')) over('tls')
    else over(isOpen ? 'closed' : beforeOpen())
  })
  socket.on('close', () => over(isOpen ? 'closed' : beforeOpen()))

  return {
    close() {
      if (isOver) return
      isOver = true
      cancel()
      client?.end()
      const ending = socket
      ending?.end()
      const cancelEnd = clock.after(endPatience, () => ending?.destroy())
      ending?.once('close', cancelEnd)
    },
  }
}
