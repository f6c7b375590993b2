import type { Kysely } from 'kysely'
import type { Tables, TeamMemberTable, TeamRequestTable, TeamTable } from '../../storage/schema.ts'

/** What changes about one team, in the database and then in memory alike. */
export interface TeamChange {
  /** The team as it is from now on. */
  readonly team?: TeamTable
  /** The team ends, with all that belongs to it. */
  readonly dissolved?: boolean
  /** Accounts that are no more in it. */
  readonly out?: readonly string[]
  /** Members as they are from now on; new ones come last. */
  readonly members?: readonly TeamMemberTable[]
  /** Invitations and applications that are answered or void. */
  readonly settled?: readonly Pick<TeamRequestTable, 'kind' | 'accid'>[]
  /** Invitations and applications that are new or replaced. */
  readonly requests?: readonly TeamRequestTable[]
}

/** Everything stored about teams. */
export interface StoredTeams {
  readonly teams: TeamTable[]
  readonly members: TeamMemberTable[]
  readonly requests: TeamRequestTable[]
}

/** Rows in one statement, below every database's limit on parameters. */
const batch = 500
function* inParts<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < rows.length; from += batch) yield rows.slice(from, from + batch)
}

/** Reads all teams, members in the order in which they came. */
export async function loadTeams(db: Kysely<Tables>): Promise<StoredTeams> {
  return {
    teams: await db.selectFrom('team').selectAll().execute(),
    members: await db.selectFrom('teamMember').selectAll().orderBy('tid').orderBy('place').execute(),
    requests: await db.selectFrom('teamRequest').selectAll().orderBy('at').execute(),
  }
}

/** Writes a change of a team within the caller's transaction. */
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
