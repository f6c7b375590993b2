import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { SettingsPlan } from '../../../contract/rpc/index.ts'
import { failed } from '../../testing/memory-client.ts'
import { mounted } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { recordingsWords } from '../recordings/words.ts'
import { settingsWords } from '../settings/words.ts'
import { computerWords } from './words.ts'
import SettingsFileCard from './settings-file-card.vue'

const en = spoken(frameWords, 'en')
const computerEn = spoken(computerWords, 'en')
const computerZh = spoken(computerWords, 'zh')

const { file: words } = computerEn.computer
const { names } = words
const { themes, languages } = spoken(settingsWords, 'en').settings
const { recordingDefaults } = spoken(recordingsWords, 'en')
const layout = { roomPicture: 'hidden' } as const
const plan = (change: Partial<SettingsPlan> = {}): SettingsPlan => ({
  handle: 'h',
  changes: [
    { part: 'settings', name: 'theme', before: '"dark"', after: '"light"' },
    { part: 'profiles', name: 'Harbour <b>', before: null, after: 'https://live.example.com' },
  ],
  fault: null,
  where: null,
  ...change,
})
const show = (options: Parameters<typeof mounted>[1] = {}) =>
  mounted(SettingsFileCard, { path: '/settings/computer', ...options })
const button = (name: string) => page.getByRole('button', { name, exact: true })
const dialog = () => page.getByRole('dialog')
const pick = (text: string) =>
  userEvent.upload(page.getByLabelText(words.pick), new File([text], 'settings.json', { type: 'application/json' }))
const refused = () => {
  throw failed({ kind: 'full' })
}

describe('the settings as a file', () => {
  it('are written with the layout of this page, once, and the file is named', async () => {
    const gate = Promise.withResolvers<{ name: string; text: string }>()
    const { client } = await show({ answers: { 'computer.exportSettings': () => gate.promise } })
    await button(words.export).click()
    await button(words.export).click({ force: true })
    gate.resolve({ name: 'sidestage-<1>.json', text: '{}' })
    await expect
      .element(page.getByRole('status'))
      .toMatchTextContent(words.exported.replace('{name}', 'sidestage-<1>.json'))
    expect(client.inputs('computer.exportSettings')).toEqual([{ layout }])
  })

  it('say why they could not be written', async () => {
    await show({ answers: { 'computer.exportSettings': refused } })
    await button(words.export).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
    expect(page.getByRole('status').query()).toBeNull()
  })

  it('of a file are shown first and imported only after that, once', async () => {
    const gate = Promise.withResolvers<{ layout: typeof layout }>()
    const { client } = await show({
      answers: { 'computer.readSettings': () => plan(), 'computer.importSettings': () => gate.promise },
    })
    await pick('{"settings":1}')
    await expect.element(dialog()).toMatchTextContent('Harbour <b>')
    await expect.element(dialog().getByRole('row').nth(1)).toMatchTextContent(words.names.theme)
    expect(client.inputs('computer.readSettings')).toEqual([{ text: '{"settings":1}', layout }])
    expect(client.inputs('computer.importSettings')).toEqual([])
    const apply = dialog().getByRole('button', { name: /^Import 2 changes/ })
    await apply.click()
    await apply.click({ force: true })
    gate.resolve({ layout })
    await expect.element(page.getByRole('status')).toMatchTextContent(words.applied)
    expect(client.inputs('computer.importSettings')).toEqual([{ handle: 'h' }])
    await expect.element(page.getByRole('link', { name: words.secretNeeded })).toBeVisible()
  })

  it('of a file are left as they are when the question is cancelled', async () => {
    const { client } = await show({ answers: { 'computer.readSettings': () => plan() } })
    await pick('{}')
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('computer.importSettings')).toEqual([])
  })

  it('of a file that changes nothing have nothing to import', async () => {
    await show({ answers: { 'computer.readSettings': () => plan({ changes: [] }) } })
    await pick('{}')
    await expect.element(dialog()).toMatchTextContent(words.planNone)
    expect(
      dialog()
        .getByRole('button', { name: /^Import/ })
        .query(),
    ).toBeNull()
  })

  it('of a file that could not be imported stay, with the reason in the question', async () => {
    await show({ answers: { 'computer.readSettings': () => plan(), 'computer.importSettings': refused } })
    await pick('{}')
    await dialog()
      .getByRole('button', { name: /^Import 2/ })
      .click()
    await expect.element(dialog().getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
    expect(page.getByText(words.applied).query()).toBeNull()
  })

  it.each(['notJson', 'notOurs', 'tooNew', 'unknown', 'unfit', 'profiles'] as const)(
    'of a file that is none are refused with the reason: %s',
    async (fault) => {
      await show({
        answers: { 'computer.readSettings': () => plan({ handle: null, changes: [], fault, where: 'a<b' }) },
      })
      await pick('no json')
      await expect.element(page.getByRole('alert')).toMatchTextContent(words.fault[fault].replace('{where}', 'a<b'))
      expect(dialog().query()).toBeNull()
    },
  )

  it('of a file that is too large are not read at all', async () => {
    const { client } = await show()
    await pick('x'.repeat(100_001))
    await expect.element(page.getByRole('alert')).toMatchTextContent(words.fault.tooLarge)
    expect(client.inputs('computer.readSettings')).toEqual([])
  })

  it('of the same file can be read again after it was changed', async () => {
    const { client } = await show({
      answers: { 'computer.readSettings': () => plan({ handle: null, fault: 'notJson' }) },
    })
    await pick('one')
    await pick('two')
    await expect.poll(() => client.inputs('computer.readSettings').map(({ text }) => text)).toEqual(['one', 'two'])
  })

  it('have their words in Chinese', async () => {
    await show({ language: 'zh' })
    const { file: zh } = computerZh.computer
    for (const name of [zh.export, zh.import, zh.reset]) await expect.element(button(name)).toBeVisible()
  })
})

