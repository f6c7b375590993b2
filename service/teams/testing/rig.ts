import { manualWallClock, type ManualWallClock } from '../../../platform/testing/manual-clock.ts'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConversationCopy } from '../../../contract/callbacks/copy.ts'
import { silentLog } from '../../log.ts'
import { createMemoryJournal } from '../../journal/memory-journal.ts'
import { madeAgain } from '../../journal/testing/made-again.ts'
import { messagingSettings } from '../../storage/schema.ts'
import { openStore } from '../../storage/testing/open-store.ts'

import type { StoredEvent } from '../../events/event.ts'
import { createMessagingStream } from '../../stream/stream.ts'
import type { Actor, SomeTeamFields, Team } from '../team.ts'
import type { NewTeam } from '../team-membership.ts'
import type { TeamCard } from '../team-notices.ts'
import type { MemberSetting } from '../team-context.ts'
import { createTeams, type Teams } from '../teams.ts'
import { createTeamRegistry, type TeamRegistry } from '../teams-registry.ts'
import { loadTeams } from '../teams-store.ts'

/** Application of the rig. */
export const rigUid = 1
/** Another application with the same accounts. */
export const otherUid = 2

/** Teams over a real store and stream; accounts, blacklists and copies are plain objects. */
export interface TeamsRig {
  readonly teams: Teams
  readonly registry: TeamRegistry
  readonly clock: ManualWallClock
  /** Cards of existing accounts, in both applications. */
  readonly cards: Map<string, TeamCard>
  /** `owner/other` for each blacklist entry. */
  readonly blacklists: Set<string>
  readonly limits: { teamSize: number; teamsPerOwner: number }
  readonly delivered: StoredEvent[]
  /** Members at each delivery of an event, in order. */
  readonly audience: string[][]
  readonly copies: ConversationCopy[]
  readonly settings: { readonly accid: string; readonly setting: MemberSetting }[]
  /** The next copy fails, and its event with it. */
  failNext(): void
  team(tid: string): Team
  /** Makes a team with its members at once; `fields` replace defaults. Returns its number as text. */
  made(owner: string, members: readonly string[], fields?: SomeTeamFields): Promise<string>
  /** Reopens the store. */
  reopen(): Promise<void>
  close(): Promise<void>
}

/** An account acting through the API. */
export const byApi = (accid: string): Actor => ({ accid, clientType: 'REST' })
/** An account acting on the link. */
export const byLink = (accid: string): Actor => ({ accid, clientType: 'WEB', device: `${accid}-device` })
/** The code of a refusal; 200 without. */
export const codeOf = (attempt: Promise<unknown>): Promise<number> =>
  attempt.then(
    () => 200,
    (error: unknown) => (error as { code?: number }).code ?? 500,
  )

const plain = {
  tname: 'choir',
  announcement: '',
  intro: '',
  custom: '',
  icon: '',
  joinmode: 0,
  beinvitemode: 0,
  invitemode: 0,
  uptinfomode: 0,
  upcustommode: 0,
} as const

/** A team with nothing set; `fields` replace defaults. */
export const newTeam = (members: readonly string[], fields: SomeTeamFields = {}, agree = false): NewTeam => ({
  ...plain,
  ...(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<typeof plain>),
  members,
  agree,
})

/** Opens teams in their own folder with these accounts. */
export async function startTeams(
  accids: readonly string[] = ['olga', 'adam', 'abby', 'mona', 'mike', 'sara', 'stan'],
): Promise<TeamsRig> {
  const folder = mkdtempSync(join(tmpdir(), 'sidestage-teams-'))
  const clock = manualWallClock()
  const cards = new Map(accids.map((accid): [string, TeamCard] => [accid, { name: `${accid}!`, created: 1000 }]))
  const rig: Pick<TeamsRig, 'blacklists' | 'limits' | 'delivered' | 'audience' | 'copies' | 'settings'> = {
    blacklists: new Set(),
    limits: { teamSize: 200, teamsPerOwner: 100 },
    delivered: [],
    audience: [],
    copies: [],
    settings: [],
  }
  let failing = false
  const open = async () => {
    const store = await openStore(folder)
    for (const [uid, name] of [
      [rigUid, 'main'],
      [otherUid, 'other'],
    ] as const)
      await store.db
        .insertInto('application')
        .values({
          uid,
          name,
          created: 0,
          ownerPresent: 1,
          liveEnabled: 1,
          vodEnabled: 1,
          frozen: 0,
          oneTimeCheckSum: 0,
          pushLifeDays: 30,
          localTargets: null,
          recordingDays: 0,
          recordingGigabytes: 0,
          recordingLinkHours: 24,
          ...messagingSettings,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    const registry = createTeamRegistry(await loadTeams(store.db))
    const stream = await createMessagingStream({
      db: store.db,
      clock,
      log: silentLog,
      memberships: registry,
      keep: () => ({ historyDays: 30, roamingDays: 7, offlineDays: 7 }),
    })
    const teams = createTeams({
      journal: madeAgain(createMemoryJournal(store)),
      registry,
      accounts: { find: (_uid, accid) => cards.get(accid) },
      relations: { hasBlacklisted: (_uid, owner, other) => rig.blacklists.has(`${owner}/${other}`) },
      stream,
      copies: {
        wants: () => true,
        enqueue(_transaction, _uid, copy) {
          if (failing) {
            failing = false
            return Promise.reject(new Error('the outbox is broken'))
          }
          rig.copies.push(copy)
          return Promise.resolve()
        },
      },
      limits: () => rig.limits,
      tell: (_uid, accid, setting) => void rig.settings.push({ accid, setting }),
      clock,
      random: (bytes) => randomBytes(bytes),
    })
    stream.on((event) => {
      rig.delivered.push(event)
      const team = 'tid' in event.to ? teams.find(event.uid, event.to.tid) : undefined
      rig.audience.push(
        [
          ...new Set([
            ...(team ? team.members.keys() : []),
            ...('accids' in event.to ? event.to.accids : []),
            ...(event.extraRecipients ?? []),
          ]),
        ].sort(),
      )
    })
    return { store, teams, registry }
  }
  let opened = await open()
  return {
    ...rig,
    get teams() {
      return opened.teams
    },
    get registry() {
      return opened.registry
    },
    clock,
    cards,
    failNext: () => void (failing = true),
    team: (tid) => opened.teams.find(rigUid, tid)!,
    made: async (owner, members, fields) =>
      String(await opened.teams.create(rigUid, byApi(owner), newTeam(members, fields))),
    async reopen() {
      await opened.store.close()
      opened = await open()
    },
    async close() {
      await opened.store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
