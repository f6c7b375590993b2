import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { useCompanion } from '../../data/companion.ts'
import { makeExtendedProfiles, makeProfiles, makeService } from '../../testing/fake-state.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted, starting } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { settingsWords } from '../settings/words.ts'
import ProfilesPanel from './profiles-panel.vue'

const en = spoken(frameWords, 'en')
const settingsEn = spoken(settingsWords, 'en')

const { settings: words } = settingsEn
const [local, hosted] = makeProfiles('full') as [ReturnType<typeof makeProfiles>[0], ReturnType<typeof makeProfiles>[0]]
const show = (options: Parameters<typeof mounted>[1] = {}) =>
  mounted(ProfilesPanel, { path: '/settings/profiles', profiles: [local, hosted], ...options })
const button = (name: string | RegExp) => page.getByRole('button', { name })
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

  it.each([
    ['en', words.elsewhereText],
    ['zh', spoken(settingsWords, 'zh').settings.elsewhereText],
  ] as const)('says which profile is an own service elsewhere, in %s', async (language, said) => {
    const { tell } = await show({ language, profiles: [local, hosted] })
    const row = page.getByRole('listitem').nth(1)
    await expect.element(row).toBeVisible()
    expect(row.element().textContent).not.toContain(said)
    await tell({ type: 'profiles', profiles: makeExtendedProfiles() })
    await expect.element(row).toMatchTextContent(said)
  })

  it('says of this computer where its service listens, and of a hosted one its addresses and key', async () => {
    const { tell } = await show()
    const [first, second] = [page.getByRole('listitem').first(), page.getByRole('listitem').nth(1)]
    await expect.element(first).toMatchTextContent(words.localText)
    await expect.element(first).toMatchTextContent('http://127.0.0.1:8710')
    await expect.element(first).toMatchTextContent('http://127.0.0.1:8711')
    await expect.element(first).toMatchTextContent('rtmp://127.0.0.1:1935/live')
    for (const fact of [hosted.liveUrl, hosted.messagingUrl, hosted.appKey])
      await expect.element(second).toMatchTextContent(fact)
    await expect.element(second).not.toMatchTextContent(words.localText)
    await tell({ type: 'service', service: makeService(began, 'stopped') })
    await expect.element(first).toMatchTextContent(words.noAddresses)
    await expect.element(first).not.toMatchTextContent('8711')
  })

  it('marks the profile in use, which has no button to use it', async () => {
    await show()
    const [first, second] = [page.getByRole('listitem').first(), page.getByRole('listitem').nth(1)]
    await expect.element(first).toMatchTextContent(words.inUse)
    await expect.element(second).not.toMatchTextContent(words.inUse)
    expect(button(starting(`${words.use}:`)).elements().length).toBe(1)
    await button(`${words.use}: ${hosted.name}`).click()
    await expect.element(second).toMatchTextContent(words.inUse)
    await expect.element(button(starting(`${words.use}:`))).toBeVisible()
    expect(button(`${words.use}: ${hosted.name}`).query()).toBeNull()
  })

  it('says at the row why its test failed, and forgets the answer before', async () => {
    const { client } = await show({ answers: { 'profiles.test': () => ({ channels: 12, milliseconds: 17.6 }) } })
    const row = page.getByRole('listitem').nth(1)
    await button(`${words.test}: ${hosted.name}`).click()
    await expect.element(row.getByRole('status')).toHaveTextContent('12 channels, answered in 18 ms')
    client.answer({
      'profiles.test': () => {
        throw failed({ kind: 'unreachable' })
      },
    })
    await button(`${words.test}: ${hosted.name}`).click()
    await expect.element(row.getByRole('alert')).toBeVisible()
    expect(row.getByRole('status').query()).toBeNull()
    client.answer({ 'profiles.test': () => ({ channels: 1, milliseconds: 3 }) })
    await button(`${words.test}: ${hosted.name}`).click()
    await expect.element(row.getByRole('status')).toHaveTextContent('1 channel, answered in 3 ms')
    expect(row.getByRole('alert').query()).toBeNull()
  })

  it('tests a profile once at a time', async () => {
    const answer = Promise.withResolvers<{ channels: number; milliseconds: number }>()
    const { client } = await show({ answers: { 'profiles.test': () => answer.promise } })
    const test = button(`${words.test}: ${hosted.name}`).element() as HTMLButtonElement
    test.click()
    test.click()
    answer.resolve({ channels: 1, milliseconds: 3 })
    await expect.element(page.getByRole('status')).toBeVisible()
    expect(client.inputs('profiles.test').length).toBe(1)
  })

  it('leaves a profile alone when its removal is not confirmed', async () => {
    const { client } = await show()
    await button(`${words.remove} ${hosted.name}`).click()
    await expect.element(dialog()).toMatchTextContent(words.removeBody)
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('profiles.remove')).toEqual([])
  })

  it('keeps the question open where a removal failed, and asks anew without the failure', async () => {
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
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await button(`${words.remove} ${hosted.name}`).click()
    await expect.element(dialog()).toBeVisible()
    expect(dialog().getByRole('alert').query()).toBeNull()
  })

  it('opens the form of the profile of its row, and that of a new one empty', async () => {
    await show()
    await button(`${words.edit}: ${hosted.name}`).click()
    await expect.element(dialog()).toHaveAccessibleName(words.editTitle.replace('{name}', hosted.name))
    await expect.element(dialog().getByLabelText(words.appKey, { exact: true })).toHaveValue(hosted.appKey)
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    await button(words.add).click()
    await expect.element(dialog()).toHaveAccessibleName(words.addTitle)
    await expect.element(dialog().getByLabelText(words.appKey, { exact: true })).toHaveValue('')
  })

  it('neither tests nor uses a profile that was only edited', async () => {
    const { client, pinia } = await show({ answers: { 'profiles.update': () => hosted } })
    await button(`${words.edit}: ${hosted.name}`).click()
    await dialog().getByRole('button', { name: words.saveEdit }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('profiles.update').length).toBe(1)
    expect(client.inputs('profiles.test')).toEqual([])
    expect(useCompanion(pinia).profile?.id).toBe('local')
  })

  it('cannot edit this computer', async () => {
    await show()
    await expect.element(button(`${words.edit}: ${hosted.name}`)).toBeVisible()
    expect(button(starting(`${words.edit}:`)).elements().length).toBe(1)
  })

  it.each(['keychain', 'session', 'missing'] as const)(
    'says what the place of a secret means, otherwise for this computer: %s',
    async (secret) => {
      await show({
        profiles: [
          { ...local, secret },
          { ...hosted, secret },
        ],
      })
      await expect.element(page.getByRole('listitem').first()).toMatchTextContent(words.ownSecretHelp[secret])
      await expect.element(page.getByRole('listitem').nth(1)).toMatchTextContent(words.secretHelp[secret])
    },
  )
})
