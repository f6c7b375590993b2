import { expect, it } from 'vitest'
import { readSettings } from './settings-format.ts'

/** What a file of each version holds, written here as it was when the version was made: whoever adds a setting makes a new version and leaves these alone. */
const common = { format: 'sidestage-settings', madeBy: '0.1.0', madeAt: '2026-11-20T20:00:00.000Z' }
const profiles = [
  { name: 'Stage', liveUrl: 'https://live.example', messagingUrl: 'https://chat.example', appKey: 'key' },
]
const layout = { roomPicture: 'hidden' }
const first = {
  theme: 'light',
  language: 'zh',
  mutePresets: [60, 600, 0],
  roomKeys: { mute: ['m'] },
  globalKeys: {},
  notices: ['pushLost'],
  startAtLogin: false,
  closeToTray: true,
}
const versions = [
  { ...common, version: 1, settings: first, profiles, layout },
  {
    ...common,
    version: 2,
    settings: { ...first, recording: { everyPush: true, format: 'mp4', minutes: 60, named: true } },
    profiles,
    layout,
  },
]

it.each(versions)('reads a file of version $version as long as the app lives', (file) => {
  const read = readSettings(JSON.stringify(file))
  expect(read).toMatchObject({ settings: file.settings, profiles, layout })
})

it('refuses one of a version that is not known yet', () => {
  expect(readSettings(JSON.stringify({ ...versions[1], version: versions.length + 1 }))).toEqual({
    fault: 'tooNew',
    where: null,
  })
})
