import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { Settings, type SettingsPlan } from '../../contract/rpc/index.ts'
import { firstRecordingDefaults } from '../../contract/switched-recording.ts'
import { failureOf, type Rig, scratch, startRig, until } from '../testing/rig.ts'
import { createSettingsFile } from './settings-file.ts'

const canary = 'canary-6f1d2c9b8a7e'
const far = {
  name: 'Far',
  liveUrl: 'https://live.example',
  messagingUrl: 'https://im.example/nimserver',
  appKey: 'far-key',
}
const recording = { everyPush: true, format: 'flv', minutes: 30, named: false } as const
const layout = { roomPicture: 'hidden' } as const
const plain = {
  language: 'system',
  mutePresets: null,
  roomKeys: {},
  globalKeys: {},
  notices: [],
  startAtLogin: false,
  closeToTray: false,
  recording,
}
const withRig = async (work: (rig: Rig, dir: string) => Promise<void>): Promise<void> => {
  using folder = scratch()
  // The service is not needed here, and may start in its own time.
  const rig = await startRig(folder.dir)
  try {
    await work(rig, folder.dir)
  } finally {
    await rig.close()
  }
}

it('goes out without anything secret, comes back after a reset, and says before what it changes', () =>
  withRig(async ({ page: { rpc }, ...rig }, dir) => {
    await rpc.profiles.add({ ...far, appSecret: canary })
    await rpc.receivers.setSignKey({
      profileId: (await until('the profile', () => rig.companion && hostedOf(dir)))[0]?.id ?? '',
      signKey: canary,
      atService: false,
    })
    await rpc.obs.configure({ host: '127.0.0.1', port: 4455, enabled: false, password: canary })
    await rpc.app.changeSettings({
      theme: 'light',
      mutePresets: [60, 600],
      roomKeys: { panic: ['F8'] },
      globalKeys: { show: 'Alt+S' },
      notices: ['onAir'],
    })
    await rpc.app.changeSettings({ recording })
    const { name, text } = await rpc.computer.exportSettings({ layout: { roomPicture: 'shown' } })
    expect(name).toMatch(/^sidestage-settings-\d{4}-\d\d-\d\d\.json$/)
    expect(text).not.toContain(canary)
    expect(Object.keys(JSON.parse(text) as object)).toEqual([
      'format',
      'version',
      'madeBy',
      'madeAt',
      'settings',
      'profiles',
      'layout',
    ])
    expect(JSON.parse(text)).toMatchObject({ profiles: [far], layout: { roomPicture: 'shown' } })

    await rpc.computer.resetSettings()
    await rpc.profiles.remove({ profileId: hostedOf(dir)[0]?.id ?? '' })
    const before = files(dir)
    const plan = await rpc.computer.readSettings({ text, layout })
    expect(files(dir)).toEqual(before)
    expect(plan.fault).toBeNull()
    expect(plan.changes).toEqual([
      { part: 'settings', name: 'theme', before: '"dark"', after: '"light"' },
      { part: 'settings', name: 'mutePresets', before: 'null', after: '[60,600]' },
      { part: 'settings', name: 'roomKeys', before: '{}', after: '{"panic":["F8"]}' },
      {
        part: 'settings',
        name: 'recording',
        before: JSON.stringify(firstRecordingDefaults),
        after: JSON.stringify(recording),
      },
      { part: 'settings', name: 'globalKeys', before: '{}', after: '{"show":"Alt+S"}' },
      {
        part: 'settings',
        name: 'notices',
        before: '["pushLost","recordingStopped","diskLow","signInFailed"]',
        after: '["onAir"]',
      },
      { part: 'profiles', name: 'Far', before: null, after: 'https://live.example' },
      { part: 'layout', name: 'roomPicture', before: 'hidden', after: 'shown' },
    ])
    expect(await rpc.computer.importSettings({ handle: plan.handle ?? '' })).toEqual({
      layout: { roomPicture: 'shown' },
    })
    expect(existsSync(path.join(dir, 'import.json'))).toBe(false)
    expect((await rpc.computer.readSettings({ text, layout: { roomPicture: 'shown' } })).changes).toEqual([])
    expect(hostedOf(dir)).toMatchObject([far])
    // The AppSecret must be entered again.
    expect(await failureOf(rpc.profiles.test({ profileId: hostedOf(dir)[0]?.id ?? '' }))).toMatchObject({
      kind: 'secret',
    })
    expect(await failureOf(rpc.computer.importSettings({ handle: plan.handle ?? '' }))).toMatchObject({
      kind: 'absent',
    })
  }))

