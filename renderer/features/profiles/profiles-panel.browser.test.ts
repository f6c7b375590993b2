import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { useCompanion } from '../../data/companion.ts'
import { makeProfiles } from '../../testing/fake-state.ts'
import { failed } from '../../testing/memory-client.ts'
import { mounted } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { settingsWords } from '../settings/words.ts'
import ProfilesPanel from './profiles-panel.vue'

const settingsEn = spoken(settingsWords, 'en')

const { settings: words } = settingsEn
const [local, hosted] = makeProfiles('full') as [ReturnType<typeof makeProfiles>[0], ReturnType<typeof makeProfiles>[0]]
const show = (options: Parameters<typeof mounted>[1] = {}) =>
  mounted(ProfilesPanel, { path: '/settings/profiles', profiles: [local, hosted], ...options })
const button = (name: string) => page.getByRole('button', { name })
const dialog = () => page.getByRole('dialog')

describe('profiles', () => {
  it('asks before one is removed, and removes that one', async () => {
    const { client } = await show({ answers: { 'profiles.remove': () => undefined } })
    await button(`${words.remove} ${hosted.name}`).click()
    await expect.element(dialog()).toMatchTextContent(hosted.name)
    expect(client.inputs('profiles.remove')).toEqual([])
    await dialog().getByRole('button', { name: words.removeNow }).click()
    await expect.poll(() => client.inputs('profiles.remove')).toEqual([{ profileId: hosted.id }])
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it('says in the question why one could not be removed', async () => {
    await show({
      answers: {
        'profiles.remove': () => {
          throw failed({ kind: 'full' })
        },
      },
    })
    await button(`${words.remove} ${hosted.name}`).click()
    await dialog().getByRole('button', { name: words.removeNow }).click()
    await expect.element(dialog().getByRole('alert')).toBeVisible()
  })

  it('tests the profile of its row', async () => {
    const { client } = await show({ answers: { 'profiles.test': () => ({ channels: 12, milliseconds: 18 }) } })
    await button(`${words.test}: ${hosted.name}`).click()
    await expect.poll(() => client.inputs('profiles.test')).toEqual([{ profileId: hosted.id }])
    await expect.element(page.getByRole('status')).toMatchTextContent('12')
  })

  it('chooses the profile of its row for the screens', async () => {
    const { pinia } = await show()
    await button(`${words.use}: ${hosted.name}`).click()
    await expect.poll(() => useCompanion(pinia).profile?.id).toBe(hosted.id)
  })

  it('has no removal of this computer', async () => {
    await show({ profiles: [local] })
    await expect.element(page.getByRole('listitem')).toBeVisible()
    expect(page.getByRole('button', { name: new RegExp(`^${words.remove} `) }).query()).toBeNull()
  })

  it.each(
    (['keychain', 'session', 'missing'] as const).flatMap((secret) =>
      (['en', 'zh'] as const).map((language) => [secret, language] as const),
    ),
  )('says where the secret is: %s, in %s', async (secret, language) => {
    await show({ language, profiles: [{ ...hosted, secret }] })
    if (language === 'en') await expect.element(page.getByRole('listitem')).toMatchTextContent(words.secret[secret])
    else await expect.element(page.getByRole('listitem')).toBeVisible()
  })
})
