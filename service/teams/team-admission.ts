import { Refused } from '../refusal.ts'
import { accidsOf, leadersOf, roleOf, type Actor, type Team } from './team.ts'
import { noticeEvent, requestEvent, teamOpes, tinfoOf, type Notice } from './team-notices.ts'
import { mayDo, memberRole } from './team-rights.ts'
import { joining, withMembersAt, type TeamContext } from './team-context.ts'

/** Handlers by which accounts join teams on their own. */
export interface TeamAdmission {
  /** Asks to join: at once with joinmode 0, by leaders with 1, 403 with 2. Whether the account is in. */
  apply(uid: number, tid: string, actor: Actor, msg?: string): Promise<boolean>
  /** Answers an invitation; 414 without one, 801 when the team is full, which keeps the invitation. */
  answerInvitation(uid: number, tid: string, actor: Actor, accept: boolean, msg?: string): Promise<void>
  /** Answers an application as leader; 414 without one, 801 when the team is full, which keeps the application. */
  answerApplication(uid: number, tid: string, actor: Actor, accid: string, accept: boolean, msg?: string): Promise<void>
}

/** Makes the handlers. */
export function teamAdmission({ options, cardOf, commit, mustFit, on }: TeamContext): TeamAdmission {
  const { clock, relations } = options

  const letIn = async (
    team: Team,
    actor: Actor,
    accid: string,
    notice: Pick<Notice, 'ope' | 'id' | 'cards'>,
  ): Promise<void> => {
    mustFit(team, 1)
    const row = withMembersAt(team.row, clock.now())
    const told = [...accidsOf(team), accid]
    await commit(row.tid, joining(team, row, [accid]), [
      noticeEvent({ ...notice, row, actor, accids: [accid], tinfo: tinfoOf(row, told.length), told }, cardOf(row.uid)),
    ])
  }

  return {
    apply: (uid, tid, actor, msg) =>
      on(uid, tid, actor.accid, async (team) => {
        const { accid } = actor
        if (roleOf(team, accid) !== undefined) return true
        if (team.row.joinmode === 2) throw new Refused(403, 'this team accepts no members')
        if (team.row.joinmode === 0) {
          await letIn(team, actor, accid, { ope: teamOpes.applied, id: accid, cards: [accid, accid] })
          return true
        }
        // Leaders already know of the first application.
        if (team.applications.has(accid)) return false
        const leaders = leadersOf(team)
        const to = leaders.filter((leader) => !relations.hasBlacklisted(uid, leader, accid))
        const request = {
          tid: team.row.tid,
          kind: 'application' as const,
          accid,
          inviter: '',
          msg: msg ?? '',
          attach: '',
          at: clock.now(),
        }
        const size = team.members.size
        await commit(team.row.tid, () => (to.length ? { requests: [request] } : {}), [
          requestEvent(
            {
              kind: 'TEAM_APPLY',
              row: team.row,
              size,
              actor,
              told: leaders,
              to: to.length ? to : leaders,
              hidden: to.length === 0,
              msg,
            },
            cardOf(uid),
          ),
        ])
        return false
      }),
    answerInvitation: (uid, tid, actor, accept, msg) =>
      on(uid, tid, actor.accid, async (team) => {
        const { accid } = actor
        const invitation = team.invitations.get(accid)
        if (!invitation) throw new Refused(414, `${accid} is not invited`)
        const { inviter } = invitation
        if (accept) return letIn(team, actor, accid, { ope: teamOpes.accepted, id: inviter, cards: [accid, inviter] })
        await commit(team.row.tid, () => ({ settled: [{ kind: 'invitation', accid }] }), [
          requestEvent(
            {
              kind: 'TEAM_INVITE_REJECT',
              row: team.row,
              size: team.members.size,
              actor,
              told: [inviter],
              to: [inviter],
              msg,
            },
            cardOf(uid),
          ),
        ])
      }),
    answerApplication: (uid, tid, actor, accid, accept, msg) =>
      on(uid, tid, actor.accid, async (team) => {
        mayDo(team, memberRole(team, actor.accid), 'answer')
        if (!team.applications.has(accid)) throw new Refused(414, `${accid} has not applied`)
        if (accept) return letIn(team, actor, accid, { ope: teamOpes.applied, id: accid, cards: [accid, actor.accid] })
        await commit(team.row.tid, () => ({ settled: [{ kind: 'application', accid }] }), [
          requestEvent(
            {
              kind: 'TEAM_APPLY_REJECT',
              row: team.row,
              size: team.members.size,
              actor,
              told: [accid],
              to: [accid],
              msg,
            },
            cardOf(uid),
          ),
        ])
      }),
  }
}