it('keeps both of two settings that are changed at the same moment', () =>
  withRig(async ({ page: { rpc, newest } }, dir) => {
    await Promise.all([
      rpc.app.changeSettings({ theme: 'light' }),
      rpc.app.changeSettings({ language: 'zh' }),
      rpc.app.changeSettings({ closeToTray: true }),
    ])
    const wanted = { theme: 'light', language: 'zh', closeToTray: true }
    await until('all of them', () => newest('settings')?.settings.closeToTray)
    expect(newest('settings')?.settings).toMatchObject(wanted)
    expect(JSON.parse(readFileSync(path.join(dir, 'settings.json'), 'utf8'))).toMatchObject(wanted)
  }))

it('refuses every file that is not whole and known, in words and with its place, and changes nothing', () =>
  withRig(async ({ page: { rpc } }, dir) => {
    const { text } = await rpc.computer.exportSettings({ layout: {} })
    const good = JSON.parse(text) as Record<string, unknown> & { settings: Record<string, unknown> }
    const before = files(dir)
    const fault = async (file: unknown): Promise<[SettingsPlan['fault'], string | null]> => {
      const plan = await rpc.computer.readSettings({
        text: typeof file === 'string' ? file : JSON.stringify(file),
        layout: {},
      })
      expect(plan.handle === null).toBe(plan.fault !== null)
      return [plan.fault, plan.where]
    }
    expect(await fault('{')).toEqual(['notJson', null])
    expect(await fault('[]')).toEqual(['notOurs', null])
    expect(await fault({ ...good, format: 'other' })).toEqual(['notOurs', null])
    expect(await fault({ ...good, version: 3, whatever: 1 })).toEqual(['tooNew', null])
    expect(await fault({ ...good, secrets: {} })).toEqual(['unknown', 'secrets'])
    expect(await fault({ ...good, settings: { ...good.settings, autoplay: true } })).toEqual([
      'unknown',
      'settings.autoplay',
    ])
    expect(await fault({ ...good, settings: { ...good.settings, theme: 'pink' } })).toEqual(['unfit', 'settings.theme'])
    expect(await fault({ ...good, settings: {} })).toEqual(['unfit', 'settings.theme'])
    expect(await fault({ ...good, profiles: [{ ...far, appSecret: canary }] })).toEqual([
      'unknown',
      'profiles.0.appSecret',
    ])
    expect(await fault({ ...good, profiles: [{ ...far, liveUrl: 'http://far.example' }] })).toEqual([
      'unfit',
      'profiles',
    ])
    expect(await fault({ ...good, profiles: Array.from({ length: 51 }, () => far) })).toEqual(['unfit', 'profiles'])
    expect(await fault(text.replace('"profiles"', '"__proto__": {"x": 1}, "profiles"'))).toEqual([
      'unknown',
      '__proto__',
    ])
    expect(await fault({ ...good, settings: { ...good.settings, recording: { ...recording, minutes: 4 } } })).toEqual([
      'unfit',
      'settings.recording.minutes',
    ])
    // The first version knew nothing of recording: it is not in its files, and stays as it is.
    expect(await fault({ ...good, version: 1 })).toEqual(['unknown', 'settings.recording'])
    const { recording: _, ...first } = good.settings
    expect(await fault({ ...good, settings: first })).toEqual(['unfit', 'settings.recording'])
    expect(await fault({ ...good, version: 1, settings: first })).toEqual([null, null])
    expect(await fault(good)).toEqual([null, null])
    expect(files(dir)).toEqual(before)
  }))

it('takes a file of the first version, which says nothing of recording, and leaves that as it is', () =>
  withRig(async ({ page: { rpc, newest } }) => {
    const { text } = await rpc.computer.exportSettings({ layout: {} })
    const file = JSON.parse(text) as { settings: Record<string, unknown> }
    delete file.settings['recording']
    await rpc.app.changeSettings({ recording })
    const first = JSON.stringify({ ...file, version: 1, settings: { ...file.settings, theme: 'light' } })
    const { handle, changes } = await rpc.computer.readSettings({ text: first, layout: {} })
    expect(changes.map(({ name }) => name)).toEqual(['theme'])
    await rpc.computer.importSettings({ handle: handle ?? '' })
    expect(
      await until('the settings', () =>
        newest('settings')?.settings.theme === 'light' ? newest('settings')?.settings : null,
      ),
    ).toMatchObject({
      recording,
    })
  }))

