import type { ClientKind } from '../../contract/callbacks/copy-builders.ts'
import type { LinkTeams } from '../link/ports.ts'
import type { LinkCaller, LinkHandlers } from '../link/handlers.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { Friends, FriendAction } from '../relations/friends.ts'
import { listKinds, type SpecialLists } from '../relations/special-lists.ts'
import type { Actor } from '../teams/team.ts'
import type { Teams } from '../teams/teams.ts'

const clientOf = ({ clientType }: LinkCaller): ClientKind => clientType as ClientKind
const actorOf = (caller: LinkCaller): Actor => ({
  accid: caller.accid,
  clientType: clientOf(caller),
  device: caller.device,
})

type RelationHandlers = Pick<LinkHandlers, 'friend' | 'friends' | 'relation' | 'cards'>

/** Link requests on friends, lists and cards, with the handlers of the operations. */
export function relationHandlers(options: {
  readonly accounts: Pick<Accounts, 'find'>
  readonly friends: Pick<Friends, 'act' | 'friendsOf'>
  readonly lists: Pick<SpecialLists, 'setListed'>
}): RelationHandlers {
  const { accounts, friends, lists } = options
  return {
    async friend({ accid: other, type, msg }, caller) {
      const { uid, accid, device, session: origin } = caller
      await friends.act(uid, {
        accid,
        other,
        action: type as FriendAction,
        msg,
        clientType: clientOf(caller),
        device,
        origin,
      })
      return {}
    },
    friends: (_parameters, { uid, accid }) => ({
      friends: friends
        .friendsOf(uid, accid)
        .map(({ friend, alias, changed }) => ({ accid: friend, at: changed, ...(alias !== '' && { alias }) })),
    }),
    async relation({ accid: target, relation, value }, { uid, accid, session: origin }) {
      await lists.setListed(uid, {
        accid,
        target,
        kind: relation === 1 ? listKinds.blacklist : listKinds.mute,
        on: value === 1,
        origin,
      })
      return {}
    },
    // Only what clients display; the rest of the card is for the developer's server.
    cards: ({ accids }, { uid }) => ({
      cards: [...new Set(accids)].flatMap((accid) => {
        const account = accounts.find(uid, accid)
        return account ? [{ accid, name: account.name, ...(account.icon !== '' && { icon: account.icon }) }] : []
      }),
    }),
  }
}

type TeamHandlers = Pick<LinkHandlers, 'teams' | 'teamInvite' | 'teamApply' | 'teamAnswer' | 'teamLeave'>

/** Link requests on teams, with the handlers of the operations. */
export const teamHandlers = (teams: Teams): TeamHandlers => ({
  teams: (_parameters, { uid, accid }) => ({
    teams: teams.teamsOf(uid, accid).map((team) => ({
      tid: String(team.row.tid),
      tname: team.row.tname,
      owner: team.row.owner,
      size: team.members.size,
      role: teams.roleOf(team, accid) ?? 'member',
    })),
  }),
  async teamInvite({ tid, accids, msg }, caller) {
    await teams.add(caller.uid, tid, actorOf(caller), { accids, msg })
    return {}
  },
  teamApply: async ({ tid, msg }, caller) => ({ joined: await teams.apply(caller.uid, tid, actorOf(caller), msg) }),
  async teamAnswer({ tid, accid, accept, msg }, caller) {
    if (accid === undefined) await teams.answerInvitation(caller.uid, tid, actorOf(caller), accept, msg)
    else await teams.answerApplication(caller.uid, tid, actorOf(caller), accid, accept, msg)
    return {}
  },
  async teamLeave({ tid }, caller) {
    await teams.leave(caller.uid, tid, actorOf(caller))
    return {}
  },
})

/** Teams for the fan-out of the link. */
export const linkTeams = (teams: Pick<Teams, 'find' | 'isQuiet'>): LinkTeams => ({
  membersOf: (uid, tid) => teams.find(uid, tid)?.members.keys() ?? [],
  quietIn(uid, tid) {
    const team = teams.find(uid, tid)
    return (accid) => team !== undefined && teams.isQuiet(team, accid)
  },
})
