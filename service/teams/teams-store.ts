import type { Kysely } from 'kysely'
import type { Tables } from '../storage/schema.ts'
import type { TeamMemberTable, TeamRequestTable, TeamTable } from '../storage/messaging-tables.ts'

/** A change of a team, for database and memory. */
export interface TeamChange {
  /** New row of the team. */
  readonly team?: TeamTable
  /** The team and everything of it ends. */
  readonly dissolved?: boolean
  readonly out?: readonly string[]
  /** New rows of members; new members are last. */
  readonly members?: readonly TeamMemberTable[]
  /** Answered or void invitations and applications. */
  readonly settled?: readonly Pick<TeamRequestTable, 'kind' | 'accid'>[]
  /** New or replaced invitations and applications. */
  readonly requests?: readonly TeamRequestTable[]
}

/** Rows per statement, below every database's limit of parameters. */
const batch = 500
function* inParts<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < rows.length; from += batch) yield rows.slice(from, from + batch)
}

/** Reads all teams, members in order of joining. */
export async function loadTeams(db: Kysely<Tables>) {
  return {
    teams: await db.selectFrom('team').selectAll().execute(),
    members: await db.selectFrom('teamMember').selectAll().orderBy('tid').orderBy('place').execute(),
    requests: await db.selectFrom('teamRequest').selectAll().orderBy('at').execute(),
  }
}

/** Everything stored about teams. */
export type StoredTeams = Awaited<ReturnType<typeof loadTeams>>

/** Writes a change in the caller's transaction. */
export async function writeTeam(transaction: Kysely<Tables>, tid: number, change: TeamChange): Promise<void> {
  if (change.dissolved) {
    for (const table of ['team', 'teamMember', 'teamRequest'] as const)
      await transaction.deleteFrom(table).where('tid', '=', tid).execute()
    return
  }
  if (change.team)
    await transaction
      .insertInto('team')
      .values(change.team)
      .onConflict((conflict) => conflict.column('tid').doUpdateSet({ ...change.team! }))
      .execute()
  for (const accids of inParts(change.out ?? []))
    await transaction
      .deleteFrom('teamMember')
      .where('tid', '=', tid)
      .where('accid', 'in', [...accids])
      .execute()
  for (const members of inParts(change.members ?? []))
    await transaction
      .insertInto('teamMember')
      .values([...members])
      .onConflict((conflict) =>
        conflict.columns(['tid', 'accid']).doUpdateSet((row) => ({
          role: row.ref('excluded.role'),
          nick: row.ref('excluded.nick'),
          muted: row.ref('excluded.muted'),
          quiet: row.ref('excluded.quiet'),
          since: row.ref('excluded.since'),
          place: row.ref('excluded.place'),
        })),
      )
      .execute()
  for (const kind of ['invitation', 'application'] as const) {
    const accids = (change.settled ?? []).filter((request) => request.kind === kind).map(({ accid }) => accid)
    for (const part of inParts(accids))
      await transaction
        .deleteFrom('teamRequest')
        .where('tid', '=', tid)
        .where('kind', '=', kind)
        .where('accid', 'in', [...part])
        .execute()
  }
  for (const requests of inParts(change.requests ?? []))
    await transaction
      .insertInto('teamRequest')
      .values([...requests])
      .onConflict((conflict) =>
        conflict.columns(['tid', 'kind', 'accid']).doUpdateSet((row) => ({
          inviter: row.ref('excluded.inviter'),
          msg: row.ref('excluded.msg'),
          attach: row.ref('excluded.attach'),
          at: row.ref('excluded.at'),
        })),
      )
      .execute()
}