it('is whole after the app ended in the middle of an import', async () => {
  using folder = scratch()
  let rig = await startRig(folder.dir)
  await rig.page.rpc.app.changeSettings({ theme: 'light' })
  const { text } = await rig.page.rpc.computer.exportSettings({ layout: {} })
  await rig.page.rpc.computer.resetSettings()
  await rig.close()
  const withProfile = JSON.stringify({ ...(JSON.parse(text) as object), profiles: [far] })
  writeFileSync(path.join(folder.dir, 'import.json'), JSON.stringify({ text: withProfile }))
  rig = await startRig(folder.dir)
  try {
    expect((await until('settings', () => rig.page.newest('settings'))).settings.theme).toBe('light')
    expect(hostedOf(folder.dir)).toMatchObject([far])
    expect(existsSync(path.join(folder.dir, 'import.json'))).toBe(false)
  } finally {
    await rig.close()
  }
})

const files = (dir: string): string[] =>
  ['settings.json', 'profiles.json'].map((name) =>
    existsSync(path.join(dir, name)) ? readFileSync(path.join(dir, name), 'utf8') : '',
  )
const hostedOf = (dir: string): { id: string; name: string }[] =>
  (JSON.parse(readFileSync(path.join(dir, 'profiles.json'), 'utf8')) as { profiles: { id: string; name: string }[] })
    .profiles

it.each(['profiles', 'settings'])(
  'is applied whole or not at all: what the disk refuses of %s is undone, and no later start makes it good',
  async (refused) => {
    using folder = scratch()
    let value = Settings.parse({ ...plain, theme: 'dark' })
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
    const open = () =>
      createSettingsFile({
        home: folder.dir,
        version: '1.0.0',
        now: Date.now,
        random: randomBytes,
        settings: {
          value: () => value,
          change: (change) =>
            refused === 'settings'
              ? Promise.reject(full)
              : Promise.resolve((value = Settings.parse({ ...value, ...change }))),
          usual: value,
        },
        profiles: { all: () => [], adopt: () => Promise.reject(full), free: () => 50 },
      })
    const file = open()
    const document = JSON.parse(file.exportSettings({ layout: {} }).text) as { settings: object }
    const text = JSON.stringify({ ...document, settings: { ...document.settings, theme: 'light' } })
    await expect(file.importSettings({ handle: file.readSettings({ text, layout: {} }).handle ?? '' })).rejects.toBe(
      full,
    )
    expect(value.theme).toBe('dark')
    expect(readdirSync(folder.dir)).toEqual([])
    refused = 'nothing any more'
    expect(await open().resume()).toBe(false)
    expect(value.theme).toBe('dark')
  },
)

/** The settings as a file, over settings and profiles in memory. */
function inMemory(home: string, more: Partial<Parameters<typeof createSettingsFile>[0]['profiles']> = {}) {
  const usual = Settings.parse({ ...plain, theme: 'dark' })
  const adopted: unknown[] = []
  let value = usual
  const own = { ...far, name: 'Own', kind: 'local' as const }
  const file = createSettingsFile({
    home,
    version: '1.2.3',
    now: () => Date.UTC(2026, 10, 27, 5, 6, 7),
    random: randomBytes,
    settings: {
      value: () => value,
      change: (change) => Promise.resolve((value = Settings.parse({ ...value, ...change }))),
      usual,
    },
    profiles: {
      all: () => [own, { ...far, kind: 'hosted' }],
      adopt: (entries) => {
        adopted.push(entries)
        return Promise.resolve()
      },
      free: () => 49,
      ...more,
    },
  })
  const text = (change: object): string =>
    JSON.stringify({ ...(JSON.parse(file.exportSettings({ layout: {} }).text) as object), ...change })
  return { file, adopted, text, value: () => value, usual }
}

it('is named by the day, says what made it and when, and has hosted services only', () => {
  using folder = scratch()
  const { name, text } = inMemory(folder.dir).file.exportSettings({ layout })
  expect(name).toBe('sidestage-settings-2026-11-27.json')
  expect(text.endsWith('}\n')).toBe(true)
  expect(JSON.parse(text)).toMatchObject({
    format: 'sidestage-settings',
    version: 2,
    madeBy: '1.2.3',
    madeAt: '2026-11-27T05:06:07.000Z',
    profiles: [far],
    layout,
  })
})

