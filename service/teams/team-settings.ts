import { Refused } from '../refusal.ts'
import { accidsOf, mustBeMember, teamMutes, type Actor, type Member, type SomeTeamFields } from './team.ts'
import { changedTinfo, teamOpes, tinfoOf } from './team-notices.ts'
import { mayActOn, mayDo, mayUpdate, memberRole } from './team-rights.ts'
import { withMembersAt, type TeamContext } from './team-context.ts'

/** Handlers of team fields and roles, with the codes of 2-messaging. Setting the current state does nothing. */
export function teamSettings({ options, commit, mustExist, notice, on }: TeamContext) {
  const { registry, clock, limits, tell } = options

  return {
    update: (uid: number, tid: string, actor: Actor, fields: SomeTeamFields) =>
      on(uid, tid, actor.accid, async (team) => {
        mayUpdate(team, memberRole(team, actor.accid), fields)
        const before: SomeTeamFields = team.row
        const { teamSize } = limits(uid)
        if ((fields.memberLimit ?? 0) > teamSize) throw new Refused(414, `teamMemberLimit must be at most ${teamSize}`)
        const names = (Object.keys(fields) as (keyof SomeTeamFields)[]).filter(
          (name) => fields[name] !== undefined && fields[name] !== before[name],
        )
        if (names.length === 0) return
        const changed = Object.fromEntries(names.map((name) => [name, fields[name]])) as Partial<typeof team.row>
        const now = clock.now()
        const row = {
          ...team.row,
          ...changed,
          updated: now,
          ...('announcement' in changed && { announcer: actor.accid, announced: now }),
        }
        const { intro, announcement, joinmode, custom } = changed
        const changes = {
          ...(intro !== undefined && { intro }),
          ...(announcement !== undefined && { announcement }),
          ...(joinmode !== undefined && { joinmode }),
          ...(custom !== undefined && { config: custom }),
        }
        const tinfo = changedTinfo(row, changed)
        await commit(row.tid, () => ({ team: row }), [
          notice({ ope: teamOpes.updated, row, actor, tinfo, cards: [actor.accid], told: accidsOf(team), changes }),
        ])
      }),
    /** Transfers the team to a member; 806 when that one owns too many. */
    changeOwner: (uid: number, tid: string, actor: Actor, newOwner: string, leave: boolean) =>
      on(uid, tid, actor.accid, async (team) => {
        const former = team.row.owner
        mayDo(team, memberRole(team, actor.accid), 'handOver')
        mustExist(uid, [newOwner])
        if (newOwner === former) throw new Refused(414, `${newOwner} is the owner`)
        const next = mustBeMember(team, newOwner)
        const { teamsPerOwner } = limits(uid)
        const release = registry.holdPlace(uid, newOwner, teamsPerOwner)
        if (!release) throw new Refused(806, `${newOwner} has ${teamsPerOwner} teams`)
        try {
          const now = clock.now()
          const row = { ...withMembersAt(team.row, now), owner: newOwner, updated: now }
          const told = accidsOf(team)
          const stay = told.filter((accid) => accid !== former)
          const members: Member[] = [{ ...next, role: 'owner', muted: 0 }]
          if (!leave) members.push({ ...team.members.get(former)!, role: 'member' })
          const notices = [
            notice({
              ope: teamOpes.handedOver,
              row,
              actor,
              accids: [newOwner],
              id: newOwner,
              tinfo: tinfoOf(row, told.length),
              cards: [newOwner, former],
              told,
              ...(leave && { extraRecipients: [former] }),
            }),
          ]
          if (leave)
            notices.push(
              notice({
                ope: teamOpes.left,
                row,
                actor,
                accids: [former],
                tinfo: tinfoOf(row, stay.length),
                cards: [former],
                told: stay,
                extraRecipients: [former],
              }),
            )
          await commit(row.tid, () => ({ team: row, members, ...(leave && { out: [former] }) }), notices)
        } finally {
          release()
        }
      }),
    /** Makes members admins, or admins members. */
    setAdmins: (uid: number, tid: string, actor: Actor, given: readonly string[], admin: boolean) =>
      on(uid, tid, actor.accid, async (team) => {
        mayDo(team, memberRole(team, actor.accid), 'setAdmins')
        mustExist(uid, given)
        const role = admin ? 'admin' : 'member'
        // Clients list the owner too, who is no admin.
        const changed = [...new Set(given)]
          .filter((accid) => accid !== team.row.owner)
          .map((accid) => mustBeMember(team, accid))
          .filter((member) => member.role !== role)
        if (changed.length === 0) return
        const row = withMembersAt(team.row, clock.now())
        const accids = changed.map(({ accid }) => accid)
        const ope = admin ? teamOpes.adminAdded : teamOpes.adminRemoved
        await commit(row.tid, () => ({ team: row, members: changed.map((member) => ({ ...member, role })) }), [
          notice({ ope, row, actor, accids, cards: [actor.accid, ...accids], told: accidsOf(team) }),
        ])
      }),
    /** '' for none; the owner for anybody, others for themselves. */
    setNick: (uid: number, tid: string, actor: Actor, accid: string, nick: string) =>
      on(uid, tid, actor.accid, async (team) => {
        const role = memberRole(team, actor.accid)
        if (accid !== actor.accid) mayDo(team, role, 'setNick')
        mustExist(uid, [accid])
        const member = mustBeMember(team, accid)
        await commit(team.row.tid, () => ({ members: [{ ...member, nick }] }), [])
      }),
    setMuted: (uid: number, tid: string, actor: Actor, accid: string, muted: boolean) =>
      on(uid, tid, actor.accid, async (team) => {
        const role = memberRole(team, actor.accid)
        mayDo(team, role, 'mute')
        mustExist(uid, [accid])
        const member = mustBeMember(team, accid)
        mayActOn(role, member.role)
        await commit(team.row.tid, () => ({ members: [{ ...member, muted: Number(muted) }] }), [])
        if (member.muted !== Number(muted)) tell(uid, accid, { tid: String(team.row.tid), muted })
      }),
    /** Mutes the whole team, by `teamMutes`. */
    setMutedAll: (uid: number, tid: string, actor: Actor, mute: number) =>
      on(uid, tid, actor.accid, async (team) => {
        mayDo(team, memberRole(team, actor.accid), 'muteAll')
        if (team.row.mute === mute) return
        const row = { ...team.row, mute, updated: clock.now() }
        // `tinfo` has no key for it: only the history body tells members.
        const tinfo = changedTinfo(row, {})
        const changes = { mute: mute !== teamMutes.none }
        await commit(row.tid, () => ({ team: row }), [
          notice({ ope: teamOpes.updated, row, actor, tinfo, cards: [actor.accid], told: accidsOf(team), changes }),
        ])
      }),
    /** Message reminders of a member. */
    setQuiet: (uid: number, tid: string, accid: string, quiet: boolean) =>
      on(uid, tid, accid, async (team) => {
        memberRole(team, accid)
        const member = mustBeMember(team, accid)
        await commit(team.row.tid, () => ({ members: [{ ...member, quiet: Number(quiet) }] }), [])
        if (member.quiet !== Number(quiet)) tell(uid, accid, { tid: String(team.row.tid), quiet })
      }),
    mutedMembers: (uid: number, tid: string, accid: string): Promise<Member[]> =>
      on(uid, tid, accid, (team) => {
        mayDo(team, memberRole(team, accid), 'listMutes')
        return Promise.resolve([...team.members.values()].filter(({ muted }) => muted === 1))
      }),
  }
}
