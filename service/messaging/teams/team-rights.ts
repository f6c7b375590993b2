import { Refused } from '../../refusal.ts'
import { roleOf, type Role, type SomeTeamFields, type Team } from './team.ts'

/** What is done to a team. */
export type Deed =
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

/** Deeds of admins; the owner may do them all (2-messaging States, behaviour.md#teams). */
const admins: ReadonlySet<Deed> = new Set(['add', 'kick', 'answer'])

const leads = (role: Role): boolean => role !== 'member'

/** What an account is in a team; refused with 403 when it is a stranger there. */
export function memberRole(team: Team, accid: string): Role {
  const role = roleOf(team, accid)
  if (role === undefined) throw new Refused(403, `${accid} is not in the team`)
  return role
}

/** Refuses with 403 a deed that the role does not allow. */
export function mayDo(team: Team, role: Role, deed: Deed): void {
  if (role === 'owner' || (role === 'admin' && admins.has(deed))) return
  if (deed === 'add' && team.row.invitemode === 1) return
  throw new Refused(403, `not allowed for this ${role} of the team`)
}

/** Refuses with 403 to act on someone of equal or higher rank: nobody acts on the owner, and only the owner on admins. */
export function mayActOn(role: Role, target: Role): void {
  if (target === 'owner' || (target === 'admin' && role !== 'owner'))
    throw new Refused(403, `not allowed on the ${target} of the team`)
}

/** Refuses with 403 changes that a role may not make: `uptinfomode` opens the description, `upcustommode` the custom attributes; modes are for owner and admins. */
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
