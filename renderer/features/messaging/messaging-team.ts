import type { Answer } from '../../../contract/operation.ts'
import type { teams } from '../../../contract/operations/index.ts'

type Told = Answer<typeof teams.query>['tinfos'][number]
/** A team as it is read with its members. */
export type TeamInfo = Omit<Told, 'custom' | 'icon' | 'muteType' | 'createtime' | 'updatetime'>

/** What an account is in a team. */
export type TeamRole = 'owner' | 'admin' | 'member'

/** What an account is in a team; null of a stranger. */
export function roleOf(team: TeamInfo, accid: string): TeamRole | null {
  if (team.owner === accid) return 'owner'
  if (team.admins?.includes(accid)) return 'admin'
  return team.members?.includes(accid) ? 'member' : null
}

/** Members of a team by rank, then by name. */
export const membersOf = (team: TeamInfo): { readonly accid: string; readonly role: TeamRole }[] => [
  { accid: team.owner, role: 'owner' },
  ...[...(team.admins ?? [])].sort().map((accid) => ({ accid, role: 'admin' as const })),
  ...[...(team.members ?? [])].sort().map((accid) => ({ accid, role: 'member' as const })),
]

/** What an account may do to a member (2-messaging States): the owner everything to others, admins put ordinary members out. */
export function deedsOn(role: TeamRole | null, target: TeamRole): ('admin' | 'nick' | 'mute' | 'handOver' | 'kick')[] {
  if (role === 'owner') return target === 'owner' ? ['nick'] : ['admin', 'nick', 'mute', 'handOver', 'kick']
  return role === 'admin' && target === 'member' ? ['kick'] : []
}
