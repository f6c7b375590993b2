import type { Kysely } from 'kysely'
import type { ConversationCopy } from '../../../contract/callbacks/copy.ts'
import type { CopyKind } from '../../../contract/operations/copy-kinds.ts'
import { Refused } from '../../refusal.ts'
import type { Tables, TeamMemberTable, TeamTable } from '../../storage/schema.ts'
import type { EventStream } from '../../events/event.ts'
import { readTid, type Team } from './team.ts'
import type { CardOf, TeamCard, TeamEvent } from './team-notices.ts'
import { writeTeam, type TeamChange } from './teams-store.ts'
import type { TeamRegistry } from './teams-registry.ts'

/** Accounts as teams need them. */
export interface TeamAccounts {
  find(uid: number, accid: string): TeamCard | undefined
}
/** Blacklists as teams need them: whether `owner` has put `other` on the list. */
export interface TeamRelations {
  hasBlacklisted(uid: number, owner: string, other: string): boolean
}
/** Where copies of events go. */
export interface TeamCopies {
  wants(uid: number, kind: CopyKind): boolean
  enqueue(transaction: Kysely<Tables>, uid: number, copy: ConversationCopy): Promise<void>
}
/** What a member learns of its own state in a team at once, without a place in the stream. */
export interface MemberSetting {
  readonly tid: string
  /** Message reminders are off. */
  readonly quiet?: boolean
  /** The member may not send. */
  readonly muted?: boolean
}

/** What teams are made of. */
export interface TeamsOptions {
  readonly db: Kysely<Tables>
  readonly accounts: TeamAccounts
  readonly relations: TeamRelations
  readonly stream: Pick<EventStream, 'publish'>
  readonly copies: TeamCopies
  /** Settings of the application: members of a team with its owner, and teams of an owner, at most. */
  readonly limits: (uid: number) => { readonly teamSize: number; readonly teamsPerOwner: number }
  /** Tells a member's sessions what changed for it. */
  readonly tell: (uid: number, accid: string, setting: MemberSetting) => void
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Unguessable bytes. */
  readonly random: (bytes: number) => Buffer
}

/** A change that may depend on the place of its event in the stream; 0 where there is none. */
export type ChangeAt = (seq: number) => TeamChange

/** What all handlers on teams have in common. */
export interface TeamContext {
  readonly options: TeamsOptions
  readonly registry: TeamRegistry
  readonly cardOf: (uid: number) => CardOf
  /** A team of the application; undefined for another's, a dissolved one or none at all. */
  find(uid: number, tid: string | number): Team | undefined
  /** Refuses with 414 unless all accounts exist. */
  mustExist(uid: number, accids: readonly string[]): void
  /** Works on a team in turn, for an account that exists; 414 when one of them does not. */
  on<T>(uid: number, tid: string | number, accid: string, work: (team: Team) => Promise<T>): Promise<T>
  /** Refuses with 801 unless so many more fit into the team. */
  mustFit(team: Team, more: number): void
  /** Stores a change together with its events and their copies, then makes it count; all or nothing. */
  commit(tid: number, change: ChangeAt, events: readonly TeamEvent[]): Promise<void>
}

/** A new member, to be stored at the place of the event that lets it in. */
export const newMember = (
  tid: number,
  accid: string,
  place: number,
  role: TeamMemberTable['role'] = 'member',
): TeamMemberTable => ({
  tid,
  accid,
  role,
  nick: '',
  muted: 0,
  quiet: 0,
  since: 0,
  place,
})

/** Members that a team may have: its own limit, and never more than the application allows. */
export const maxMember = (
  { memberLimit }: Pick<TeamTable, 'memberLimit'>,
  { teamSize }: { readonly teamSize: number },
): number => (memberLimit === 0 ? teamSize : Math.min(memberLimit, teamSize))

/** The row of a team whose members changed. */
export const withMembersAt = (row: Readonly<TeamTable>, at: number): TeamTable => ({ ...row, membersUpdated: at })

/** Accounts becoming the last members of a team, whose row is `row` then, with what they were asked or had asked for done. */
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

/** Makes what the handlers work with. */
export function createTeamContext(options: TeamsOptions, registry: TeamRegistry): TeamContext {
  const { db, accounts, copies, stream, limits } = options

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
  const mustExist = (uid: number, accids: readonly string[]): void => {
    for (const accid of accids)
      if (!accounts.find(uid, accid)) throw new Refused(414, `${accid} is not registered`, 'missing')
  }

  return {
    options,
    registry,
    cardOf: (uid) => (accid) => accounts.find(uid, accid),
    find,
    mustExist,
    async on(uid, tid, accid, work) {
      return registry.inTurn(must(uid, tid).row.tid, () => {
        // Again: it may have been dissolved while others had their turn.
        const team = must(uid, tid)
        mustExist(uid, [accid])
        return work(team)
      })
    },
    mustFit({ row, members }, more) {
      const most = maxMember(row, limits(row.uid))
      if (members.size + more > most) throw new Refused(801, `the team is full: ${most} members at most`)
    },
    async commit(tid, change, events) {
      const [first, ...rest] = events
      if (!first) {
        await db.transaction().execute((transaction) => writeTeam(transaction, tid, change(0)))
        registry.apply(tid, change(0))
        return
      }
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
          async inTransaction(transaction, place) {
            // The copy first: those of events that are stored together stand in the order in which they are put in. Both must have ended before this does.
            const outcomes = await Promise.allSettled([
              copied(first, transaction, place),
              writeTeam(transaction, tid, change(place.seq)),
            ])
            const failed = outcomes.find((outcome) => outcome.status === 'rejected')
            if (failed) throw failed.reason
          },
          stored: ({ seq }) => registry.apply(tid, change(seq)),
        }),
        ...rest.map((event) =>
          stream.publish({ ...event.event, inTransaction: (transaction, place) => copied(event, transaction, place) }),
        ),
      ])
    },
  }
}
