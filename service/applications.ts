import type { Kysely } from 'kysely'
import type { Credentials } from '../contract/service-process.ts'
import { messagingSettings, type ApplicationTable, type Tables } from './storage/schema.ts'

/** Hours for which the address of a file in a recording callback is good, while nobody has set it (behaviour.md#playback). */
export const defaultLinkHours = 24

/** Switches and settings of an application (contract, local `settings`). */
export interface ApplicationSettings {
  readonly ownerPresent: boolean
  readonly liveEnabled: boolean
  readonly vodEnabled: boolean
  readonly frozen: boolean
  readonly oneTimeCheckSum: boolean
  /** Life of a push address in days. */
  readonly pushLifeDays: number
  /** Callbacks may go to this computer and its network. */
  readonly localTargets: boolean
  /** Days and gigabytes that recordings are kept for; 0 without a limit. */
  readonly recordingDays: number
  readonly recordingGigabytes: number
  /** Hours for which the address of a file in a recording callback is good. */
  readonly recordingLinkHours: number
  /** Calls of all messaging operations together in any 60 s; 0 without a limit. */
  readonly callsPerMinute: number
  /** Seconds for which a caller is refused after a 416 with a block (behaviour.md#rate-limits). */
  readonly blockSeconds: number
  /** Minutes within which a message may be recalled. */
  readonly recallMinutes: number
  /** Days that messages stay in the history, roam, and wait for those who are offline. */
  readonly historyDays: number
  readonly roamingDays: number
  readonly offlineDays: number
  /** Members of a team at most, the owner included. */
  readonly teamSize: number
  /** Teams that one account may own. */
  readonly teamsPerOwner: number
  /** Open rooms that one account may have; admins, limited members and robots of a room at most. */
  readonly roomsPerCreator: number
  readonly roomAdmins: number
  readonly roomLimited: number
  readonly roomRobots: number
  /** Up to so many people inside everybody in a room is told who comes and goes. */
  readonly roomNotices: number
}

/** One tenant: its number, its credentials of this start, and its settings now. */
export interface Application {
  readonly uid: number
  readonly name: string
  readonly appKey: string
  readonly appSecret: string
  readonly settings: ApplicationSettings
}

/** The applications of a service; credentials are held in memory only (behaviour.md#key-pair-of-this-computer). */
export interface Applications {
  byKey(appKey: string): Application | undefined
  byUid(uid: number): Application | undefined
  /** Reads the settings from the store. */
  readSettings(uid: number): Promise<ApplicationSettings>
  /** Stores the given settings; absent ones stay. */
  updateSettings(
    uid: number,
    changes: { readonly [K in keyof ApplicationSettings]?: ApplicationSettings[K] | undefined },
  ): Promise<ApplicationSettings>
}

const settingsOf = (row: ApplicationTable, localTargets: boolean): ApplicationSettings => ({
  ownerPresent: row.ownerPresent === 1,
  liveEnabled: row.liveEnabled === 1,
  vodEnabled: row.vodEnabled === 1,
  frozen: row.frozen === 1,
  oneTimeCheckSum: row.oneTimeCheckSum === 1,
  pushLifeDays: row.pushLifeDays,
  recordingDays: row.recordingDays,
  recordingGigabytes: row.recordingGigabytes,
  recordingLinkHours: row.recordingLinkHours,
  callsPerMinute: row.callsPerMinute,
  blockSeconds: row.blockSeconds,
  recallMinutes: row.recallMinutes,
  historyDays: row.historyDays,
  roamingDays: row.roamingDays,
  offlineDays: row.offlineDays,
  teamSize: row.teamSize,
  teamsPerOwner: row.teamsPerOwner,
  roomsPerCreator: row.roomsPerCreator,
  roomAdmins: row.roomAdmins,
  roomLimited: row.roomLimited,
  roomRobots: row.roomRobots,
  roomNotices: row.roomNotices,
  localTargets: row.localTargets === null ? localTargets : row.localTargets === 1,
})

/** Finds the application of every name in the store, or makes it with a random number, and pairs it with its credentials. */
export async function createApplications(
  db: Kysely<Tables>,
  tenants: readonly { readonly name: string; readonly credentials: Credentials }[],
  {
    clock,
    random,
    localTargets,
  }: {
    readonly clock: () => number
    readonly random: (bytes: number) => Buffer
    /** What `localTargets` is while nobody has set it. */
    readonly localTargets: boolean
  },
): Promise<Applications> {
  const byKey = new Map<string, { -readonly [K in keyof Application]: Application[K] }>()
  for (const { name, credentials } of tenants) {
    if (byKey.has(credentials.appKey)) throw new Error('two applications have the same AppKey')
    // Ten digits, so that an owner number is never mistaken for a time in ms.
    const uid = 1_000_000_000 + random(4).readUInt32BE()
    await db
      .insertInto('application')
      .values({ ...fresh, uid, name, created: clock() })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
    const row = await db.selectFrom('application').selectAll().where('name', '=', name).executeTakeFirstOrThrow()
    byKey.set(credentials.appKey, { uid: row.uid, name, ...credentials, settings: settingsOf(row, localTargets) })
  }
  const byUid = new Map([...byKey.values()].map((application) => [application.uid, application]))
  const read = async (uid: number): Promise<ApplicationSettings> =>
    settingsOf(
      await db.selectFrom('application').selectAll().where('uid', '=', uid).executeTakeFirstOrThrow(),
      localTargets,
    )

  return {
    byKey: (appKey) => byKey.get(appKey),
    byUid: (uid) => byUid.get(uid),
    readSettings: read,
    async updateSettings(uid, changes) {
      const values = Object.entries(changes).filter(([, value]) => value !== undefined)
      if (values.length) {
        const row = Object.fromEntries(
          values.map(([name, value]) => [name, Number(value)]),
        ) as Partial<ApplicationTable>
        await db.updateTable('application').set(row).where('uid', '=', uid).execute()
      }
      const settings = await read(uid)
      const application = byUid.get(uid)
      if (application) application.settings = settings
      return settings
    },
  }
}

const fresh = {
  ownerPresent: 1,
  liveEnabled: 1,
  vodEnabled: 1,
  frozen: 0,
  oneTimeCheckSum: 0,
  pushLifeDays: 30,
  localTargets: null,
  recordingDays: 0,
  recordingGigabytes: 0,
  recordingLinkHours: defaultLinkHours,
  ...messagingSettings,
} as const
