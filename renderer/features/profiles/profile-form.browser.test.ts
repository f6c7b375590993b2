import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h } from 'vue'
import type { Profile } from '../../../contract/rpc/state.ts'
import { errorTable } from '../../../contract/errors.ts'
import { makeProfiles } from '../../testing/fake-state.ts'
import { failed } from '../../testing/memory-client.ts'
import { mounted, settled, type MountOptions } from '../../testing/mounted.ts'
import { useCompanion } from '../../data/companion.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { settingsWords } from '../settings/words.ts'
import ProfileForm from './profile-form.vue'
import ProfilesPanel from './profiles-panel.vue'

const en = spoken(frameWords, 'en')
const settingsEn = spoken(settingsWords, 'en')
const settingsZh = spoken(settingsWords, 'zh')

const { settings: words } = settingsEn
const hosted = makeProfiles('full')[1]!
const typed = {
  [words.profileName]: ' Stage <b> ',
  [words.liveUrl]: ' https://live.example.org ',
  [words.messagingUrl]: 'https://im.example.org/nimserver',
  [words.appKey]: ' key ',
  [words.appSecret]: ' secret ',
}
const sent = {
  liveUrl: 'https://live.example.org',
  messagingUrl: 'https://im.example.org/nimserver',
  appKey: 'key',
  appSecret: ' secret ',
}
const show = async (profile: Profile | null = null, options: Parameters<typeof mounted>[1] = {}) => {
  const said: unknown[] = []
  const shown = await mounted(
    {
      render: () =>
        h(ProfileForm, { profile, onSaved: (saved: Profile) => said.push(saved), onCancel: () => said.push('cancel') }),
    },
    { path: '/settings/profiles', ...options },
  )
  return { ...shown, said }
}
const field = (name: string) => page.getByLabelText(name, { exact: true })
const fill = async (fields: Readonly<Record<string, string>> = typed) => {
  for (const [name, text] of Object.entries(fields)) await field(name).fill(text)
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const alert = () => page.getByRole('alert')

describe('the form of a hosted profile', () => {
  it('adds what was entered, without spaces around it but in the secret, and empties the secret', async () => {
    const { client, said } = await show(null, { answers: { 'profiles.add': () => hosted } })
    await fill()
    await button(words.saveAdd).click()
    await expect.poll(() => said).toEqual([hosted])
    expect(client.inputs('profiles.add')).toEqual([{ name: 'Stage <b>', ...sent }])
    await expect.element(field(words.appSecret)).toHaveValue('')
  })

  it('adds once, however often it is pressed', async () => {
    const answer = Promise.withResolvers<Profile>()
    const { client, said } = await show(null, { answers: { 'profiles.add': () => answer.promise } })
    await fill()
    await userEvent.keyboard('{Enter}{Enter}')
    answer.resolve(hosted)
    await expect.poll(() => said.length).toBe(1)
    expect(client.inputs('profiles.add').length).toBe(1)
  })

  it('begins in the name, is gone through with Tab, and hides the secret', async () => {
    await show()
    await expect.element(field(words.profileName)).toHaveFocus()
    for (const name of [words.liveUrl, words.messagingUrl, words.appKey, words.appSecret]) {
      await userEvent.keyboard('{Tab}')
      await expect.element(field(name)).toHaveFocus()
    }
    expect((field(words.appSecret).element() as HTMLInputElement).type).toBe('password')
  })

  it('says what is missing only when it is to be saved, and sends nothing', async () => {
    const { client } = await show()
    expect(page.getByText(words.needed).query()).toBeNull()
    await button(words.saveAdd).click()
    await expect.poll(() => page.getByText(words.needed).elements().length).toBe(5)
    expect(client.calls.filter(({ path }) => path.startsWith('profiles.'))).toEqual([])
  })

  it.each(['live.example.org', 'ftp://live.example.org', 'https://'])('refuses what is no address: %s', async (url) => {
    const { client } = await show()
    await fill({ ...typed, [words.liveUrl]: url })
    await button(words.saveAdd).click()
    await expect.element(page.getByText(words.urlBad)).toBeVisible()
    expect(client.inputs('profiles.add')).toEqual([])
  })

  it.each([
    ['messaging', words.liveUrl, words.messagingUrl],
    ['live', words.messagingUrl, words.liveUrl],
  ])('warns of a %s address that others can read, not of one on this computer', async (_case, here, there) => {
    await show()
    await field(here).fill('http://127.0.0.1:8710')
    await expect.element(field(here)).toHaveValue('http://127.0.0.1:8710')
    expect(page.getByText(words.plain).query()).toBeNull()
    await field(there).fill('http://far.example.org')
    await expect.element(page.getByText(words.plain)).toBeVisible()
  })

  it('keeps everything in its fields when it is refused, and the reason goes as something is changed', async () => {
    await show(null, {
      answers: {
        'profiles.add': () => {
          throw failed({ kind: 'keychain' })
        },
      },
    })
    await fill()
    await button(words.saveAdd).click()
    await expect.element(alert()).toMatchTextContent(en.failure.keychain.sentence)
    await expect.element(field(words.appSecret)).toHaveValue(typed[words.appSecret]!)
    await field(words.appKey).fill('other')
    await expect.element(alert()).not.toBeInTheDocument()
  })

  it('is left without saving', async () => {
    const { client, said } = await show(hosted)
    await field(words.profileName).fill('other')
    await button(en.word.cancel).click()
    expect(said).toEqual(['cancel'])
    expect(client.inputs('profiles.update')).toEqual([])
  })

  it('has its words in Chinese', async () => {
    await show(null, { language: 'zh' })
    const { settings: zh } = settingsZh
    for (const name of [zh.profileName, zh.liveUrl, zh.messagingUrl, zh.appKey, zh.appSecret])
      await expect.element(field(name)).toBeVisible()
    await button(zh.saveAdd).click()
    await expect.poll(() => page.getByText(zh.needed).elements().length).toBe(5)
  })
})

describe('the form of a profile that is there', () => {
  it('begins with what is kept, without the secret, which stays where none is entered', async () => {
    const { client, said } = await show(hosted, { answers: { 'profiles.update': () => hosted } })
    await expect.element(field(words.liveUrl)).toHaveValue(hosted.liveUrl)
    await expect.element(field(words.appSecret)).toHaveValue('')
    await expect.element(page.getByText(words.secretKeep)).toBeVisible()
    await field(words.profileName).fill('Renamed')
    await button(words.saveEdit).click()
    await expect.poll(() => said.length).toBe(1)
    const { liveUrl, messagingUrl, appKey } = hosted
    expect(client.inputs('profiles.update')).toEqual([
      { profileId: 'hosted-1', name: 'Renamed', liveUrl, messagingUrl, appKey },
    ])
  })

  it('sends the secret that was entered, and empties its field', async () => {
    const { client } = await show(hosted, { answers: { 'profiles.update': () => hosted } })
    await field(words.appSecret).fill('new one')
    await button(words.saveEdit).click()
    await expect.poll(() => client.inputs('profiles.update')[0]?.appSecret).toBe('new one')
    await expect.element(field(words.appSecret)).toHaveValue('')
  })

  it('has the button to save a change, and says of a new secret where it is kept once it is needed', async () => {
    await show({ ...hosted, secret: 'missing' })
    await expect.element(button(words.saveEdit)).toBeVisible()
    expect(button(words.saveAdd).query()).toBeNull()
    await expect.element(page.getByText(words.secretNew)).toBeVisible()
    expect(page.getByText(words.secretKeep).query()).toBeNull()
  })

  it('wants the secret again as soon as an address is another one', async () => {
    const { client } = await show(hosted)
    await field(words.liveUrl).fill('https://other.example.com')
    await expect.element(page.getByText(words.secretAgain)).toBeVisible()
    await button(words.saveEdit).click()
    expect(client.inputs('profiles.update')).toEqual([])
    client.answer({ 'profiles.update': () => hosted })
    await field(words.appSecret).fill('new')
    await button(words.saveEdit).click()
    await expect.poll(() => client.inputs('profiles.update')[0]?.appSecret).toBe('new')
  })

  it.each([
    ['in the keychain', 'keychain', words.secretNew],
    ['in memory', 'session', words.secretNewSession],
  ] as const)('says where a new secret is kept: %s', async (_case, secret, says) => {
    const [local] = makeProfiles('full')
    await show(null, { profiles: [{ ...local!, secret }, hosted] })
    await expect.element(page.getByText(says)).toBeVisible()
  })
})

describe('the check of a profile', () => {
  it('asks the service of what was entered, without a name, and says how many channels it has', async () => {
    const { client } = await show(null, { answers: { 'profiles.check': () => ({ channels: 1, milliseconds: 3 }) } })
    const { [words.profileName]: _name, ...rest } = typed
    await fill(rest)
    await button(words.check).click()
    await expect.element(page.getByRole('status')).toHaveTextContent('The service answered: 1 channel.')
    expect(client.inputs('profiles.check')).toEqual([sent])
    await field(words.appKey).fill('other')
    await expect.element(page.getByRole('status')).not.toBeInTheDocument()
  })

  it('is made with the secret that is kept where none was entered', async () => {
    const { client } = await show(hosted, { answers: { 'profiles.test': () => ({ channels: 2, milliseconds: 3 }) } })
    await button(words.check).click()
    await expect.poll(() => client.inputs('profiles.test')).toEqual([{ profileId: 'hosted-1' }])
    expect(client.inputs('profiles.check')).toEqual([])
  })

  it('of a profile that is there is made with the secret that was entered, and leaves it in its field', async () => {
    const { client } = await show(hosted, {
      answers: {
        'profiles.check': () => ({ channels: 2, milliseconds: 3 }),
        'profiles.test': () => ({ channels: 7, milliseconds: 3 }),
      },
    })
    await field(words.appSecret).fill('new')
    await button(words.check).click()
    await expect.element(page.getByRole('status')).toHaveTextContent('The service answered: 2 channels.')
    const { liveUrl, messagingUrl, appKey } = hosted
    expect(client.inputs('profiles.check')).toEqual([{ liveUrl, messagingUrl, appKey, appSecret: 'new' }])
    expect(client.inputs('profiles.test')).toEqual([])
    await expect.element(field(words.appSecret)).toHaveValue('new')
  })

  it.each([
    ['live address', words.liveUrl, 'https://other.example.com'],
    ['messaging address', words.messagingUrl, 'https://other.example.com/nimserver'],
    ['AppKey', words.appKey, 'other'],
  ])('is not made with the secret that is kept after another %s was entered', async (_case, name, text) => {
    const { client } = await show(hosted)
    await field(name).fill(text)
    await button(words.check).click()
    await expect.element(page.getByText(words.secretAgain)).toBeVisible()
    expect(client.calls.filter(({ path }) => path.startsWith('profiles.'))).toEqual([])
  })

  it('takes the place of a failure before, and a failure the place of its answer', async () => {
    const { client } = await show(hosted, {
      answers: {
        'profiles.test': () => {
          throw failed({ kind: 'code', code: 403 })
        },
      },
    })
    await button(words.check).click()
    await expect.element(alert()).toBeVisible()
    client.answer({ 'profiles.test': () => ({ channels: 2, milliseconds: 3 }) })
    await button(words.check).click()
    await expect.element(page.getByRole('status')).toBeVisible()
    expect(alert().query()).toBeNull()
    client.answer({
      'profiles.test': () => {
        throw failed({ kind: 'code', code: 403 })
      },
    })
    await button(words.check).click()
    await expect.element(alert()).toBeVisible()
    expect(page.getByRole('status').query()).toBeNull()
  })

  it('keeps the dialog from saving beside it', async () => {
    const answer = Promise.withResolvers<{ channels: number; milliseconds: number }>()
    const { client, said } = await show(hosted, { answers: { 'profiles.test': () => answer.promise } })
    await button(words.check).click()
    await button(words.saveEdit).click()
    answer.resolve({ channels: 1, milliseconds: 1 })
    await expect.element(page.getByRole('status')).toBeVisible()
    expect([client.inputs('profiles.update'), said]).toEqual([[], []])
  })

  it('says what the service refused', async () => {
    await show(hosted, {
      answers: {
        'profiles.test': () => {
          throw failed({ kind: 'code', code: 403 })
        },
      },
    })
    await button(words.check).click()
    await expect.element(alert()).toMatchTextContent(errorTable[403].sentence.en)
  })

  it('is not made beside the saving of it', async () => {
    const answer = Promise.withResolvers<Profile>()
    const { client } = await show(null, { answers: { 'profiles.add': () => answer.promise } })
    await fill()
    await button(words.saveAdd).click()
    await button(words.check).click({ force: true })
    answer.resolve(hosted)
    await expect.element(field(words.appSecret)).toHaveValue('')
    expect(client.inputs('profiles.check')).toEqual([])
  })
})

describe('a profile that was added', () => {
  const add = async (options: MountOptions) => {
    const fresh = { ...hosted, id: 'hosted-2', name: 'Fresh' }
    const shown = await mounted(ProfilesPanel, {
      path: '/settings/profiles',
      ...options,
      answers: { 'profiles.add': () => fresh, ...options.answers },
    })
    await button(words.add).click()
    await fill()
    await button(words.saveAdd).click()
    await shown.tell({ type: 'profiles', profiles: [...makeProfiles('full'), fresh] })
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
    return shown
  }

  it('is used by the screens when its service answers', async () => {
    const { client, pinia } = await add({ answers: { 'profiles.test': () => ({ channels: 0, milliseconds: 1 }) } })
    await expect.poll(() => client.inputs('profiles.test')).toEqual([{ profileId: 'hosted-2' }])
    await expect.poll(() => useCompanion(pinia).profile?.id).toBe('hosted-2')
  })

  it('is not used when its service does not answer, and that is said', async () => {
    const { pinia } = await add({
      answers: {
        'profiles.test': () => {
          throw failed({ kind: 'unreachable' })
        },
      },
    })
    await expect.element(alert()).toMatchTextContent(words.notChosen.replaceAll('{name}', 'Fresh'))
    expect(useCompanion(pinia).profile?.id).toBe('local')
  })

  it('is not used where another profile was chosen while its service was asked', async () => {
    const answer = Promise.withResolvers<{ channels: number; milliseconds: number }>()
    const { client, pinia } = await add({
      profiles: [...makeProfiles('full'), { ...hosted, id: 'hosted-3', name: 'Third' }],
      answers: { 'profiles.test': () => answer.promise },
    })
    await expect.poll(() => client.inputs('profiles.test').length).toBe(1)
    useCompanion(pinia).choose('hosted-1')
    answer.resolve({ channels: 0, milliseconds: 1 })
    await settled()
    expect(useCompanion(pinia).profile?.id).toBe('hosted-1')
  })

  it('is not said to be unanswered any more once it is used or removed', async () => {
    const answers = {
      'profiles.test': () => {
        throw failed({ kind: 'unreachable' })
      },
    }
    const { pinia, tell } = await add({ answers })
    await expect.element(alert()).toBeVisible()
    useCompanion(pinia).choose('hosted-2')
    await expect.element(alert()).not.toBeInTheDocument()
    useCompanion(pinia).choose('local')
    await expect.element(alert()).toBeVisible()
    await tell({ type: 'profiles', profiles: [...makeProfiles('full')] })
    await expect.element(alert()).not.toBeInTheDocument()
  })

  it('has its form opened by the address of the palette, and closed with Esc; the focus is where it was', async () => {
    const { router } = await mounted(ProfilesPanel, { path: '/settings/profiles?add=1' })
    await expect.element(field(words.profileName)).toHaveFocus()
    expect(router.currentRoute.value.fullPath).toBe('/settings/profiles')
    await userEvent.keyboard('{Escape}')
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
    await button(words.add).click()
    await userEvent.keyboard('{Escape}')
    await expect.element(button(words.add)).toHaveFocus()
  })
})