describe('the reset of all settings', () => {
  it('is asked about, made once, and said', async () => {
    const gate = Promise.withResolvers<undefined>()
    const { client } = await show({ answers: { 'computer.resetSettings': () => gate.promise } })
    await button(words.reset).click()
    await expect.element(dialog()).toMatchTextContent(words.resetBody)
    expect(client.inputs('computer.resetSettings')).toEqual([])
    const now = dialog().getByRole('button', { name: words.resetNow, exact: true })
    await now.click()
    await now.click({ force: true })
    gate.resolve(undefined)
    await expect.element(page.getByRole('status')).toMatchTextContent(words.resetDone)
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('computer.resetSettings').length).toBe(1)
  })

  it('is not made when the question is cancelled with Esc, and the focus is on its button again', async () => {
    const { client } = await show()
    await button(words.reset).click()
    await expect.element(dialog()).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog()).not.toBeInTheDocument()
    await expect.element(button(words.reset)).toHaveFocus()
    expect(client.inputs('computer.resetSettings')).toEqual([])
  })

  it('that was refused says why in the question', async () => {
    await show({ answers: { 'computer.resetSettings': refused } })
    await button(words.reset).click()
    await dialog().getByRole('button', { name: words.resetNow, exact: true }).click()
    await expect.element(dialog().getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
  })
})

describe('the changes that a file makes', () => {
  const row = async (change: Partial<SettingsPlan['changes'][number]>) => {
    await show({
      answers: {
        'computer.readSettings': () =>
          plan({ changes: [{ part: 'settings', name: 'theme', before: null, after: null, ...change }] }),
      },
    })
    await pick('{}')
    const cells = dialog().getByRole('row').nth(1)
    await expect.element(cells).toBeVisible()
    return [...cells.element().children].map((cell) => cell.textContent)
  }

  it.each([
    ['a theme', { name: 'theme', before: '"dark"', after: '"light"' }, [names.theme, themes.dark, themes.light]],
    [
      'a language',
      { name: 'language', before: '"zh"', after: '"system"' },
      [names.language, languages.zh, languages.system],
    ],
    [
      'presets that were as at first',
      { name: 'mutePresets', before: 'null', after: '[60,600,3600]' },
      [names.mutePresets, words.first, '60, 600, 3600'],
    ],
    [
      'keys of the Room',
      { name: 'roomKeys', before: '{}', after: '{"mute":["m",","],"delete":["["]}' },
      [names.roomKeys, words.first, 'mute: m, , · delete: ['],
    ],
    [
      'keys from other windows',
      { name: 'globalKeys', before: '{"panic":"Ctrl+Alt+P"}', after: '{}' },
      [names.globalKeys, 'panic: Ctrl+Alt+P', words.first],
    ],
    [
      'a value that was cut off',
      { name: 'roomKeys', before: '{}', after: '{"mute":["m"],"del' },
      [names.roomKeys, words.first, '{"mute":["m"],"del…'],
    ],
    [
      'notices',
      { name: 'notices', before: '[]', after: '["ended","failed"]' },
      [names.notices, words.unset, 'ended, failed'],
    ],
    [
      'what is not set',
      { part: 'layout', name: 'roomPicture', before: null, after: 'hidden' },
      [names.roomPicture, words.unset, 'hidden'],
    ],
    ['what has no words', { name: 'later', before: 'true', after: 'false' }, ['later', 'true', 'false']],
    [
      'a profile that is added',
      { part: 'profiles', name: 'Harbour', before: null, after: 'https://live.example.com' },
      ['Profile Harbour', words.unset, words.profileAdded],
    ],
    [
      'a profile that is named anew',
      { part: 'profiles', name: 'Harbour', before: 'Old [1]', after: 'https://live.example.com' },
      ['Profile Harbour', 'Old [1]', 'Harbour'],
    ],
  ] as const)('are told in words: %s', async (_case, change, cells) => {
    expect(await row(change)).toEqual(cells)
  })

  it('are told in words: the recording of new channels', async () => {
    const recording = (change: object) =>
      JSON.stringify({ everyPush: false, format: 'mp4', minutes: 120, named: false, ...change })
    expect(
      await row({
        name: 'recording',
        before: recording({}),
        after: recording({ everyPush: true, named: true, format: 'flv', minutes: 5 }),
      }),
    ).toEqual([
      names.recording,
      'MP4, 120 min slices',
      `FLV, 5 min slices · ${recordingDefaults.named} · ${recordingDefaults.everyPush}`,
    ])
  })

  it('are not made when the dialog is left with Esc', async () => {
    const { client } = await show({ answers: { 'computer.readSettings': () => plan() } })
    await pick('{}')
    await expect.element(dialog()).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('computer.importSettings')).toEqual([])
  })
})
