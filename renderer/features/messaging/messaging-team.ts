import type { Answer } from '../../../contract/operation.ts'
import type { teams } from '../../../contract/operations/index.ts'

type Told = Answer<typeof teams.query>['tinfos'][number]
/** A team with its members. */
export type TeamInfo = Omit<Told, 'custom' | 'icon' | 'muteType' | 'createtime' | 'updatetime'>

/** Role in a team. */
export type TeamRole = 'owner' | 'admin' | 'member'

/** Null for an account outside the team. */
export function roleOf(team: TeamInfo, accid: string): TeamRole | null {
  if (team.owner === accid) return 'owner'
  if (team.admins?.includes(accid)) return 'admin'
  return team.members?.includes(accid) ? 'member' : null
}

/** Members by role, then by name. */
export const membersOf = (team: TeamInfo): { readonly accid: string; readonly role: TeamRole }[] => [
  { accid: team.owner, role: 'owner' },
  ...[...(team.admins ?? [])].sort().map((accid) => ({ accid, role: 'admin' as const })),
  ...[...(team.members ?? [])].sort().map((accid) => ({ accid, role: 'member' as const })),
]

/** Actions on a member (2-messaging States): all for the owner, admins may remove ordinary members. */
export function actionsOn(
  role: TeamRole | null,
  target: TeamRole,
): ('admin' | 'nick' | 'mute' | 'handOver' | 'kick')[] {
  if (role === 'owner') return target === 'owner' ? ['nick'] : ['admin', 'nick', 'mute', 'handOver', 'kick']
  return role === 'admin' && target === 'member' ? ['kick'] : []
}
