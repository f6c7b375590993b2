import type { TeamMemberTable, TeamRequestTable, TeamTable } from '../storage/messaging-tables.ts'
import type { Team } from './team.ts'
import type { StoredTeams, TeamChange } from './teams-store.ts'

/** Invitations and applications kept per team and kind; beyond it the oldest is dropped. */
export const requestLimit = 5000

interface Entry extends Team {
  row: TeamTable
  readonly members: Map<string, TeamMemberTable>
  readonly invitations: Map<string, TeamRequestTable>
  readonly applications: Map<string, TeamRequestTable>
}

/** Makes the registry from the stored teams. */
export function createTeamRegistry(stored: StoredTeams) {
  const teams = new Map<number, Entry>()
  // accids have no slash.
  const keyOf = (uid: number, accid: string): string => `${uid}/${accid}`
  const byAccount = new Map<string, Set<Entry>>()
  const held = new Map<string, number>()

  const join = (entry: Entry, member: TeamMemberTable): void => {
    entry.members.set(member.accid, member)
    const key = keyOf(entry.row.uid, member.accid)
    const known = byAccount.get(key)
    if (known) known.add(entry)
    else byAccount.set(key, new Set([entry]))
  }
  const part = (entry: Entry, accid: string): void => {
    entry.members.delete(accid)
    const key = keyOf(entry.row.uid, accid)
    const known = byAccount.get(key)
    known?.delete(entry)
    if (known?.size === 0) byAccount.delete(key)
  }
  const requestsOf = (entry: Entry, kind: TeamRequestTable['kind']): Map<string, TeamRequestTable> =>
    kind === 'invitation' ? entry.invitations : entry.applications
  const ask = (entry: Entry, request: TeamRequestTable): void => {
    const requests = requestsOf(entry, request.kind)
    // Moved to the end: the map is in order of asking.
    requests.delete(request.accid)
    if (requests.size >= requestLimit) requests.delete(requests.keys().next().value!)
    requests.set(request.accid, request)
  }
  const make = (row: TeamTable): Entry => {
    const entry: Entry = { row, members: new Map(), invitations: new Map(), applications: new Map() }
    teams.set(row.tid, entry)
    return entry
  }

  for (const row of stored.teams) make({ ...row })
  for (const member of stored.members) {
    const entry = teams.get(member.tid)
    if (entry) join(entry, { ...member })
  }
  for (const request of stored.requests) {
    const entry = teams.get(request.tid)
    if (entry) ask(entry, { ...request })
  }

  return {
    get: (tid: number): Team | undefined => teams.get(tid),
    of: (uid: number, accid: string): Iterable<Team> => byAccount.get(keyOf(uid, accid)) ?? [],
    /** Teams as numbers, with the seq of the event that added the account. */
    *membershipsOf(uid: number, accid: string): Iterable<{ readonly tid: number; readonly since: number }> {
      for (const { row, members } of byAccount.get(keyOf(uid, accid)) ?? [])
        yield { tid: row.tid, since: members.get(accid)?.since ?? 0 }
    },
    /** Changes or makes a team. */
    apply(tid: number, { team, dissolved, out = [], members = [], settled = [], requests = [] }: TeamChange): void {
      const entry = teams.get(tid) ?? (team && make(team))
      if (!entry) return
      if (dissolved) {
        for (const accid of entry.members.keys()) part(entry, accid)
        teams.delete(tid)
        return
      }
      if (team) entry.row = team
      for (const accid of out) part(entry, accid)
      for (const member of members) join(entry, member)
      for (const { kind, accid } of settled) requestsOf(entry, kind).delete(accid)
      for (const request of requests) ask(entry, request)
    },
    /** Holds a place for one more team of an owner until the returned function is called; undefined at the limit. */
    holdPlace(uid: number, owner: string, limit: number): (() => void) | undefined {
      const key = keyOf(uid, owner)
      const owned = [...(byAccount.get(key) ?? [])].filter(({ row }) => row.owner === owner).length
      const waiting = held.get(key) ?? 0
      if (owned + waiting >= limit) return undefined
      held.set(key, waiting + 1)
      return () => {
        const left = held.get(key)! - 1
        if (left > 0) held.set(key, left)
        else held.delete(key)
      }
    },
  }
}

/** All teams of all applications, in memory. */
export type TeamRegistry = ReturnType<typeof createTeamRegistry>
