import { createHash, timingSafeEqual } from 'node:crypto'
import net from 'node:net'
import tls from 'node:tls'
import type { DescriptorShare } from '../../platform/descriptors.ts'
import type { Clock } from '../../platform/clock.ts'
import { reachOf } from '../relay/target.ts'
import { JoinError } from './join-error.ts'

/** A streamer's listener for moderators. */
export interface Place {
  /** As written by `readHost`. */
  readonly host: string
  readonly secured: boolean
  /** SHA-256 of the certificate, in lower-case hex. */
  readonly fingerprint: string | null
}

const patience = 10_000

/** Name or address, and port. */
export function partsOf(host: string): { readonly name: string; readonly port: number } {
  const at = host.lastIndexOf(':')
  return { name: host.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(host.slice(at + 1)) }
}

function hasFingerprint(certificate: Buffer | undefined, fingerprint: string): boolean {
  const wanted = Buffer.from(fingerprint, 'hex')
  const shown = createHash('sha256')
    .update(certificate ?? Buffer.alloc(0))
    .digest()
  return certificate !== undefined && wanted.length === shown.length && timingSafeEqual(shown, wanted)
}

/** Connects, with TLS only to this fingerprint, without to loopback only. Rejects with JoinError. */
export function openPinned(
  place: Place,
  clock: Pick<Clock, 'after'>,
  descriptors?: DescriptorShare,
): Promise<net.Socket> {
  const { name, port } = partsOf(place.host)
  return new Promise((resolve, reject) => {
    if (place.secured ? place.fingerprint === null : name !== 'localhost' && reachOf(name) !== 'loopback') {
      reject(new JoinError('plain'))
      return
    }
    if (descriptors && !descriptors.take()) {
      reject(new JoinError('offline'))
      return
    }
    const fail = (trouble: JoinError): void => {
      late()
      socket.destroy()
      reject(trouble)
    }
    const late = clock.after(patience, () => fail(new JoinError('offline')))
    const done = (): void => {
      late()
      socket.off('error', broken)
      // Until the caller listens.
      socket.on('error', () => undefined)
      resolve(socket)
    }
    const broken = (error: NodeJS.ErrnoException): void => {
      // No TLS: not a Sidestage; no answer: it may return.
      fail(new JoinError(error.code?.startsWith('ERR_SSL') || error.code === 'EPROTO' ? 'notOurs' : 'offline'))
    }
    let socket: net.Socket
    if (place.secured) {
      const secured = tls.connect({
        host: name,
        port,
        ...(net.isIP(name) === 0 ? { servername: name } : {}),
        minVersion: 'TLSv1.2',
        ALPNProtocols: ['http/1.1'],
        // Self-signed: verified by fingerprint below.
        rejectUnauthorized: false,
      })
      socket = secured
      secured.once('secureConnect', () => {
        if (hasFingerprint(secured.getPeerX509Certificate()?.raw, place.fingerprint ?? '')) done()
        else fail(new JoinError('changed'))
      })
    } else {
      socket = net.connect({ host: name, port })
      socket.once('connect', () => {
        if (reachOf(socket.remoteAddress ?? '') === 'loopback') done()
        else fail(new JoinError('plain'))
      })
    }
    socket.once('error', broken)
    socket.once('close', () => {
      descriptors?.give()
      late()
      reject(new JoinError('offline'))
    })
  })
}
