import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect } from 'node:tls'

/** Of TLS: the certificate is not one for that name, or of no authority that is known here. */
const certificate = /^(?:ERR_TLS_CERT|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/

/** Whether an error of a connection is that of a certificate that is not accepted. */
export const isOfCertificate = (code: unknown): code is string => typeof code === 'string' && certificate.test(code)

/** Where a server listens: a name or an address without brackets. */
export interface Listening {
  readonly host: string
  readonly port: number
}

/** Where the server of an address listens; `usual` is the port of its scheme. */
export function listeningOf(url: string, usual: number): Listening {
  const { hostname, port } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || usual }
}

/** Begins TLS with a server, whatever its certificate, and sends nothing in it; false where `signal` ends it. */
export async function speaksTls(place: Listening, signal: AbortSignal): Promise<boolean> {
  const named = isIP(place.host) === 0 && { servername: place.host }
  const socket = connect({ ...place, ...named, rejectUnauthorized: false })
  socket.on('error', () => undefined)
  try {
    await once(socket, 'secureConnect', { signal })
    return true
  } catch (error) {
    // It may want a certificate first.
    return /^ERR_SSL_.*_ALERT_/.test(String((error as { readonly code?: unknown }).code))
  } finally {
    socket.destroy()
  }
}
