import { expect, it } from 'vitest'
import type { Settings } from '../../contract/rpc/index.ts'
import { readSettings, writeSettings } from './settings-format.ts'

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

const newest = versions[1]!
const place = profiles[0]!
const many = (count: number) => Array.from({ length: count }, (_, at) => ({ ...place, appKey: `key ${at}` }))

it.each([
  ['a name of 64 characters', { profiles: [{ ...place, name: 'n'.repeat(64) }] }],
  ['an AppKey of 128 characters', { profiles: [{ ...place, appKey: 'k'.repeat(128) }] }],
  ['50 services', { profiles: many(50) }],
  ['no service', { profiles: [] }],
  ['no layout', { layout: {} }],
])('reads a file with %s', (_what, change) => {
  expect(readSettings(JSON.stringify({ ...newest, ...change }))).toMatchObject(change)
})

it.each([
  ['a name of 65 characters', { profiles: [{ ...place, name: 'n'.repeat(65) }] }, 'profiles.0.name'],
  ['a service without a name', { profiles: [{ ...place, name: '' }] }, 'profiles.0.name'],
  ['an AppKey of 129 characters', { profiles: [{ ...place, appKey: 'k'.repeat(129) }] }, 'profiles.0.appKey'],
  ['a service without an AppKey', { profiles: [{ ...place, appKey: '' }] }, 'profiles.0.appKey'],
  [
    'an address of 1,025 characters',
    { profiles: [{ ...place, liveUrl: `https://${'a'.repeat(1_017)}` }] },
    'profiles.0.liveUrl',
  ],
  ['51 services', { profiles: many(51) }, 'profiles'],
  ['an address that is none', { profiles: [{ ...place, messagingUrl: 'nonsense' }] }, 'profiles'],
  ['a maker of 65 characters', { madeBy: 'm'.repeat(65) }, 'madeBy'],
])('says where a file with %s does not fit', (_what, change, where) => {
  expect(readSettings(JSON.stringify({ ...newest, ...change }))).toEqual({ fault: 'unfit', where })
})

it.each([
  [{ version: 0 }, 'notOurs'],
  [{ version: 1.5 }, 'notOurs'],
  [{ version: '2' }, 'notOurs'],
  [{ format: 'other' }, 'notOurs'],
])('takes no file with %j for one of its own', (change, fault) => {
  expect(readSettings(JSON.stringify({ ...newest, ...change }))).toEqual({ fault, where: null })
})

it('gives addresses in their usual form', () => {
  const read = readSettings(JSON.stringify({ ...newest, profiles: [{ ...place, liveUrl: 'HTTPS://Live.Example/' }] }))
  expect(read).toMatchObject({ profiles: [{ liveUrl: 'https://live.example' }] })
})

it('writes what it reads, with no secret of a service', () => {
  const parts = { settings: newest.settings as Settings, profiles: [{ ...place, appSecret: 'no' }], layout: {} }
  const text = writeSettings(parts, '1.2.3', 0)
  expect(text).not.toContain('appSecret')
  expect(readSettings(text)).toMatchObject({
    madeBy: '1.2.3',
    madeAt: '1970-01-01T00:00:00.000Z',
    settings: newest.settings,
    profiles,
  })
})
