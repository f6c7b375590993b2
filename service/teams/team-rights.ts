import { Refused } from '../refusal.ts'
import { roleOf, type Role, type SomeTeamFields, type Team } from './team.ts'

/** An action on a team. */
export type TeamAction =
  | 'add'
  | 'kick'
  | 'dissolve'
  | 'handOver'
  | 'setAdmins'
  | 'setNick'
  | 'mute'
  | 'muteAll'
  | 'listMutes'
  | 'answer'

/** Actions of admins; the owner may do all (2-messaging States, behaviour.md#teams). */
const admins: ReadonlySet<TeamAction> = new Set(['add', 'kick', 'answer'])

const leads = (role: Role): boolean => role !== 'member'

/** Role of a member; throws 403 for others. */
export function memberRole(team: Team, accid: string): Role {
  const role = roleOf(team, accid)
  if (role === undefined) throw new Refused(403, `${accid} is not in the team`)
  return role
}

/** Throws 403 for an action that the role does not allow. */
export function mayDo(team: Team, role: Role, action: TeamAction): void {
  if (role === 'owner' || (role === 'admin' && admins.has(action))) return
  if (action === 'add' && team.row.invitemode === 1) return
  throw new Refused(403, `not allowed for this ${role} of the team`)
}

/** Throws 403 against members of equal or higher rank: nobody acts on the owner, and only the owner on admins. */
export function mayActOn(role: Role, target: Role): void {
  if (target === 'owner' || (target === 'admin' && role !== 'owner'))
    throw new Refused(403, `not allowed on the ${target} of the team`)
}

/** Throws 403: `uptinfomode` opens the description, `upcustommode` custom attributes; modes are for leaders. */
export function mayUpdate(
  team: Team,
  role: Role,
  { custom, tname, announcement, intro, icon, ...modes }: SomeTeamFields,
): void {
  if (leads(role)) return
  const given = (values: object): boolean => Object.values(values).some((value) => value !== undefined)
  const open = { description: team.row.uptinfomode === 1, custom: team.row.upcustommode === 1 }
  if (
    (custom !== undefined && !open.custom) ||
    (given({ tname, announcement, intro, icon }) && !open.description) ||
    given(modes)
  )
    throw new Refused(403, 'not allowed for this member of the team')
}
