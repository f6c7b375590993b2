import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Credentials } from '../../contract/service-process.ts'
import type { Profile } from '../../contract/rpc/index.ts'
import type { Service } from '../client/client.ts'
import { Failure } from '../failure.ts'
import { createListeners } from '../listeners.ts'
import { jsonFile } from '../../platform/json-file.ts'
import { fromVault, type Vault } from '../secrets/vault.ts'
import { readBaseUrl } from './address.ts'
import { createSerial } from '../../platform/serial.ts'

/** Id of the profile "This computer". */
export const localProfileId = 'local'
/** Whether a profile is the embedded service. */
export const isLocal = (profileId: string): boolean => profileId === localProfileId
/** Throws unless the profile is the embedded service. */
export function localOnly(profileId: string): void {
  if (!isLocal(profileId)) throw new Failure('absent', 'only the service of this computer can do this')
}
/** Whether the service of a profile answers the extension operations. */
export type IsExtended = (profileId: string) => boolean
/** Throws unless the service of a profile answers the extension operations. */
export function extendedOnly(isExtended: IsExtended, profileId: string): void {
  if (!isExtended(profileId)) throw new Failure('absent', 'the service of this profile does not offer this')
}
const most = 50

const Stored = z.object({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  name: z.string(),
  liveUrl: z.string(),
  messagingUrl: z.string(),
  appKey: z.string(),
  /** What its service told last; absent for one without the extension operations. */
  told: z.object({ media: z.string().nullable(), link: z.string().nullable() }).optional(),
})
const Document = z.object({
  version: z.literal(1),
  /** Separates this data folder's keychain entries from others. */
  installation: z.string().regex(/^[0-9a-f]{32}$/),
  profiles: z.array(Stored).max(most),
})
/** The addresses bind the secret, so that an edited file cannot send it elsewhere. */
const Kept = z.object({ appSecret: z.string(), appKey: z.string(), liveUrl: z.string(), messagingUrl: z.string() })
const KeptPair = z.object({ appKey: z.string().regex(/^[0-9a-f]{32}$/), appSecret: z.string().min(32) })

type Stored = z.infer<typeof Stored>
type Document = z.infer<typeof Document>

/** A hosted service as entered. */
export type HostedEntry = Readonly<Omit<Stored, 'id' | 'told'>> & { readonly appSecret: string }
/** Addresses that an extended service told. */
export type Told = Readonly<NonNullable<Stored['told']>>

/** Whether two profiles are of one service and application. */
export const isSamePlace = (one: ServicePlace, other: ServicePlace): boolean =>
  one.liveUrl === other.liveUrl && one.messagingUrl === other.messagingUrl && one.appKey === other.appKey
type ServicePlace = Pick<HostedEntry, 'liveUrl' | 'messagingUrl' | 'appKey'>

/** The services of the app. Secrets are in the vault only. */
export type Profiles = Awaited<ReturnType<typeof openProfiles>>

/** Normalises an entry's addresses; throws Failure. */
export const readEntry = (entry: HostedEntry): HostedEntry => ({
  ...entry,
  liveUrl: readBaseUrl(entry.liveUrl),
  messagingUrl: readBaseUrl(entry.messagingUrl),
})

