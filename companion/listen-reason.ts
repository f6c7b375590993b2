import { reasonOf, type ReasonOf } from '../contract/catalogue/reasons.ts'
import { reasonOf as messageOf } from './failure.ts'

/** Why a listener could not be started, by the system's error. */
export function listenReason(error: unknown, host: string, port: number): ReasonOf<'listener'> {
  switch ((error as { code?: unknown }).code) {
    case 'EADDRINUSE':
      return reasonOf('listener', 'taken', { port: String(port) })
    case 'EACCES':
      return reasonOf('listener', 'denied', { port: String(port) })
    case 'EADDRNOTAVAIL':
      return reasonOf('listener', 'address', { host })
    default:
      return reasonOf('listener', 'failed', { system: messageOf(error) })
  }
}
