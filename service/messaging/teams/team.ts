import type { CopyClient } from '../../../contract/callbacks/copy-builders.ts'
import { Refused } from '../../refusal.ts'
import type { TeamMemberTable, TeamRequestTable, TeamTable } from '../../storage/schema.ts'

/** What a member is in a team. */
export type Role = TeamMemberTable['role']
/** One account in a team. Only who is in it, from `since` on, reads what is sent there. */
export type Member = Readonly<TeamMemberTable>

/** A team in memory: its stored row and who is in it, the one who came first at the front. */
export interface Team {
  readonly row: Readonly<TeamTable>
  readonly members: ReadonlyMap<string, Member>
  /** Invitations that are not answered yet, by the account invited. */
  readonly invitations: ReadonlyMap<string, Readonly<TeamRequestTable>>
  /** Applications that are not answered yet, by the applicant. */
  readonly applications: ReadonlyMap<string, Readonly<TeamRequestTable>>
}

/** Who does something to a team: the account, and with what, `REST` being the API. */
export interface Actor {
  readonly accid: string
  readonly clientType: CopyClient
  /** Device of the link session. */
  readonly device?: string | undefined
}

/** What is set about a team besides its members (2-messaging Team). */
export type TeamFields = Pick<
  TeamTable,
  | 'tname'
  | 'announcement'
  | 'intro'
  | 'custom'
  | 'icon'
  | 'joinmode'
  | 'beinvitemode'
  | 'invitemode'
  | 'uptinfomode'
  | 'upcustommode'
  | 'memberLimit'
>
/** Some of it, absent members being as they are. */
export type SomeTeamFields = { readonly [K in keyof TeamFields]?: TeamFields[K] | undefined }

/** What an account is in a team; undefined for a stranger. */
export const roleOf = (team: Team, accid: string): Role | undefined => team.members.get(accid)?.role
/** Owner and admins, who decide on applications. */
export const leadersOf = (team: Team): string[] =>
  [...team.members.values()].filter(({ role }) => role !== 'member').map(({ accid }) => accid)
/** Accounts in a team, the one who came first at the front. */
export const accidsOf = (team: Team): string[] => [...team.members.keys()]
/** Who is muted in a team as a whole: nobody, ordinary members, everybody but the owner. Numbers of `muteType`. */
export const teamMutes = { none: 0, ordinary: 1, allButOwner: 3 } as const
/** Whether an account may send to a team: members that are not muted, and while all are muted only owner and admins, or the owner alone (2-messaging States). */
export function maySpeak(team: Team, accid: string): boolean {
  const member = team.members.get(accid)
  if (member === undefined || member.muted === 1) return false
  return (
    team.row.mute === teamMutes.none ||
    member.role === 'owner' ||
    (team.row.mute === teamMutes.ordinary && member.role === 'admin')
  )
}

/** The member that an account is; refused with 414 when it is not in the team. */
export function mustBeMember(team: Team, accid: string): Member {
  const member = team.members.get(accid)
  if (!member) throw new Refused(414, `${accid} is not in the team`)
  return member
}

/** A team's number as callers write it; undefined when it cannot be one. */
export function readTid(text: string | number): number | undefined {
  const written = String(text)
  const tid = /^[1-9][0-9]{0,15}$/.test(written) ? Number(written) : Number.NaN
  return Number.isSafeInteger(tid) ? tid : undefined
}
