import type { Clock } from '../../platform/clock.ts'
import type { Kysely } from 'kysely'
import type { Journal } from '../journal/journal.ts'
import { Refused } from '../refusal.ts'
import type { Tables } from '../storage/schema.ts'
import type { TeamMemberTable, TeamTable } from '../storage/messaging-tables.ts'
import type { ConversationCopies, EventStream } from '../events/event.ts'
import { readTid, type Team } from './team.ts'
import { noticeEvent, requestEvent, type Notice, type Request, type TeamCard, type TeamEvent } from './team-notices.ts'
import { writeTeam, type TeamChange } from './teams-store.ts'
import type { TeamRegistry } from './teams-registry.ts'

/** A change of a member's own state, sent outside of the stream. */
export interface MemberSetting {
  readonly tid: string
  /** Message reminders are off. */
  readonly quiet?: boolean
  /** The member may not speak. */
  readonly muted?: boolean
}

/** Options of teams. */
export interface TeamsOptions {
  readonly journal: Journal
  readonly registry: TeamRegistry
  readonly accounts: { find(uid: number, accid: string): TeamCard | undefined }
  /** Whether `owner` has blacklisted `other`. */
  readonly relations: { hasBlacklisted(uid: number, owner: string, other: string): boolean }
  readonly stream: Pick<EventStream, 'publish'>
  readonly copies: ConversationCopies
  /** Settings of the application: members of a team with its owner, and teams of an owner. */
  readonly limits: (uid: number) => { readonly teamSize: number; readonly teamsPerOwner: number }
  /** Sends a setting to a member's sessions. */
  readonly tell: (uid: number, accid: string, setting: MemberSetting) => void
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
}

/** A change that may depend on the seq of its event; 0 without event. */
export type ChangeAt = (seq: number) => TeamChange

/** A new member, stored at the position of the event that adds it. */
export const newMember = (
  tid: number,
  accid: string,
  place: number,
  role: TeamMemberTable['role'] = 'member',
): TeamMemberTable => ({ tid, accid, role, nick: '', muted: 0, quiet: 0, since: 0, place })

/** Limit of members: the team's own, at most the application's. */
export const maxMember = (
  { memberLimit }: Pick<TeamTable, 'memberLimit'>,
  { teamSize }: { readonly teamSize: number },
): number => (memberLimit === 0 ? teamSize : Math.min(memberLimit, teamSize))

/** The row of a team whose members changed. */
export const withMembersAt = (row: Readonly<TeamTable>, at: number): TeamTable => ({ ...row, membersUpdated: at })

/** Accounts that join; their requests are settled. */
export function joining({ members }: Team, row: TeamTable, accids: readonly string[]): ChangeAt {
  const last = [...members.values()].at(-1)?.place ?? 0
  return (seq) => ({
    team: row,
    members: accids.map((accid, index) => ({ ...newMember(row.tid, accid, last + 1 + index), since: seq })),
    settled: accids.flatMap((accid) => [
      { kind: 'invitation', accid },
      { kind: 'application', accid },
    ]),
  })
}

/** Makes what all handlers of teams share. */
export function createTeamContext(options: TeamsOptions) {
  const { registry, journal, accounts, copies, stream, limits } = options
  const changes = journal.kind<{ readonly tid: number; readonly change: TeamChange }>('team', {
    store: (transaction, { tid, change }) => writeTeam(transaction, tid, change),
    apply: ({ tid, change }) => registry.apply(tid, change),
  })
  const cardOf = (uid: number) => (accid: string) => accounts.find(uid, accid)

  /** Undefined for a team that is unknown, dissolved or another application's. */
  const find = (uid: number, text: string | number): Team | undefined => {
    const tid = readTid(text)
    const team = tid === undefined ? undefined : registry.get(tid)
    return team?.row.uid === uid ? team : undefined
  }
  const must = (uid: number, tid: string | number): Team => {
    const team = find(uid, tid)
    if (!team) throw new Refused(414, 'no such team', 'missing')
    return team
  }
  /** Throws 414 unless all accounts exist. */
  const mustExist = (uid: number, accids: readonly string[]): void => {
    for (const accid of accids)
      if (!accounts.find(uid, accid)) throw new Refused(414, `${accid} is not registered`, 'missing')
  }

  return {
    options,
    notice: (notice: Notice): TeamEvent => noticeEvent(notice, cardOf(notice.row.uid)),
    request: (request: Request): TeamEvent => requestEvent(request, cardOf(request.row.uid)),
    find,
    mustExist,
    /** Runs work on a team for an account, serialised; 414 if either is unknown. */
    async on<T>(uid: number, tid: string | number, accid: string, work: (team: Team) => Promise<T>): Promise<T> {
      return changes.inTurn(must(uid, tid).row.tid, () => {
        // Checked again: it may have been dissolved meanwhile.
        const team = must(uid, tid)
        mustExist(uid, [accid])
        return work(team)
      })
    },
    /** Throws 801 unless so many more members fit. */
    mustFit({ row, members }: Team, more: number): void {
      const most = maxMember(row, limits(row.uid))
      if (members.size + more > most) throw new Refused(801, `the team is full: ${most} members at most`)
    },
    /** Stores a change with its events and copies, all or nothing, then applies it. */
    async commit(tid: number, change: ChangeAt, events: readonly TeamEvent[]): Promise<void> {
      const [first, ...rest] = events
      if (!first) return changes.commit({ tid, change: change(0) })
      const copied = async (
        { event: { uid }, copy }: TeamEvent,
        transaction: Kysely<Tables>,
        place: { seq: number; at: number },
      ): Promise<void> => {
        if (copies.wants(uid, 1)) await copies.enqueue(transaction, uid, copy(place))
      }
      await Promise.all([
        stream.publish({
          ...first.event,
          inTransaction: (transaction, place) => copied(first, transaction, place),
          change: ({ seq }) => changes.ofEvent({ tid, change: change(seq) }),
        }),
        ...rest.map((event) =>
          stream.publish({ ...event.event, inTransaction: (transaction, place) => copied(event, transaction, place) }),
        ),
      ])
    },
  }
}

/** What all handlers of teams share. */
export type TeamContext = ReturnType<typeof createTeamContext>
