import { roleOf, maySpeak, type Member, type Role, type Team } from './team.ts'
import { teamAdmission, type TeamAdmission } from './team-admission.ts'
import { teamMembership, type TeamMembership } from './team-membership.ts'
import { teamSettings, type TeamSettings } from './team-settings.ts'
import { createTeamContext, type TeamsOptions } from './team-context.ts'

/** All teams, in memory, so that no message waits. A change is stored before it takes effect. */
export interface Teams extends TeamMembership, TeamAdmission, TeamSettings {
  /** By number or text; undefined for a team that is unknown, dissolved or another application's. */
  find(uid: number, tid: string | number): Team | undefined
  /** Members with role, nickname, and the seq from which each reads. */
  membersOf(team: Team): Iterable<Member>
  roleOf(team: Team, accid: string): Role | undefined
  /** Whether an account may send: a member, neither individually muted nor by a mute of the team. */
  maySpeak(team: Team, accid: string): boolean
  /** Whether a member has turned off reminders. */
  isQuiet(team: Team, accid: string): boolean
  /** Teams of an account, oldest first. */
  teamsOf(uid: number, accid: string): Team[]
}

/** Makes the handlers on the teams of a registry. */
export function createTeams(options: TeamsOptions): Teams {
  const { registry } = options
  const context = createTeamContext(options)
  return {
    ...teamMembership(context),
    ...teamAdmission(context),
    ...teamSettings(context),
    find: context.find,
    membersOf: (team) => team.members.values(),
    roleOf,
    maySpeak,
    isQuiet: (team, accid) => team.members.get(accid)?.quiet === 1,
    teamsOf: (uid, accid) =>
      [...registry.of(uid, accid)].sort((a, b) => a.row.created - b.row.created || a.row.tid - b.row.tid),
  }
}
