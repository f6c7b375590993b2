import type { ClientKind } from '../../contract/callbacks/copy-builders.ts'
import { Refused } from '../refusal.ts'
import type { TeamMemberTable, TeamRequestTable, TeamTable } from '../storage/messaging-tables.ts'

/** Role of a member. */
export type Role = TeamMemberTable['role']
/** A member of a team, who reads from `since` on. */
export type Member = Readonly<TeamMemberTable>

/** A team in memory: its row, and members in order of joining. */
export interface Team {
  readonly row: Readonly<TeamTable>
  readonly members: ReadonlyMap<string, Member>
  /** Open invitations by invited account. */
  readonly invitations: ReadonlyMap<string, Readonly<TeamRequestTable>>
  /** Open applications by applicant. */
  readonly applications: ReadonlyMap<string, Readonly<TeamRequestTable>>
}

/** Who acts on a team; clientType `REST` is the API. */
export interface Actor {
  readonly accid: string
  readonly clientType: ClientKind
  /** Device of the link session. */
  readonly device?: string | undefined
}

/** Fields of a team (2-messaging Team). */
export type TeamFields = Omit<
  TeamTable,
  'tid' | 'uid' | 'owner' | 'announcer' | 'announced' | 'mute' | 'created' | 'updated' | 'membersUpdated'
>
/** Changed fields; absent ones stay. */
export type SomeTeamFields = { readonly [K in keyof TeamFields]?: TeamFields[K] | undefined }

/** Role of an account; undefined for others. */
export const roleOf = (team: Team, accid: string): Role | undefined => team.members.get(accid)?.role
/** Owner and admins, who decide on applications. */
export const leadersOf = (team: Team): string[] =>
  [...team.members.values()].filter(({ role }) => role !== 'member').map(({ accid }) => accid)
/** Members in order of joining. */
export const accidsOf = (team: Team): string[] => [...team.members.keys()]
/** Mute of the whole team: nobody, ordinary members, all but the owner. Numbers of `muteType`. */
export const teamMutes = { none: 0, ordinary: 1, allButOwner: 3 } as const
/** Whether an account may send: a muted team lets only leaders, or only the owner (2-messaging States). */
export function maySpeak(team: Team, accid: string): boolean {
  const member = team.members.get(accid)
  if (member === undefined || member.muted === 1) return false
  return (
    team.row.mute === teamMutes.none ||
    member.role === 'owner' ||
    (team.row.mute === teamMutes.ordinary && member.role === 'admin')
  )
}

/** Throws 414 for an account that is no member. */
export function mustBeMember(team: Team, accid: string): Member {
  const member = team.members.get(accid)
  if (!member) throw new Refused(414, `${accid} is not in the team`)
  return member
}

/** Parses a tid; undefined if invalid. */
export function readTid(text: string | number): number | undefined {
  const written = String(text)
  const tid = /^[1-9][0-9]{0,15}$/.test(written) ? Number(written) : Number.NaN
  return Number.isSafeInteger(tid) ? tid : undefined
}
