import { roleOf, maySpeak, type Member, type Role, type Team } from './team.ts'
import { teamAdmission, type TeamAdmission } from './team-admission.ts'
import { teamMembership, type TeamMembership } from './team-membership.ts'
import { teamSettings, type TeamSettings } from './team-settings.ts'
import { createTeamContext, type TeamsOptions } from './team-context.ts'
import { createTeamRegistry } from './teams-registry.ts'
import { loadTeams } from './teams-store.ts'

/** Every team of every application: in memory, so that no message waits for the database; a change is stored first and then counts. */
export interface Teams extends TeamMembership, TeamAdmission, TeamSettings {
  /** A team of the application by its number, also as text; undefined for another's, a dissolved one or none at all. */
  find(uid: number, tid: string | number): Team | undefined
  /** Who is in a team, with role, nickname, and the seq from which on each reads. */
  membersOf(team: Team): Iterable<Member>
  roleOf(team: Team, accid: string): Role | undefined
  /** Whether an account may send to the team: a member that is not muted, nor all are. */
  maySpeak(team: Team, accid: string): boolean
  /** Whether a member has switched message reminders of the team off. */
  isQuiet(team: Team, accid: string): boolean
  /** Teams that an account is in, the oldest first. */
  teamsOf(uid: number, accid: string): Team[]
  /** The same as numbers, each with the seq of the event that let the account in. */
  membershipsOf(uid: number, accid: string): Iterable<{ readonly tid: number; readonly since: number }>
}

/** Loads the teams and keeps them. */
export async function createTeams(options: TeamsOptions): Promise<Teams> {
  const registry = createTeamRegistry(await loadTeams(options.db))
  const context = createTeamContext(options, registry)
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
    *membershipsOf(uid, accid) {
      for (const { row, members } of registry.of(uid, accid))
        yield { tid: row.tid, since: members.get(accid)?.since ?? 0 }
    },
  }
}
