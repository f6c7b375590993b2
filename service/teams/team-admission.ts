import { Refused } from '../refusal.ts'
import type { TeamRequestTable } from '../storage/messaging-tables.ts'
import { accidsOf, leadersOf, roleOf, type Actor, type Team } from './team.ts'
import { teamOpes, tinfoOf, type Notice } from './team-notices.ts'
import { mayDo, memberRole } from './team-rights.ts'
import { joining, withMembersAt, type TeamContext } from './team-context.ts'

/** Handlers by which accounts join teams on their own. */
export function teamAdmission({ options, commit, mustFit, notice, request, on }: TeamContext) {
  const { clock, relations } = options

  const letIn = async (
    team: Team,
    actor: Actor,
    accid: string,
    about: Pick<Notice, 'ope' | 'id' | 'cards'>,
  ): Promise<void> => {
    mustFit(team, 1)
    const row = withMembersAt(team.row, clock.now())
    const told = [...accidsOf(team), accid]
    const tinfo = tinfoOf(row, told.length)
    await commit(row.tid, joining(team, row, [accid]), [notice({ ...about, row, actor, accids: [accid], tinfo, told })])
  }
  /** Settles a request of an account, and tells the one who made it. */
  const refuse = (
    { row, members: { size } }: Team,
    actor: Actor,
    settled: Pick<TeamRequestTable, 'kind' | 'accid'>,
    told: string,
    msg: string | undefined,
  ): Promise<void> => {
    const kind = settled.kind === 'invitation' ? 'TEAM_INVITE_REJECT' : 'TEAM_APPLY_REJECT'
    return commit(row.tid, () => ({ settled: [settled] }), [request({ kind, row, size, actor, told: [told], msg })])
  }

  return {
    /** Asks to join: at once with joinmode 0, by leaders with 1, 403 with 2. Whether the account is in. */
    apply: (uid: number, tid: string, actor: Actor, msg?: string) =>
      on(uid, tid, actor.accid, async (team): Promise<boolean> => {
        const { row, members } = team
        const { accid } = actor
        if (roleOf(team, accid) !== undefined) return true
        if (row.joinmode === 2) throw new Refused(403, 'this team accepts no members')
        if (row.joinmode === 0) {
          await letIn(team, actor, accid, { ope: teamOpes.applied, id: accid, cards: [accid, accid] })
          return true
        }
        // Leaders already know of the first application.
        if (team.applications.has(accid)) return false
        const told = leadersOf(team)
        const to = told.filter((leader) => !relations.hasBlacklisted(uid, leader, accid))
        const kind = 'application' as const
        const asked = { tid: row.tid, kind, accid, inviter: '', msg: msg ?? '', attach: '', at: clock.now() }
        await commit(row.tid, () => (to.length ? { requests: [asked] } : {}), [
          request({ kind: 'TEAM_APPLY', row, size: members.size, actor, told, to, msg }),
        ])
        return false
      }),
    /** Answers an invitation; 414 without one, 801 when the team is full, which keeps the invitation. */
    answerInvitation: (uid: number, tid: string, actor: Actor, accept: boolean, msg?: string) =>
      on(uid, tid, actor.accid, async (team) => {
        const { accid } = actor
        const invitation = team.invitations.get(accid)
        if (!invitation) throw new Refused(414, `${accid} is not invited`)
        const { inviter } = invitation
        if (accept) return letIn(team, actor, accid, { ope: teamOpes.accepted, id: inviter, cards: [accid, inviter] })
        return refuse(team, actor, { kind: 'invitation', accid }, inviter, msg)
      }),
    /** Answers an application as leader; 414 without one, 801 when the team is full, which keeps the application. */
    answerApplication: (uid: number, tid: string, actor: Actor, accid: string, accept: boolean, msg?: string) =>
      on(uid, tid, actor.accid, async (team) => {
        mayDo(team, memberRole(team, actor.accid), 'answer')
        if (!team.applications.has(accid)) throw new Refused(414, `${accid} has not applied`)
        if (accept) return letIn(team, actor, accid, { ope: teamOpes.applied, id: accid, cards: [accid, actor.accid] })
        return refuse(team, actor, { kind: 'application', accid }, accid, msg)
      }),
  }
}
