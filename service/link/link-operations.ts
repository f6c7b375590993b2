import type { Clock } from '../../platform/clock.ts'
import { history } from '../../contract/operations/messages.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import type { LoginAudit } from './login-audit.ts'
import type { LinkAccounts } from './ports.ts'

/** Handler of queryUserEvents (2-messaging History). */
export const linkOperations = ({
  records,
  accounts,
  clock,
}: {
  readonly records: Pick<LoginAudit, 'query'>
  readonly accounts: Pick<LinkAccounts, 'find'>
  readonly clock: Clock
}): Served[] => [
  serve(history.userEvents, async ({ accid, begintime, endtime, limit, reverse }, { application: { uid } }) => {
    if (!accounts.find(uid, accid)) throw new Refused(414, `${accid} is not registered`, 'missing')
    const end = endtime ?? clock.now()
    if (end < begintime) throw new Refused(414, 'endtime is before begintime')
    const found = await records.query({ uid, accid, begin: begintime, end, limit, ascending: reverse === 1 })
    return {
      size: found.length,
      events: found.map(({ at, eventType, clientIp, sdkVersion, clientType, code }) => ({
        accid,
        timestamp: at,
        eventType,
        clientIp,
        sdkVersion,
        clientType,
        code,
      })),
    }
  }),
]