/** Opens DATA/profiles.json; a damaged one is quarantined. */
export async function openProfiles(ports: {
  readonly dataDir: string
  readonly vault: Vault
  readonly random: (bytes: number) => Buffer
}) {
  const file = jsonFile<Document>(path.join(ports.dataDir, 'profiles.json'), (raw) => Document.parse(raw))
  const stored = await file.load()
  let document: Document = stored ?? { version: 1, installation: ports.random(16).toString('hex'), profiles: [] }
  if (!stored) await file.save(document)
  const { vault } = ports
  const kept = new Map<string, 'keychain' | 'session' | 'missing'>()
  const { on, tell } = createListeners<[]>()
  let local: { liveUrl: string; messagingUrl: string } | undefined
  let pair: Credentials | undefined
  let localMode = vault.mode.kind

  const account = (id: string): string => `${document.installation}:${id}`
  const inTurn = createSerial()
  const write = async (profiles: Stored[]): Promise<void> => {
    const next = { ...document, profiles }
    await file.save(next)
    document = next
  }
  const hosted = (id: string): Stored => {
    const found = document.profiles.find((one) => one.id === id)
    if (!found) throw new Failure('absent', 'no such profile')
    return found
  }
  const secretOf = async (profile: Stored): Promise<string | undefined> => {
    const text = await fromVault(vault.get(account(profile.id)))
    if (text === undefined) return undefined
    const { data } = Kept.safeParse(JSON.parse(text))
    return data && isSamePlace(data, profile) ? data.appSecret : undefined
  }
  const keep = (profile: Stored, appSecret: string): Promise<void> => {
    const { appKey, liveUrl, messagingUrl } = profile
    const kept: z.infer<typeof Kept> = { appSecret, appKey, liveUrl, messagingUrl }
    return fromVault(vault.set(account(profile.id), JSON.stringify(kept)))
  }
  const look = async (profile: Stored): Promise<void> => {
    const secret = await secretOf(profile).catch(() => undefined)
    kept.set(profile.id, secret === undefined ? 'missing' : vault.mode.kind)
  }
  await Promise.all(document.profiles.map(look))

  const shown = ({ told, ...one }: Stored): Profile => ({
    ...one,
    kind: 'hosted',
    extended: told !== undefined,
    media: told?.media ?? null,
    secret: kept.get(one.id) ?? 'missing',
  })
  const localProfile = (): Profile => ({
    id: localProfileId,
    kind: 'local',
    extended: true,
    media: null,
    name: 'This computer',
    liveUrl: local?.liveUrl ?? '',
    messagingUrl: local?.messagingUrl ?? '',
    appKey: pair?.appKey ?? '',
    secret: localMode,
  })
  const find = (id: string): Profile => (id === localProfileId ? localProfile() : shown(hosted(id)))

  return {
    entryName: account,
    /** The embedded service's key pair: lasting with a keychain, else per session. */
    localCredentials: (): Promise<Credentials> =>
      inTurn(async () => {
        if (pair) return pair
        const fresh = { appKey: ports.random(16).toString('hex'), appSecret: ports.random(24).toString('hex') }
        try {
          const text = await vault.get(account(localProfileId))
          const read = text === undefined ? undefined : KeptPair.safeParse(JSON.parse(text))
          if (read?.success) return (pair = read.data)
          await vault.set(account(localProfileId), JSON.stringify(fresh))
        } catch {
          // The keychain locked itself: the service still starts, with a key pair for the session.
          localMode = 'session'
        }
        return (pair = fresh)
      }),
    /** For masking in logs; may be empty. */
    localSecret: (): string => pair?.appSecret ?? '',
    /** The embedded service's address; undefined while it is down. */
    localAt: (address: { readonly liveUrl: string; readonly messagingUrl: string } | undefined) => {
      local = address
      tell()
    },
    isExtended: (id: string): boolean =>
      isLocal(id) || document.profiles.some((one) => one.id === id && one.told !== undefined),
    /** Where the client link of an extended hosted service is; undefined where it told no address. */
    linkOf: (id: string): { readonly url: string; readonly appKey: string } | undefined => {
      const { appKey, told } = document.profiles.find((one) => one.id === id) ?? {}
      return appKey !== undefined && told?.link != null ? { url: told.link, appKey } : undefined
    },
    /**
     * Keeps what the service of a profile told; undefined for one without the extension operations. Resolves with
     * whether that is new.
     */
    told: (place: ServicePlace & { readonly id: string }, told: Told | undefined): Promise<boolean> =>
      inTurn(async () => {
        const before = document.profiles.find((one) => one.id === place.id)
        // Meanwhile removed, or another service.
        if (!before || !isSamePlace(before, place) || isDeepStrictEqual(before.told, told)) return false
        const { told: _, ...rest } = before
        await write(
          document.profiles.map((one) => (one === before ? { ...rest, ...(told !== undefined && { told }) } : one)),
        )
        tell()
        return true
      }),
    all: (): Profile[] => [localProfile(), ...document.profiles.map(shown)],
    find,
    /** Throws Failure `absent`, `secret`, `keychain` or `down`. */
    service: async (id: string): Promise<Service> => {
      if (id === localProfileId) {
        if (!local || !pair) throw new Failure('down', 'the embedded service is not running')
        return { ...local, ...pair }
      }
      const profile = hosted(id)
      const appSecret = await secretOf(profile)
      if (appSecret === undefined) throw new Failure('secret', 'no secret is kept for this profile')
      return { liveUrl: profile.liveUrl, messagingUrl: profile.messagingUrl, appKey: profile.appKey, appSecret }
    },
    add: (given: HostedEntry): Promise<Profile> =>
      inTurn(async () => {
        const { appSecret, ...entry } = readEntry(given)
        if (document.profiles.length >= most) throw new Failure('internal', `at most ${most} profiles`)
        const profile: Stored = { id: ports.random(8).toString('hex'), ...entry }
        await keep(profile, appSecret)
        await write([...document.profiles, profile])
        kept.set(profile.id, vault.mode.kind)
        tell()
        return shown(profile)
      }),
    /**
     * Whether a change of addresses leads to another origin, which must not get what is kept for the service there is.
     * Throws Failure.
     */
    moves: (id: string, change: Partial<Readonly<Record<'liveUrl' | 'messagingUrl', string | undefined>>>): boolean => {
      const before = hosted(id)
      return (['liveUrl', 'messagingUrl'] as const).some((which) => {
        const next = change[which]
        return next !== undefined && new URL(readBaseUrl(next)).origin !== new URL(before[which]).origin
      })
    },
    update: (
      id: string,
      change: { readonly [K in keyof HostedEntry]?: HostedEntry[K] | undefined },
    ): Promise<Profile> =>
      inTurn(async () => {
        const before = hosted(id)
        const after: Stored = {
          id,
          name: change.name ?? before.name,
          appKey: change.appKey ?? before.appKey,
          liveUrl: change.liveUrl === undefined ? before.liveUrl : readBaseUrl(change.liveUrl),
          messagingUrl: change.messagingUrl === undefined ? before.messagingUrl : readBaseUrl(change.messagingUrl),
        }
        const moved = !isSamePlace(after, before)
        if (!moved && before.told) after.told = before.told
        if (change.appSecret !== undefined) await keep(after, change.appSecret)
        else if (moved) await fromVault(vault.delete(account(id)))
        await write(document.profiles.map((one) => (one.id === id ? after : one)))
        await look(after)
        tell()
        return shown(after)
      }),
    remove: (id: string) =>
      inTurn(async () => {
        hosted(id)
        await fromVault(vault.delete(account(id)))
        await write(document.profiles.filter((one) => one.id !== id))
        kept.delete(id)
        tell()
      }),
    /** Adds or renames these profiles, all or none, without secrets. Throws Failure. */
    adopt: (entries: readonly Omit<HostedEntry, 'appSecret'>[]) =>
      inTurn(async () => {
        const profiles = [...document.profiles]
        for (const { name, ...place } of entries) {
          const { liveUrl, messagingUrl } = readEntry({ name, ...place, appSecret: '' })
          const at = profiles.findIndex((one) => isSamePlace(one, { liveUrl, messagingUrl, appKey: place.appKey }))
          const known = profiles[at]
          if (known) profiles[at] = { ...known, name }
          else profiles.push({ id: ports.random(8).toString('hex'), name, liveUrl, messagingUrl, appKey: place.appKey })
        }
        if (profiles.length > most) throw new Failure('internal', `at most ${most} profiles`)
        await write(profiles)
        tell()
      }),
    free: (): number => most - document.profiles.length,
    on,
  }
}
