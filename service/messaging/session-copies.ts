import type { SessionCopy } from '../../contract/callbacks/copy.ts'
import type { LogInCopies, LogInRecord } from '../link/login-audit.ts'
import type { Copies } from '../copies/copies.ts'

/** The copy of a log-in or log-out (3-chatrooms Login and logout events). */
const copyOf = ({ accid, clientIp, clientType, code, sdkVersion, at, eventType }: LogInRecord): SessionCopy => ({
  eventType: String(eventType),
  accid,
  clientIp,
  clientType,
  code: String(code),
  sdkVersion,
  timestamp: String(at),
})

/** Copies log-ins and log-outs of active kinds. */
export const sessionCopies = (copies: Pick<Copies, 'wants' | 'enqueue'>): LogInCopies => ({
  enqueue: (transaction, record) =>
    copies.wants(record.uid, record.eventType === 2 ? 2 : 3)
      ? copies.enqueue(transaction, record.uid, copyOf(record))
      : Promise.resolve(),
})
