import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { mounted, settingsWith, type MountOptions } from '../../testing/mounted.ts'
import { failed } from '../../testing/memory-client.ts'
import DesktopPanel from './desktop-panel.vue'
import { spoken } from '../../format/languages.ts'
import { desktopWords } from './words.ts'

const desktopEn = spoken(desktopWords, 'en')
const desktopZh = spoken(desktopWords, 'zh')

const { desktop: words } = desktopEn
const everything = ['tray', 'startAtLogin', 'notifications'] as const
const show = (options: MountOptions = {}) =>
  mounted(DesktopPanel, {
    ...options,
    about: { shell: 'electron', capabilities: [...everything], ...options.about },
    answers: { 'app.changeSettings': (change) => settingsWith(change), ...options.answers },
  })
const toggle = (name: string) => page.getByRole('switch', { name })

describe('the desktop settings', () => {
  it('change closing alone, and show what was kept', async () => {
    const { client } = await show()
    await expect.element(toggle(words.closeToTray)).not.toBeChecked()
    await toggle(words.closeToTray).click()
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([{ closeToTray: true }])
    await expect.element(toggle(words.closeToTray)).toBeChecked()
    await expect.element(toggle(words.startAtLogin)).not.toBeChecked()
  })

  it('start with the computer, and no longer', async () => {
    const { client } = await show({ settings: { startAtLogin: true } })
    await toggle(words.startAtLogin).click()
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([{ startAtLogin: false }])
  })

  it('add and take away one kind of notification, and keep the others', async () => {
    const { client } = await show({ settings: { notices: ['pushLost', 'diskLow'] } })
    await expect.element(toggle(words.kinds.onAir)).not.toBeChecked()
    await expect.element(toggle(words.kinds.diskLow)).toBeChecked()
    await toggle(words.kinds.onAir).click()
    await expect
      .poll(() => client.inputs('app.changeSettings'))
      .toEqual([{ notices: ['onAir', 'pushLost', 'diskLow'] }])
    await toggle(words.kinds.pushLost).click()
    await expect.poll(() => client.inputs('app.changeSettings').at(-1)).toEqual({ notices: ['onAir', 'diskLow'] })
  })

  it('say why a change was not kept, and show what still holds', async () => {
    await show({
      answers: {
        'app.changeSettings': () => {
          throw failed({ kind: 'internal' })
        },
      },
    })
    await toggle(words.closeToTray).click()
    await expect.element(page.getByRole('alert')).toBeVisible()
    await expect.element(toggle(words.closeToTray)).not.toBeChecked()
  })

  it('say that the system did not take the start', async () => {
    const { tell } = await show()
    expect(page.getByText(words.startFailed).query()).toBeNull()
    await tell({ type: 'desktop', desktop: { startAtLogin: 'failed', keys: [] } })
    await expect.element(page.getByRole('alert')).toMatchTextContent(words.startFailed)
  })

  it.each([
    ['tray', words.noTray, words.closeToTray],
    ['startAtLogin', words.startAbsent, words.startAtLogin],
    ['notifications', words.noticesAbsent, words.kinds.onAir],
  ] as const)('say what this system lacks in the place of its switch: %s', async (missing, says, absent) => {
    await show({ about: { capabilities: everything.filter((each) => each !== missing) } })
    await expect.element(page.getByText(says)).toBeVisible()
    expect(toggle(absent).query()).toBeNull()
  })

  it('have no switch in the browser, and say why', async () => {
    await show({ about: { shell: 'browser', capabilities: [] }, language: 'zh' })
    await expect.element(page.getByText(desktopZh.desktop.absent)).toBeVisible()
    expect(page.getByRole('switch').elements()).toEqual([])
  })

  it('close the window to the end again, where they left it in the tray', async () => {
    const { client } = await show({ settings: { closeToTray: true } })
    await expect.element(toggle(words.closeToTray)).toBeChecked()
    await toggle(words.closeToTray).click()
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([{ closeToTray: false }])
  })

  it('begin to start with the computer, and show that they do', async () => {
    const { client } = await show()
    await toggle(words.startAtLogin).click()
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([{ startAtLogin: true }])
    await expect.element(toggle(words.startAtLogin)).toBeChecked()
  })

  it('say what they are for in a window, and of each switch what it does', async () => {
    await show()
    for (const says of [words.lead, words.closeToTrayText, words.startAtLoginText, words.notices])
      await expect.element(page.getByText(says, { exact: true })).toBeVisible()
    for (const kind of Object.values(words.kinds)) await expect.element(toggle(kind)).not.toBeChecked()
    expect(page.getByText(words.absent).query()).toBeNull()
  })

  it('do not say that the window opens in a tray where there is none', async () => {
    await show({ about: { capabilities: ['startAtLogin', 'notifications'] } })
    await expect.element(toggle(words.startAtLogin)).toBeVisible()
    expect(page.getByText(words.startAtLoginText).query()).toBeNull()
  })

  it('say nothing of the start where the system took it', async () => {
    const { tell } = await show()
    await tell({ type: 'desktop', desktop: { startAtLogin: 'on', keys: [] } })
    expect(page.getByRole('alert').query()).toBeNull()
  })
})
