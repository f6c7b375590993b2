import path from 'node:path'
import { Settings } from '../../contract/rpc/index.ts'
import { firstRecordingDefaults } from '../../contract/switched-recording.ts'
import { jsonFile, keptDocument } from '../../platform/json-file.ts'

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
export type SettingsPatch = { [K in keyof Settings]?: Settings[K] | undefined }

/** Opens the settings; a damaged file is quarantined. */
export async function openAppSettings(dataDir: string, changed: (settings: Settings) => void) {
  // Older files lack newer settings.
  const file = jsonFile(path.join(dataDir, 'settings.json'), (raw) =>
    Settings.parse(typeof raw === 'object' ? { ...usualSettings, ...raw } : raw),
  )
  const document = await keptDocument(file, usualSettings)
  return {
    value: document.value,
    /** In force once written. */
    change: async (change: SettingsPatch): Promise<Settings> => {
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
      let next = document.value()
      await document.change((now) => {
        next = Settings.parse({ ...now, ...given })
        return next
      })
      changed(next)
      return next
    },
  }
}
