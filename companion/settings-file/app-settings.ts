import path from 'node:path'
import { Settings } from '../../contract/rpc/index.ts'
import { firstRecordingDefaults } from '../../contract/switched-recording.ts'
import { jsonFile } from '../../platform/json-file.ts'

/** What settings are while nobody has changed them. */
export const usualSettings: Settings = {
  theme: 'dark',
  language: 'system',
  mutePresets: null,
  roomKeys: {},
  recording: firstRecordingDefaults,
  globalKeys: {},
  notices: ['pushLost', 'recordingStopped', 'diskLow', 'signInFailed'],
  startAtLogin: false,
  closeToTray: false,
}

/** Settings that are changed together; what is undefined stays as it is. */
export type SettingsChange = { [K in keyof Settings]?: Settings[K] | undefined }

/** The settings of the app, kept in DATA/settings.json. */
export interface AppSettings {
  value(): Settings
  /** Stores a change; it counts once it is on disk. Changes come one after the other. */
  change(change: SettingsChange): Promise<Settings>
}

/** Reads the settings of a data folder; a file that is damaged is set aside. `changed` hears of every change. */
export async function openAppSettings(dataDir: string, changed: (settings: Settings) => void): Promise<AppSettings> {
  // A file of an older version lacks what is newer.
  const file = jsonFile(path.join(dataDir, 'settings.json'), (raw) =>
    Settings.parse(typeof raw === 'object' ? { ...usualSettings, ...raw } : raw),
  )
  let settings = (await file.load()) ?? usualSettings
  let before: Promise<unknown> = Promise.resolve()
  const store = async (change: SettingsChange): Promise<Settings> => {
    const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
    const next = Settings.parse({ ...settings, ...given })
    await file.save(next)
    settings = next
    changed(next)
    return next
  }
  return {
    value: () => settings,
    change: (change) => {
      // Of two changes at the same moment neither may undo the other.
      const done = before.then(() => store(change))
      before = done.catch(() => undefined)
      return done
    },
  }
}
