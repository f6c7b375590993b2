import { once } from 'node:events'
import { connect } from 'node:net'
import { PlaceFault } from '../place-fault.ts'
import { isOfCertificate, listeningOf, speaksTls, type Listening } from '../speaks-tls.ts'

/** How long it may take until it is known whether TLS is spoken, in ms. */
const patience = 1000

/** What a server says to a connection that it will never take, by what is to be changed. */
const refusals: readonly (readonly [RegExp, string])[] = [
  [/^WRONGPASS\b|^ERR invalid password\b/, 'the user or password is not accepted'],
  [/^NOAUTH\b/, 'a password is needed'],
  [/^ERR (?:Client sent )?AUTH\b/, 'no password is set there, and one is given'],
  [/^ERR (?:DB index is out of range|invalid DB index)/, 'it has no database of that number'],
  [/^NOPERM\b/, 'its user may not do what a service needs'],
]
/** Why a connection cannot come about, where waiting does not mend it; undefined for other errors. */
export function faultOfPlace(error: unknown): PlaceFault | undefined {
  const { code, message = '' } = error as { readonly code?: unknown; readonly message?: string }
  const [, words] = refusals.find(([said]) => said.test(message)) ?? []
  if (words !== undefined) return new PlaceFault(`SIDESTAGE_REDIS_URL: Redis refuses the connection: ${words}`)
  if (isOfCertificate(code))
    return new PlaceFault(`SIDESTAGE_REDIS_URL: the certificate of Redis is not accepted (${code})`)
  return undefined
}

/** Asks without TLS: an answer of Redis says that it speaks none. */
async function answersPlainly(place: Listening, signal: AbortSignal): Promise<boolean> {
  const socket = connect(place)
  socket.on('error', () => undefined)
  try {
    socket.write('PING\r\n')
    const [bytes] = (await once(socket, 'data', { signal })) as [Buffer]
    return /^[+-]/.test(bytes.toString('latin1'))
  } catch {
    // Whoever connects says what is wrong there.
    return false
  } finally {
    socket.destroy()
  }
}

/**
 * Looks whether a Redis with TLS is where one without is named, or the other way round: it closes such connections, or
 * answers nothing. No password is sent.
 */
export async function faultOfTls(url: string): Promise<PlaceFault | undefined> {
  const place = listeningOf(url, 6379)
  const signal = AbortSignal.timeout(patience)
  if (new URL(url).protocol === 'rediss:')
    return (await answersPlainly(place, signal))
      ? new PlaceFault('SIDESTAGE_REDIS_URL: this Redis speaks no TLS there: its address begins with redis://')
      : undefined
  return (await speaksTls(place, signal))
    ? new PlaceFault('SIDESTAGE_REDIS_URL: this Redis speaks TLS there: its address begins with rediss://')
    : undefined
}
