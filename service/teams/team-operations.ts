import { teams as contract } from '../../contract/operations/index.ts'
import { Refused } from '../refusal.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { teamMutes, type Actor, type Role, type Team } from './team.ts'
import { maxMember } from './team-context.ts'
import type { Teams } from './teams.ts'

/** Numbers of roles in listTeamMute. */
const roleNumbers: Readonly<Record<Role, number>> = { member: 0, owner: 1, admin: 2 }

const modes = { joinmode: 0, beinvitemode: 0, invitemode: 0, uptinfomode: 0, upcustommode: 0 }
/** Fields of a new team that were not given. */
const unset = { announcement: '', intro: '', custom: '', icon: '', ...modes }

/** Handlers of the 16 operations on teams (2-messaging Advanced groups). */
export function teamOperations(options: {
  readonly teams: Teams
  /** `must` throws 414 for an unknown account. */
  readonly accounts: { must(uid: number, accid: string): unknown }
  readonly teamSize: (uid: number) => number
}): Served[] {
  const { teams, accounts, teamSize } = options
  const mostOf = (row: Team['row']): number => maxMember(row, { teamSize: teamSize(row.uid) })
  const byApi = (accid: string): Actor => ({ accid, clientType: 'REST' })
  const described = ({ row, members }: Team, withMembers: boolean) => ({
    tid: row.tid,
    tname: row.tname,
    owner: row.owner,
    announcement: row.announcement,
    intro: row.intro,
    maxusers: mostOf(row),
    size: members.size,
    joinmode: row.joinmode,
    custom: row.custom,
    icon: row.icon,
    mute: row.mute !== teamMutes.none,
    muteType: row.mute,
    beinvitemode: row.beinvitemode,
    invitemode: row.invitemode,
    uptinfomode: row.uptinfomode,
    upcustommode: row.upcustommode,
    createtime: row.created,
    updatetime: row.updated,
    ...(withMembers && { admins: ofRole(members.values(), 'admin'), members: ofRole(members.values(), 'member') }),
  })
  const ofRole = (members: Iterable<{ readonly accid: string; readonly role: Role }>, role: Role): string[] =>
    [...members].filter((member) => member.role === role).map(({ accid }) => accid)

  return [
    serve(contract.create, async ({ owner, magree, teamMemberLimit, ...given }, { application: { uid } }) => {
      const agreement = { agree: magree === 1, memberLimit: teamMemberLimit }
      const tid = await teams.create(uid, byApi(owner), { ...unset, ...given, ...agreement })
      return { tid: String(tid) }
    }),
    serve(contract.add, async ({ tid, owner, members, magree, msg, attach }, { application: { uid } }) => {
      await teams.add(uid, tid, byApi(owner), { accids: members, agree: magree === 1, msg, attach })
      return {}
    }),
    serve(contract.kick, async ({ tid, owner, member, members = [], attach }, { application: { uid } }) => {
      const accids = member === undefined ? members : [member, ...members]
      if (accids.length === 0) throw new Refused(414, 'member is empty')
      await teams.kick(uid, tid, byApi(owner), accids, attach)
      return {}
    }),
    serve(contract.remove, async ({ tid, owner }, { application: { uid } }) => {
      await teams.dissolve(uid, tid, byApi(owner))
      return {}
    }),
    serve(contract.update, async ({ tid, owner, teamMemberLimit, ...fields }, { application: { uid } }) => {
      await teams.update(uid, tid, byApi(owner), {
        ...fields,
        ...(teamMemberLimit !== undefined && { memberLimit: teamMemberLimit }),
      })
      return {}
    }),
    serve(contract.query, ({ tids, ope, ignoreInvalid }, { application: { uid } }) => ({
      tinfos: [...new Set(tids)].flatMap((tid) => {
        const team = teams.find(uid, tid)
        if (!team && !ignoreInvalid) throw new Refused(414, `no such team: ${tid}`, 'missing')
        return team ? [described(team, ope === 1)] : []
      }),
    })),
    serve(contract.changeOwner, async ({ tid, owner, newowner, leave }, { application: { uid } }) => {
      await teams.changeOwner(uid, tid, byApi(owner), newowner, leave === 1)
      return {}
    }),
    serve(contract.addManager, async ({ tid, owner, members }, { application: { uid } }) => {
      await teams.setAdmins(uid, tid, byApi(owner), members, true)
      return {}
    }),
    serve(contract.removeManager, async ({ tid, owner, members }, { application: { uid } }) => {
      await teams.setAdmins(uid, tid, byApi(owner), members, false)
      return {}
    }),
    serve(contract.joinTeams, ({ accid }, { application: { uid } }) => {
      accounts.must(uid, accid)
      const infos = teams.teamsOf(uid, accid).map(({ row, row: { owner, tname, tid, custom }, members }) => ({
        owner,
        tname,
        maxusers: mostOf(row),
        tid,
        size: members.size,
        custom,
      }))
      return { count: infos.length, infos }
    }),
    serve(contract.updateTeamNick, async ({ tid, owner, accid, nick }, { application: { uid } }) => {
      await teams.setNick(uid, tid, byApi(owner), accid, nick ?? '')
      return {}
    }),
    serve(contract.muteTeam, async ({ tid, accid, ope }, { application: { uid } }) => {
      await teams.setQuiet(uid, tid, accid, ope === 1)
      return {}
    }),
    serve(contract.muteTlist, async ({ tid, owner, accid, mute }, { application: { uid } }) => {
      await teams.setMuted(uid, tid, byApi(owner), accid, mute === 1)
      return {}
    }),
    serve(contract.leave, async ({ tid, accid }, { application: { uid } }) => {
      await teams.leave(uid, tid, byApi(accid))
      return {}
    }),
    serve(contract.muteTlistAll, async ({ tid, owner, mute, muteType }, { application: { uid } }) => {
      const type = mute === undefined ? muteType : mute ? teamMutes.ordinary : teamMutes.none
      if (type === undefined) throw new Refused(414, 'mute is empty')
      await teams.setMutedAll(uid, tid, byApi(owner), type)
      return {}
    }),
    serve(contract.listTeamMute, async ({ tid, owner }, { application: { uid } }) => {
      const muted = await teams.mutedMembers(uid, tid, owner)
      return {
        mutes: muted.map((member) => ({
          nick: member.nick,
          accid: member.accid,
          tid: member.tid,
          type: roleNumbers[member.role],
        })),
      }
    }),
  ]
}
