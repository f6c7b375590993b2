import type { Clock } from '../../platform/clock.ts'
import { history } from '../../contract/operations/index.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import type { EventFrame } from '../events/event.ts'
import type { History } from '../stream/history.ts'
import type { SenderAccounts, SenderTeams } from './sources.ts'

interface Entry {
  readonly seq: number
  readonly at: number
  readonly frame: EventFrame
}

function entriesOf(events: readonly Entry[]) {
  const msgs = events.flatMap(({ seq, at, frame }) => {
    if (frame.t !== 'message') return []
    const { type, from, body, ext } = frame
    return [
      { msgid: seq, sendtime: at, type, from, body: JSON.parse(body) as object, ...(ext !== undefined && { ext }) },
    ]
  })
  return { size: msgs.length, msgs }
}

/** History (2-messaging). Each reads as one account: `from` of a conversation, `accid` of a team. */
export function historyOperations(options: {
  readonly stream: Pick<History, 'history'>
  readonly accounts: SenderAccounts
  readonly teams: Pick<SenderTeams, 'find'>
  readonly clock: Clock
}): Served[] {
  const { stream, accounts, teams, clock } = options
  const mustExist = (uid: number, accid: string): void => {
    if (!accounts.find(uid, accid)) throw new Refused(414, `${accid} is not registered`, 'missing')
  }
  const windowOf = (asked: { begintime: number; endtime?: number; limit: number; reverse: number; type?: string }) => {
    const { begintime, endtime = clock.now(), limit, reverse, type } = asked
    if (begintime > endtime) throw new Refused(414, 'begintime is after endtime')
    return { begin: begintime, end: endtime, limit, ascending: reverse === 1, types: type?.split(',').map(Number) }
  }

  return [
    serve(history.session, async ({ from, to, ...window }, { application: { uid } }) => {
      mustExist(uid, from)
      mustExist(uid, to)
      return entriesOf(
        await stream.history({ uid, accid: from, peer: { scene: 'p2p', accid: to }, ...windowOf(window) }),
      )
    }),
    serve(history.team, async ({ tid, accid, ...window }, { application: { uid } }) => {
      mustExist(uid, accid)
      const team = teams.find(uid, tid)
      if (!team) throw new Refused(414, 'no such team', 'missing')
      const member = team.members.get(accid)
      if (!member) throw new Refused(403, `${accid} is not in the team`)
      const peer = { scene: 'team', tid: team.row.tid } as const
      return entriesOf(await stream.history({ uid, accid, peer, since: member.since, ...windowOf(window) }))
    }),
  ]
}
