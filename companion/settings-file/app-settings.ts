import path from 'node:path'
import { Settings } from '../../contract/rpc/index.ts'
import { firstRecordingDefaults } from '../../contract/switched-recording.ts'
import { jsonFile } from '../../platform/json-file.ts'

/** Default settings. */
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

/** Changed settings; undefined ones stay. */
export type SettingsChange = { [K in keyof Settings]?: Settings[K] | undefined }

/** DATA/settings.json. */
export interface AppSettings {
  value(): Settings
  /** In force once written. */
  change(change: SettingsChange): Promise<Settings>
}

/** Opens the settings; a damaged file is quarantined. */
export async function openAppSettings(dataDir: string, changed: (settings: Settings) => void): Promise<AppSettings> {
  // Older files lack newer settings.
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
      // Sequential, so that neither undoes the other.
      const done = before.then(() => store(change))
      before = done.catch(() => undefined)
      return done
    },
  }
}
