import { rm } from 'node:fs/promises'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Layout, Settings, SettingsChange, SettingsPlan } from '../../contract/rpc/index.ts'
import { Failure } from '../failure.ts'
import { jsonFile } from '../../platform/json-file.ts'
import { setStoreAside } from '../../platform/stores.ts'
import { type ProfileEntry, readSettings, type SettingsDocument, writeSettings } from './settings-format.ts'

/** What reading and writing the file needs. */
export interface SettingsFilePorts {
  /** The app's own folder. */
  readonly home: string
  readonly version: string
  readonly now: () => number
  readonly random: (bytes: number) => Buffer
  readonly settings: {
    value(): Settings
    change(settings: Partial<Settings>): Promise<unknown>
    readonly usual: Settings
  }
  readonly profiles: {
    all(): readonly (ProfileEntry & { readonly kind: 'local' | 'hosted' })[]
    /** Adds those that are not there, without a secret, and renames those that are. Doing it twice changes nothing more. */
    adopt(entries: readonly ProfileEntry[]): Promise<void>
    /** How many more there may be. */
    room(): number
  }
}

/** The app's settings as one file. It throws Failure. */
export interface SettingsFile {
  write(layout: Layout): { name: string; text: string }
  read(text: string, layout: Layout): SettingsPlan
  apply(handle: string): Promise<{ layout: Layout }>
  reset(): Promise<void>
  /** Finishes an import that the app ended in the middle of; whether there was one. */
  resume(): Promise<boolean>
}

const isSame = (one: ProfileEntry, other: ProfileEntry): boolean =>
  one.liveUrl === other.liveUrl && one.messagingUrl === other.messagingUrl && one.appKey === other.appKey

/** A value as it stands in the file; what is not there is null. */
const shown = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value).slice(0, 400))

/** Reads and writes it. Nothing is kept of a file before it is applied. */
export function createSettingsFile(ports: SettingsFilePorts): SettingsFile {
  const { settings, profiles } = ports
  const hosted = (): ProfileEntry[] => profiles.all().filter(({ kind }) => kind === 'hosted')
  // What is being applied is on record until all of it is: an end in the middle is made good at the next start.
  const place = path.join(ports.home, 'import.json')
  const journal = jsonFile(place, (raw) => z.object({ text: z.string() }).parse(raw), { passing: true })
  let planned: { handle: string; text: string; document: SettingsDocument } | undefined

  const changes = (document: SettingsDocument, layout: Layout): SettingsChange[] => {
    const found: SettingsChange[] = []
    const now = settings.value()
    for (const name of Object.keys(document.settings) as (keyof Settings)[]) {
      if (!isDeepStrictEqual(document.settings[name], now[name]))
        found.push({ part: 'settings', name, before: shown(now[name]), after: shown(document.settings[name]) })
    }
    for (const each of document.profiles) {
      const known = hosted().find((one) => isSame(one, each))
      if (known?.name !== each.name)
        found.push({ part: 'profiles', name: each.name, before: known?.name ?? null, after: each.liveUrl })
    }
    for (const name of Object.keys(document.layout) as (keyof Layout)[])
      if (document.layout[name] !== layout[name])
        found.push({ part: 'layout', name, before: layout[name] ?? null, after: document.layout[name] ?? null })
    return found
  }
  const carryOut = async (document: SettingsDocument): Promise<void> => {
    await settings.change(document.settings)
    await profiles.adopt(document.profiles)
    await rm(place, { force: true })
  }

  return {
    write: (layout) => {
      const now = ports.now()
      return {
        name: `sidestage-settings-${new Date(now).toISOString().slice(0, 10)}.json`,
        text: writeSettings({ settings: settings.value(), profiles: hosted(), layout }, ports.version, now),
      }
    },
    read: (text, layout) => {
      planned = undefined
      const document = readSettings(text)
      if ('fault' in document) return { handle: null, changes: [], ...document }
      if (document.profiles.filter((each) => !hosted().some((one) => isSame(one, each))).length > profiles.room())
        return { handle: null, changes: [], fault: 'profiles', where: null }
      const handle = ports.random(18).toString('base64url')
      planned = { handle, text, document }
      return { handle, changes: changes(document, layout), fault: null, where: null }
    },
    apply: async (handle) => {
      if (planned?.handle !== handle) throw new Failure('absent', 'this file was not the last one that was read')
      const { text, document } = planned
      planned = undefined
      const before = settings.value()
      await journal.save({ text })
      try {
        await carryOut(document)
      } catch (error) {
        // All or nothing: what was refused must not be made good by a later start. Profiles are the last that is written.
        try {
          if (!isDeepStrictEqual(settings.value(), before)) await settings.change(before)
        } finally {
          // Whatever refuses the settings, nothing may be left to be carried out later.
          await rm(place, { force: true })
        }
        throw error
      }
      return { layout: document.layout }
    },
    reset: async () => {
      await settings.change(settings.usual)
    },
    resume: async () => {
      const kept = await journal.load()
      if (!kept) return false
      const document = readSettings(kept.text)
      if ('fault' in document)
        setStoreAside(place, 'damaged', `what was being imported is not readable: ${document.fault}`)
      else await carryOut(document)
      return !('fault' in document)
    },
  }
}
