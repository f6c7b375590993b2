import type { Clock } from '../platform/clock.ts'
import type { Kysely } from 'kysely'
import type { Answer } from '../contract/operation.ts'
import type { local } from '../contract/operations/index.ts'
import type { Credentials } from '../contract/service-process.ts'
import type { Journal } from './journal/journal.ts'
import { messagingSettings, type ApplicationTable, type Tables } from './storage/schema.ts'

/** Default life of a file's address in a recording callback, in hours (behaviour.md#playback). */
export const defaultLinkHours = 24

/** Settings of an application, as the contract describes them. */
export type ApplicationSettings = Readonly<Required<Answer<typeof local.settings>['ret']>>

/** Settings that change. */
type SettingsChange = Partial<ApplicationSettings>

/** A tenant: number, current credentials and settings. */
export interface Application {
  readonly uid: number
  readonly name: string
  readonly appKey: string
  readonly appSecret: string
  readonly settings: ApplicationSettings
}

/** The applications of a service; credentials are only in memory (behaviour.md#key-pair-of-this-computer). */
export type Applications = Awaited<ReturnType<typeof createApplications>>

const settingsOf = (
  { uid: _uid, name: _name, created: _created, ...row }: ApplicationTable,
  localTargets: boolean,
): ApplicationSettings => ({
  ...row,
  ownerPresent: row.ownerPresent === 1,
  liveEnabled: row.liveEnabled === 1,
  vodEnabled: row.vodEnabled === 1,
  frozen: row.frozen === 1,
  oneTimeCheckSum: row.oneTimeCheckSum === 1,
  localTargets: row.localTargets === null ? localTargets : row.localTargets === 1,
})

/** Finds or makes (with a random number) the application of every name, and pairs it with its credentials. */
export async function createApplications(
  db: Kysely<Tables>,
  tenants: readonly { readonly name: string; readonly credentials: Credentials }[],
  options: {
    readonly journal: Journal
    readonly clock: Clock
    readonly random: (bytes: number) => Buffer
    readonly localTargets: boolean
  },
) {
  const { journal, clock, random, localTargets } = options
  const byKey = new Map<string, { -readonly [K in keyof Application]: Application[K] }>()
  for (const { name, credentials } of tenants) {
    if (byKey.has(credentials.appKey)) throw new Error('two applications have the same AppKey')
    // Ten digits, so that it is never taken for a time in ms.
    const uid = 1_000_000_000 + random(4).readUInt32BE()
    await db
      .insertInto('application')
      .values({ ...fresh, uid, name, created: clock.now() })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
    const row = await db.selectFrom('application').selectAll().where('name', '=', name).executeTakeFirstOrThrow()
    byKey.set(credentials.appKey, { uid: row.uid, name, ...credentials, settings: settingsOf(row, localTargets) })
  }
  const byUid = new Map([...byKey.values()].map((application) => [application.uid, application]))
  const kind = journal.kind<{ readonly uid: number; readonly settings: SettingsChange }>('settings', {
    async store(transaction, { uid, settings }) {
      const row = Object.fromEntries(
        Object.entries(settings).map(([name, value]) => [name, Number(value)]),
      ) as Partial<ApplicationTable>
      await transaction.updateTable('application').set(row).where('uid', '=', uid).execute()
    },
    apply({ uid, settings }) {
      const application = byUid.get(uid)
      if (application) application.settings = { ...application.settings, ...settings }
    },
  })
  const read = async (uid: number): Promise<ApplicationSettings> =>
    settingsOf(
      await db.selectFrom('application').selectAll().where('uid', '=', uid).executeTakeFirstOrThrow(),
      localTargets,
    )

  return {
    byKey: (appKey: string): Application | undefined => byKey.get(appKey),
    byUid: (uid: number): Application | undefined => byUid.get(uid),
    readSettings: read,
    /** Stores settings; absent ones stay. */
    async updateSettings(
      uid: number,
      changes: { readonly [K in keyof ApplicationSettings]?: ApplicationSettings[K] | undefined },
    ): Promise<ApplicationSettings> {
      const given = Object.entries(changes).filter(([, value]) => value !== undefined)
      if (given.length > 0) await kind.commit({ uid, settings: Object.fromEntries(given) as SettingsChange })
      return byUid.get(uid)?.settings ?? read(uid)
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
