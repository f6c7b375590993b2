import path from 'node:path'
import { jsonFile } from '../../platform/json-file.ts'
import { readNamedFile } from '../../platform/named-file.ts'
import type { Quarantine } from '../../platform/quarantine.ts'
import { createSerial } from '../../platform/serial.ts'
import type { Log } from '../log.ts'
import type { TargetRow } from './targets-store.ts'

/**
 * Which target at which address a key is for: numbers of targets are given again by another database. With the
 * `keyVersion` of its row, 0 without one.
 */
export type KeyPlace = Pick<TargetRow, 'cid' | 'targetId' | 'url'> & Partial<Pick<TargetRow, 'keyVersion'>>

/** Stream keys of targets. Each is for one channel and one address; none is given for another, or a newer version. */
export interface TargetKeys {
  get(place: KeyPlace): string | undefined
  /** Resolves when it is kept; the target has no other key then. */
  set(place: KeyPlace, key: string): Promise<void>
  remove(targetIds: readonly number[]): Promise<void>
}

/** As in the app's keychain (`companion/targets/target-keys.ts`), with the channel. */
interface KeptKey {
  readonly cid: string
  readonly address: string
  readonly key: string
  /** 0 without it. */
  readonly version?: number
}

const fits = (kept: KeptKey, { cid, url }: KeyPlace): boolean => kept.cid === cid && kept.address === url
const bound = ({ cid, url, keyVersion = 0 }: KeyPlace, key: string): KeptKey => ({
  cid,
  address: url,
  key,
  ...(keyVersion > 0 && { version: keyVersion }),
})
/** A key may be there before its row is. */
const keyFor = (kept: KeptKey | undefined, place: KeyPlace): string | undefined =>
  kept && fits(kept, place) && (kept.version ?? 0) >= (place.keyVersion ?? 0) ? kept.key : undefined

/** Keys in memory: whoever runs the service has them in a keychain and gives them after each start. */
export function memoryKeys(): TargetKeys {
  const keys = new Map<number, KeptKey>()
  return {
    get: (place) => keyFor(keys.get(place.targetId), place),
    async set(place, key) {
      keys.set(place.targetId, bound(place, key))
    },
    async remove(targetIds) {
      for (const targetId of targetIds) keys.delete(targetId)
    },
  }
}

interface KeysDocument {
  readonly version: 1
  /** By targetId. A key alone is of a version that did not say for which address it is. */
  readonly keys: Readonly<Record<string, KeptKey | string>>
}

function isKept(value: unknown): value is KeptKey | string {
  if (typeof value === 'string') return true
  const { cid, address, key, version = 0 } = (value ?? {}) as { readonly [K in keyof KeptKey]?: unknown }
  const isNumbered = Number.isSafeInteger(version)
  return typeof cid === 'string' && typeof address === 'string' && typeof key === 'string' && isNumbered
}

function read(raw: unknown): KeysDocument {
  const { version, keys } = (raw ?? {}) as { readonly version?: unknown; readonly keys?: unknown }
  if (version !== 1) throw new Error('of another version')
  if (typeof keys !== 'object' || keys === null) throw new Error('no keys')
  for (const [id, key] of Object.entries(keys))
    if (!/^[1-9]\d{0,15}$/.test(id) || !isKept(key)) throw new Error('not a key')
  return { version: 1, keys: keys as KeysDocument['keys'] }
}

/** Whether the database was put back or begun anew here: its targets need not be those for which keys were kept. */
export const wasReplaced = (quarantine: Pick<Quarantine, 'list'>): boolean =>
  quarantine.list().some(({ reason, paths }) => reason === 'replaced' && paths.includes('sidestage.db'))

const fileName = 'target-keys.json'
/** Files of the quarantine that are read at most, and the largest, in bytes. */
const maxFiles = 100
const maxBytes = 4 * 1024 * 1024

type Stored = readonly (readonly [string, KeptKey | string])[]
type KeysQuarantine = Pick<Quarantine, 'list' | 'files' | 'setAside'>