it('names a service that it renames with both names, and says nothing of one that is the same', () => {
  using folder = scratch()
  const { file, text } = inMemory(folder.dir)
  expect(file.readSettings({ text: text({}), layout: {} }).changes).toEqual([])
  expect(file.readSettings({ text: text({ profiles: [{ ...far, name: 'Farther' }] }), layout: {} }).changes).toEqual([
    { part: 'profiles', name: 'Farther', before: 'Far', after: far.liveUrl },
  ])
  expect(file.readSettings({ text: text({ layout }), layout: {} }).changes).toEqual([
    { part: 'layout', name: 'roomPicture', before: null, after: 'hidden' },
  ])
})

it('is refused with more services than there is room for; known ones take none', () => {
  using folder = scratch()
  const others = (count: number) => Array.from({ length: count }, (_, n) => ({ ...far, appKey: `key ${n}` }))
  const { file, text } = inMemory(folder.dir, { free: () => 2 })
  expect(file.readSettings({ text: text({ profiles: [far, ...others(2)] }), layout: {} })).toMatchObject({
    fault: null,
  })
  expect(file.readSettings({ text: text({ profiles: others(3) }), layout: {} })).toEqual({
    handle: null,
    changes: [],
    fault: 'profiles',
    where: null,
  })
})

it('is applied only as the file that was read last, and once', async () => {
  using folder = scratch()
  const { file, text, adopted, value } = inMemory(folder.dir)
  const settings = {
    ...(JSON.parse(file.exportSettings({ layout: {} }).text) as { settings: object }).settings,
    theme: 'light',
  }
  const first = file.readSettings({ text: text({ settings, layout }), layout: {} })
  const second = file.readSettings({ text: text({ settings, layout, profiles: [] }), layout: {} })
  expect((await failureOf(file.importSettings({ handle: first.handle! }))).kind).toBe('absent')
  expect(await file.importSettings({ handle: second.handle! })).toEqual({ layout })
  expect([value().theme, adopted]).toEqual(['light', [[]]])
  expect((await failureOf(file.importSettings({ handle: second.handle! }))).kind).toBe('absent')
  // One that is refused takes the one before with it.
  const third = file.readSettings({ text: text({}), layout: {} })
  file.readSettings({ text: '{', layout: {} })
  expect((await failureOf(file.importSettings({ handle: third.handle! }))).kind).toBe('absent')
  expect(readdirSync(folder.dir).includes('import.json')).toBe(false)
})

it('resets the settings, and leaves the services', async () => {
  using folder = scratch()
  const { file, text, adopted, value, usual } = inMemory(folder.dir)
  const settings = {
    ...(JSON.parse(file.exportSettings({ layout: {} }).text) as { settings: object }).settings,
    theme: 'light',
  }
  await file.importSettings({ handle: file.readSettings({ text: text({ settings }), layout: {} }).handle! })
  await file.resetSettings()
  expect([value(), adopted.length]).toEqual([usual, 1])
})

it('finishes an import that was interrupted, and sets one aside that is not readable', async () => {
  using folder = scratch()
  const { file, text, value, adopted } = inMemory(folder.dir)
  expect(await file.resume()).toBe(false)
  const settings = {
    ...(JSON.parse(file.exportSettings({ layout: {} }).text) as { settings: object }).settings,
    theme: 'light',
  }
  const place = path.join(folder.dir, 'import.json')
  writeFileSync(place, JSON.stringify({ text: text({ settings }) }))
  expect(await file.resume()).toBe(true)
  expect([value().theme, adopted, existsSync(place)]).toEqual(['light', [[far]], false])
  writeFileSync(place, JSON.stringify({ text: '{"format":"of tomorrow"}' }))
  expect(await file.resume()).toBe(false)
  expect([existsSync(place), adopted.length, readdirSync(folder.dir)]).toEqual([false, 1, ['quarantine']])
  expect(await file.resume()).toBe(false)
})

it('shows of a long setting 400 characters, before and after', async () => {
  using folder = scratch()
  const { file, text } = inMemory(folder.dir)
  const keysOf = (letter: string) =>
    Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`${letter}${at}`.padEnd(20, letter), ['m']]))
  const { settings } = JSON.parse(file.exportSettings({ layout: {} }).text) as { settings: object }
  const [first, second] = [keysOf('a'), keysOf('b')]
  await file.importSettings({
    handle: file.readSettings({ text: text({ settings: { ...settings, roomKeys: first } }), layout: {} }).handle!,
  })
  expect(
    file.readSettings({ text: text({ settings: { ...settings, roomKeys: second } }), layout: {} }).changes,
  ).toEqual([
    {
      part: 'settings',
      name: 'roomKeys',
      before: JSON.stringify(first).slice(0, 400),
      after: JSON.stringify(second).slice(0, 400),
    },
  ])
})
