import { roleOf, maySpeak, type Team } from './team.ts'
import { teamAdmission } from './team-admission.ts'
import { teamMembership } from './team-membership.ts'
import { teamSettings } from './team-settings.ts'
import { createTeamContext, type TeamsOptions } from './team-context.ts'

/** Makes the handlers on the teams of a registry, in memory. A change is stored before it takes effect. */
export function createTeams(options: TeamsOptions) {
  const context = createTeamContext(options)
  return {
    ...teamMembership(context),
    ...teamAdmission(context),
    ...teamSettings(context),
    find: context.find,
    membersOf: (team: Team) => team.members.values(),
    roleOf,
    maySpeak,
    isQuiet: (team: Team, accid: string): boolean => team.members.get(accid)?.quiet === 1,
    /** Teams of an account, oldest first. */
    teamsOf: (uid: number, accid: string): Team[] =>
      [...options.registry.of(uid, accid)].sort((a, b) => a.row.created - b.row.created || a.row.tid - b.row.tid),
  }
}

/** The handlers of all teams. */
export type Teams = ReturnType<typeof createTeams>