/** Keys that were set aside, newest first; files that cannot be read have none. */
async function* keptAside(quarantine: KeysQuarantine): AsyncGenerator<Stored> {
  const entries = quarantine.list().filter(({ paths }) => paths.includes(fileName))
  for (const { id } of entries.slice(0, maxFiles)) {
    const file = quarantine.files(id)?.find((one) => one.path === fileName)?.file
    if (file === undefined) continue
    try {
      const text = (await readNamedFile(file, maxBytes)).toString('utf8')
      yield Object.entries(read(JSON.parse(text) as unknown).keys)
    } catch {
      // A damaged file is in the quarantine for that.
    }
  }
}

/**
 * Keys in DIR/target-keys.json (0600), for a stand-alone service. A start sets aside those that fit no target, and
 * takes back what was set aside of those that fit, as after the return of a database.
 */
export async function fileKeys(
  dataDir: string,
  options: {
    readonly targets: readonly KeyPlace[]
    /** As `wasReplaced`: then a key without its address is not taken for that of the target with its number. */
    readonly isReplaced: () => boolean
    readonly quarantine: KeysQuarantine
    readonly log: Pick<Log, 'info' | 'warn'>
  },
): Promise<TargetKeys> {
  const { targets, isReplaced, quarantine, log } = options
  const file = jsonFile(path.join(dataDir, fileName), read)
  const places = new Map(targets.map((place) => [place.targetId, place]))
  let keys: ReadonlyMap<number, KeptKey> = new Map()
  const inTurn = createSerial()
  /** A change counts once it is stored. */
  const change = (by: (next: Map<number, KeptKey>) => void): Promise<void> =>
    inTurn(async () => {
      const next = new Map(keys)
      by(next)
      await file.save({ version: 1, keys: Object.fromEntries(next) })
      keys = next
    })

  const stored: Stored = Object.entries((await file.load())?.keys ?? {})
  const fitting = new Map<number, KeptKey>()
  for (const [id, value] of stored) {
    const place = places.get(Number(id))
    if (!place || (typeof value === 'string' && isReplaced())) continue
    const kept = typeof value === 'string' ? bound(place, value) : value
    if (fits(kept, place)) fitting.set(place.targetId, kept)
  }
  const unfitting = stored.filter(([id]) => !fitting.has(Number(id)))
  let returned = 0
  if (targets.length > fitting.size)
    for await (const aside of keptAside(quarantine))
      for (const [id, value] of aside) {
        const place = places.get(Number(id))
        if (!place || fitting.has(place.targetId) || typeof value === 'string' || !fits(value, place)) continue
        fitting.set(place.targetId, value)
        returned += 1
      }
  keys = fitting
  if (returned > 0) log.info({ keys: returned }, 'keys of targets that were set aside are used again')
  try {
    const entry =
      unfitting.length === 0 ? undefined : quarantine.setAside([fileName], 'replaced', 'keys without a target')
    if (entry) log.warn({ keys: unfitting.length }, 'keys that fit no target were set aside in the quarantine')
    if (entry || returned > 0 || stored.some(([, value]) => typeof value === 'string')) await change(() => undefined)
    const aside = entry && quarantine.files(entry.id)?.[0]?.file
    // Last: a crash before leaves all of them there, from where the next start takes those that fit.
    if (aside !== undefined)
      await jsonFile(aside, read, { passing: true }).save({ version: 1, keys: Object.fromEntries(unfitting) })
  } catch (error) {
    // On a full disk the next start does it: until then none of them is given, as none fits.
    log.warn({ err: error }, 'target-keys.json could not be written')
  }
  return {
    get: (place) => keyFor(keys.get(place.targetId), place),
    set: (place, key) => change((next) => next.set(place.targetId, bound(place, key))),
    async remove(targetIds) {
      if (!targetIds.some((targetId) => keys.has(targetId))) return
      await change((next) => {
        for (const targetId of targetIds) next.delete(targetId)
      })
    },
  }
}
