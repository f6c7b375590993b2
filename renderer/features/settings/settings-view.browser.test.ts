import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { failed } from '../../testing/memory-client.ts'
import { mounted, settingsWith, usualSettings } from '../../testing/mounted.ts'
import { useCompanion } from '../../data/companion.ts'
import { spoken } from '../../format/languages.ts'
import { aboutWords } from '../about/words.ts'
import { desktopWords } from '../desktop/words.ts'
import { frameWords } from '../frame/words.ts'
import { seatsWords } from '../moderators/words.ts'
import { callbacksWords } from '../recordings/words-callbacks.ts'
import { recordingsWords } from '../recordings/words.ts'
import { copiesWords } from '../receivers/words.ts'
import { moderatorWords } from '../remote-rooms/words-seat.ts'
import { supportBundleWords } from '../support/words-bundle.ts'
import { computerWords } from '../this-computer/words.ts'
import { settingsWords } from './words.ts'
import { makeComputer } from '../../testing/fake-computer.ts'
import { settingsGroups } from './sections.ts'
import SettingsView from './settings-view.vue'

const aboutEn = spoken(aboutWords, 'en')
const desktopEn = spoken(desktopWords, 'en')
const en = spoken(frameWords, 'en')
const seatsEn = spoken(seatsWords, 'en')
const callbacksEn = spoken(callbacksWords, 'en')
const recordingsEn = spoken(recordingsWords, 'en')
const copiesEn = spoken(copiesWords, 'en')
const moderatorEn = spoken(moderatorWords, 'en')
const supportBundleEn = spoken(supportBundleWords, 'en')
const computerEn = spoken(computerWords, 'en')
const settingsEn = spoken(settingsWords, 'en')
const settingsZh = spoken(settingsWords, 'zh')

const { settings: words } = settingsEn
const show = (section: string, options: Parameters<typeof mounted>[1] = {}) =>
  mounted(SettingsView, { path: `/settings/${section}`, ...options })
const sections = () => page.getByRole('navigation', { name: words.sections })
const link = (name: string) => sections().getByRole('link', { name, exact: true })
const heading = (name: string) => page.getByRole('heading', { name, level: 2, exact: true })

