import { rm } from 'node:fs/promises'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Layout, RpcInputs, Settings, SettingsChange, SettingsPlan } from '../../contract/rpc/index.ts'
import { Failure } from '../failure.ts'
import { isSamePlace } from '../profiles/profiles.ts'
import { jsonFile } from '../../platform/json-file.ts'
import { setStoreAside } from '../../platform/stores.ts'
import { type ProfileEntry, readSettings, type SettingsDocument, writeSettings } from './settings-format.ts'

type Input = RpcInputs['computer']

/** The app's settings as a file. Throws Failure. */
export type SettingsFile = ReturnType<typeof createSettingsFile>

/** As in the file; null if absent. */
const shown = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value).slice(0, 400))

/** Reads and writes the file. */
export function createSettingsFile(ports: {
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
    adopt(entries: readonly ProfileEntry[]): Promise<void>
    free(): number
  }
}) {
  const { settings, profiles } = ports
  const hosted = (): ProfileEntry[] => profiles.all().filter(({ kind }) => kind === 'hosted')
  // Recorded until applied: an interrupted import is finished at the next start.
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
      const known = hosted().find((one) => isSamePlace(one, each))
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
    exportSettings: ({ layout }: Input['exportSettings']): { name: string; text: string } => {
      const now = ports.now()
      return {
        name: `sidestage-settings-${new Date(now).toISOString().slice(0, 10)}.json`,
        text: writeSettings({ settings: settings.value(), profiles: hosted(), layout }, ports.version, now),
      }
    },
    readSettings: ({ text, layout }: Input['readSettings']): SettingsPlan => {
      planned = undefined
      const document = readSettings(text)
      if ('fault' in document) return { handle: null, changes: [], ...document }
      if (document.profiles.filter((each) => !hosted().some((one) => isSamePlace(one, each))).length > profiles.free())
        return { handle: null, changes: [], fault: 'profiles', where: null }
      const handle = ports.random(18).toString('base64url')
      planned = { handle, text, document }
      return { handle, changes: changes(document, layout), fault: null, where: null }
    },
    importSettings: async ({ handle }: Input['importSettings']): Promise<{ layout: Layout }> => {
      if (planned?.handle !== handle) throw new Failure('absent', 'this file was not the last one that was read')
      const { text, document } = planned
      planned = undefined
      const before = settings.value()
      await journal.save({ text })
      try {
        await carryOut(document)
      } catch (error) {
        // All or nothing: a failed import must not be finished later.
        try {
          if (!isDeepStrictEqual(settings.value(), before)) await settings.change(before)
        } finally {
          // Nothing may be left for later.
          await rm(place, { force: true })
        }
        throw error
      }
      return { layout: document.layout }
    },
    resetSettings: async () => {
      await settings.change(settings.usual)
    },
    /** Finishes an interrupted import; whether there was one. */
    resume: async (): Promise<boolean> => {
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
