import { Refused } from '../refusal.ts'
import type { TeamTable } from '../storage/messaging-tables.ts'
import { accidsOf, mustBeMember, type Actor, type Team, type TeamFields } from './team.ts'
import { teamOpes, tinfoOf } from './team-notices.ts'
import { mayActOn, mayDo, memberRole } from './team-rights.ts'
import { joining, newMember, withMembersAt, type TeamContext } from './team-context.ts'

/** Values of a new team. */
export interface NewTeam extends Omit<TeamFields, 'memberLimit'> {
  /** Limit of members; absent or 0: the application's. */
  readonly memberLimit?: number | undefined
  readonly members: readonly string[]
  /** Members must agree first (behaviour.md#teams). */
  readonly agree: boolean
  readonly msg?: string | undefined
}

/** Accounts to add to a team. */
export interface Addition {
  readonly accids: readonly string[]
  /** They must agree first. Absent for clients: `beinvitemode` and their blacklists decide. */
  readonly agree?: boolean
  readonly msg?: string | undefined
  readonly attach?: string | undefined
}

/** Handlers of making and dissolving teams and of their members, with the codes of 2-messaging. */
export function teamMembership({ options, commit, mustExist, mustFit, notice, request, on }: TeamContext) {
  const { registry, clock, random, relations, limits } = options

  const newTid = (): number => {
    for (;;) {
      const tid = Number(random(8).readBigUInt64BE() >> 11n)
      if (tid > 0 && !registry.get(tid)) return tid
    }
  }
  const willing = (uid: number, accids: readonly string[], inviter: string): string[] =>
    accids.filter((accid) => !relations.hasBlacklisted(uid, accid, inviter))
  const invitation = (
    row: TeamTable,
    size: number,
    actor: Actor,
    accids: readonly string[],
    { msg, attach }: Pick<Addition, 'msg' | 'attach'>,
  ) => {
    const to = willing(row.uid, accids, actor.accid)
    const kind = 'invitation' as const
    const asked = { tid: row.tid, kind, inviter: actor.accid, msg: msg ?? '', attach: attach ?? '', at: clock.now() }
    return {
      event: request({ kind: 'TEAM_INVITE', row, size, actor, told: accids, to, msg, attach }),
      requests: to.map((accid) => ({ ...asked, accid })),
    }
  }
  const pullIn = async (team: Team, actor: Actor, accids: readonly string[], attach?: string): Promise<void> => {
    const row = withMembersAt(team.row, clock.now())
    const told = accidsOf(team)
    const tinfo = tinfoOf(row, told.length + accids.length)
    const cards = [...accids, actor.accid]
    await commit(row.tid, joining(team, row, accids), [
      notice({ ope: teamOpes.pulledIn, row, actor, accids, tinfo, cards, told, attach }),
    ])
  }
  const without = async (
    team: Team,
    actor: Actor,
    accids: readonly string[],
    ope: 1 | 2,
    attach?: string,
  ): Promise<void> => {
    const row = withMembersAt(team.row, clock.now())
    await commit(row.tid, () => ({ team: row, out: accids }), [
      notice({
        ope,
        row,
        actor,
        accids,
        tinfo: tinfoOf(row, team.members.size - accids.length),
        cards: [...new Set([...accids, actor.accid])],
        told: accidsOf(team).filter((member) => !accids.includes(member)),
        extraRecipients: accids,
        attach,
      }),
    ])
  }

  return {
    /** Makes a team; 801 when too large, 806 when the owner has too many. */
    async create(
      uid: number,
      actor: Actor,
      { members, agree, msg, memberLimit = 0, ...fields }: NewTeam,
    ): Promise<number> {
      const owner = actor.accid
      // Clients list the owner too.
      const others = [...new Set(members)].filter((accid) => accid !== owner)
      mustExist(uid, [owner, ...others])
      const { teamSize, teamsPerOwner } = limits(uid)
      if (memberLimit > teamSize) throw new Refused(414, `teamMemberLimit must be at most ${teamSize}`)
      const most = memberLimit || teamSize
      if (1 + others.length > most) throw new Refused(801, `the team has ${most} members at most`)
      const release = registry.holdPlace(uid, owner, teamsPerOwner)
      if (!release) throw new Refused(806, `${owner} has ${teamsPerOwner} teams`)
      try {
        const now = clock.now()
        const tid = newTid()
        const row: TeamTable = {
          ...fields,
          tid,
          uid,
          owner,
          announcer: fields.announcement === '' ? '' : owner,
          announced: fields.announcement === '' ? 0 : now,
          mute: 0,
          memberLimit,
          created: now,
          updated: now,
          membersUpdated: now,
        }
        const founder = newMember(tid, owner, 1, 'owner')
        if (others.length === 0) {
          await commit(tid, () => ({ team: row, members: [founder] }), [])
          return tid
        }
        if (agree) {
          const { event, requests } = invitation(row, 1, actor, others, { msg })
          await commit(tid, (seq) => ({ team: row, members: [{ ...founder, since: seq }], requests }), [event])
          return tid
        }
        const all = [founder, ...others.map((accid, index) => newMember(tid, accid, index + 2))]
        const tinfo = tinfoOf(row, all.length)
        await commit(tid, (seq) => ({ team: row, members: all.map((member) => ({ ...member, since: seq })) }), [
          notice({
            ope: teamOpes.pulledIn,
            row,
            actor,
            accids: others,
            tinfo,
            cards: [...others, owner],
            told: [owner],
          }),
        ])
        return tid
      } finally {
        release()
      }
    },
    /** Adds or invites accounts; all, or none with 801. Present members are skipped. */
    add: (uid: number, tid: string, actor: Actor, { accids, agree, msg, attach }: Addition) =>
      on(uid, tid, actor.accid, async (team) => {
        mayDo(team, memberRole(team, actor.accid), 'add')
        mustExist(uid, accids)
        // Clients may list the owner and present members.
        const others = [...new Set(accids)].filter((accid) => !team.members.has(accid))
        if (others.length === 0) return
        mustFit(team, others.length)
        if (agree === false) return pullIn(team, actor, others, attach)
        if (agree === undefined && team.row.beinvitemode === 1) {
          const pulled = willing(uid, others, actor.accid)
          if (pulled.length > 0) await pullIn(team, actor, pulled, attach)
          return
        }
        const { event, requests } = invitation(team.row, team.members.size, actor, others, { msg, attach })
        await commit(team.row.tid, () => ({ requests }), [event])
      }),
    /** Removes members, all or none. */
    kick: (uid: number, tid: string, actor: Actor, accids: readonly string[], attach?: string) =>
      on(uid, tid, actor.accid, async (team) => {
        const role = memberRole(team, actor.accid)
        mayDo(team, role, 'kick')
        mustExist(uid, accids)
        for (const accid of accids) mayActOn(role, mustBeMember(team, accid).role)
        await without(team, actor, [...new Set(accids)], teamOpes.kicked, attach)
      }),
    leave: (uid: number, tid: string, actor: Actor) =>
      on(uid, tid, actor.accid, async (team) => {
        if (memberRole(team, actor.accid) === 'owner')
          throw new Refused(403, 'the owner must transfer or dissolve the team instead')
        await without(team, actor, [actor.accid], teamOpes.left)
      }),
    dissolve: (uid: number, tid: string, actor: Actor) =>
      on(uid, tid, actor.accid, async (team) => {
        mayDo(team, memberRole(team, actor.accid), 'dissolve')
        const all = accidsOf(team)
        const row = { ...team.row, updated: clock.now() }
        await commit(row.tid, () => ({ dissolved: true }), [
          notice({ ope: teamOpes.dissolved, row, actor, cards: [actor.accid], told: all, extraRecipients: all }),
        ])
      }),
  }
}