describe('the sections of the settings', () => {
  it.each([
    ['recordings', recordingsEn.retention.section, recordingsEn.retention.title],
    ['room', moderatorEn.moderator.section, moderatorEn.moderator.presets.title],
    ['moderators', seatsEn.seats.section, seatsEn.seats.title],
    ['appearance', words.appearance, words.appearance],
    ['keys', moderatorEn.moderator.keys.section, moderatorEn.moderator.keys.title],
    ['computer', computerEn.computer.section, computerEn.computer.section],
    ['profiles', words.profiles, words.profiles],
    ['receivers', callbacksEn.receiver.section, callbacksEn.receiver.title],
    ['copies', copiesEn.copies.section, copiesEn.copies.title],
    ['support', supportBundleEn.supportBundle.section, supportBundleEn.supportBundle.title],
    ['about', aboutEn.about.section, aboutEn.about.title],
  ] as const)('lead to their panel, and mark the one that is shown: %s', async (section, label, title) => {
    const { router } = await show(section === 'profiles' ? 'appearance' : 'profiles', {
      events: [{ type: 'computer', computer: makeComputer('full', 0) }],
    })
    await link(label).click()
    await expect.poll(() => router.currentRoute.value.path).toBe(`/settings/${section}`)
    await expect.element(heading(title)).toBeVisible()
    await expect.element(link(label)).toHaveAttribute('aria-current', 'page')
    expect(
      sections()
        .getByRole('link')
        .elements()
        .filter((each) => each.hasAttribute('aria-current')).length,
    ).toBe(1)
  })

  it('have the desktop only in a window of it', async () => {
    await show('appearance')
    await expect.element(heading(words.appearance)).toBeVisible()
    expect(link(desktopEn.desktop.section).query()).toBeNull()
  })

  it('lead to the desktop in a window of it', async () => {
    await show('appearance', { about: { shell: 'electron' } })
    await link(desktopEn.desktop.section).click()
    await expect.element(link(desktopEn.desktop.section)).toHaveAttribute('aria-current', 'page')
  })

  it('stand in groups with a name, and are gone through with the keyboard', async () => {
    const { router } = await show('appearance')
    for (const [index, name] of Object.values(words.group).entries())
      await expect.element(sections().getByRole('group').nth(index)).toHaveAccessibleName(name)
    link(recordingsEn.retention.section).element().focus()
    await userEvent.keyboard('{Tab}{Enter}')
    await expect.poll(() => router.currentRoute.value.path).toBe('/settings/room')
    await expect.element(link(moderatorEn.moderator.section)).toHaveFocus()
  })

  it.each(settingsGroups.flatMap(({ name, sections: all }) => all.map((each) => [each.name, name] as const)))(
    'have %s in the group %s, whose address still leads to it',
    async (section, group) => {
      const { router } = await show('appearance', { about: { shell: 'electron' } })
      const inside = sections().getByRole('group', { name: words.group[group], exact: true })
      await expect.element(inside).toBeVisible()
      const found = inside.element().querySelector<HTMLAnchorElement>(`a[href$="/settings/${section}"]`)
      expect(found?.textContent?.trim()).not.toBe('')
      await router.push(`/settings/${section}`)
      await expect.poll(() => found?.getAttribute('aria-current')).toBe('page')
    },
  )

  it('have their names in Chinese', async () => {
    await show('profiles', { language: 'zh' })
    const { settings } = settingsZh
    await expect.element(page.getByRole('heading', { name: settings.title, level: 1 })).toBeVisible()
    for (const name of Object.values(settings.group))
      await expect.element(page.getByRole('group', { name })).toBeVisible()
    await expect.element(page.getByRole('link', { name: settings.appearance })).toBeVisible()
  })
})

describe('theme and language', () => {
  const choices = (name: string) => page.getByRole('radiogroup', { name })
  const choice = (group: string, name: string) => choices(group).getByRole('radio', { name, exact: true })
  const change = { 'app.changeSettings': (settings: object) => settingsWith(settings) }

  it.each([
    [words.theme, words.themes.light, { theme: 'light' }],
    [words.theme, words.themes.system, { theme: 'system' }],
    [words.language, words.languages.system, { language: 'system' }],
  ] as const)('are changed by one press, that setting only: %s, %s', async (group, name, settings) => {
    const { client, pinia } = await show('appearance', { answers: change })
    await choice(group, name).click()
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([settings])
    await expect.element(choice(group, name)).toHaveAttribute('aria-checked', 'true')
    expect(useCompanion(pinia).settings).toMatchObject({ ...usualSettings, ...settings })
  })

  it('are changed with the arrow keys, and the focus goes along', async () => {
    const { client } = await show('appearance', { answers: change })
    choice(words.theme, words.themes.dark).element().focus()
    await userEvent.keyboard('{ArrowRight}')
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([{ theme: 'light' }])
    await expect.element(choice(words.theme, words.themes.light)).toHaveFocus()
  })

  it('stay as they are when that was refused, with the reason', async () => {
    await show('appearance', {
      answers: {
        'app.changeSettings': () => {
          throw failed({ kind: 'full' })
        },
      },
    })
    await choice(words.theme, words.themes.light).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
    await expect.element(choice(words.theme, words.themes.dark)).toHaveAttribute('aria-checked', 'true')
  })

  it('say which app this is, and why it is not in a window of its own', async () => {
    await show('appearance', { about: { version: '9.8.7', shellReason: 'no <binary>' } })
    await expect
      .element(page.getByText(/^Sidestage 9\.8\.7/))
      .toMatchTextContent(`${words.shells.browser} · no <binary>`)
  })
})
