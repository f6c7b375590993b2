import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { spoken } from '../../format/languages.ts'
import { makeProfiles } from '../../testing/fake-state.ts'
import { mounted, type MountOptions } from '../../testing/mounted.ts'
import { useCompanion } from '../../data/companion.ts'
import ProfileSwitch from './profile-switch.vue'
import { frameWords } from './words.ts'

const en = spoken(frameWords, 'en')
const zh = spoken(frameWords, 'zh')

const [local, hosted] = makeProfiles('full') as [
  ReturnType<typeof makeProfiles>[number],
  ReturnType<typeof makeProfiles>[number],
]
const show = (options: MountOptions = {}) => mounted(ProfileSwitch, options)
const button = (name: string) => page.getByRole('button', { name, exact: true })
const item = (name: string) => page.getByRole('menuitemcheckbox', { name, exact: true })

describe('the switch of the profile', () => {
  it('is not there before profiles are known', async () => {
    await show({ profiles: [] })
    expect(page.getByRole('button').query()).toBeNull()
  })

  it.each([
    ['en', `${en.title.profile}: ${en.title.thisComputer}`],
    ['zh', `${zh.title.profile}: ${zh.title.thisComputer}`],
  ] as const)('has this computer by its word, not by the name of its profile, in %s', async (language, name) => {
    await show({ language, profiles: [{ ...local, name: 'named otherwise' }, hosted] })
    await expect.element(button(name)).toBeVisible()
  })

  it('has a hosted profile by its name, and lists all with the chosen one checked', async () => {
    await show({ profile: 'hosted-1' })
    await button(`${en.title.profile}: ${hosted.name}`).click()
    await expect.element(item(hosted.name)).toHaveAttribute('aria-checked', 'true')
    await expect.element(item(en.title.thisComputer)).toHaveAttribute('aria-checked', 'false')
  })

  it('chooses this computer again, and remembers it for the next visit', async () => {
    const memory = new Map<string, string>()
    const { pinia } = await show({ profile: 'hosted-1', memory })
    await button(`${en.title.profile}: ${hosted.name}`).click()
    await item(en.title.thisComputer).click()
    await expect.element(button(`${en.title.profile}: ${en.title.thisComputer}`)).toBeVisible()
    expect([useCompanion(pinia).profile?.id, memory.get('sidestage.profile')]).toEqual(['local', 'local'])
  })
})
