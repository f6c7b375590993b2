import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h, type Component } from 'vue'
import { useCompanion } from '../../data/companion.ts'
import { failed } from '../../testing/memory-client.ts'
import { mounted, service, type MountOptions } from '../../testing/mounted.ts'
import { actingAs, linkSession, message, pushed, quietMessaging, sessionEvent } from '../../testing/messaging-values.ts'
import MessagingView from './messaging-view.vue'
import { spoken } from '../../format/languages.ts'
import { messagingWords } from './words.ts'

const messagingEn = spoken(messagingWords, 'en')
const messagingZh = spoken(messagingWords, 'zh')

const { messaging: words } = messagingEn
const show = (options: MountOptions = {}) => {
  const part: Component = {
    render: () => h('div', { style: 'display: flex; width: 1300px; height: 800px' }, [h(MessagingView)]),
  }
  return mounted(part, {
    path: '/messaging',
    events: [sessionEvent()],
    before: actingAs(),
    ...options,
    answers: {
      ...quietMessaging,
      'messaging.accounts': () => ({ complete: true, accounts: [] }),
      'operations.local.words': () => ({ ret: { words: [], hold: false } }),
      ...options.answers,
    },
  })
}
const part = (name: string) =>
  page.getByRole('navigation', { name: words.parts.label }).getByRole('link', { name, exact: true })
const list = () => page.getByRole('navigation', { name: words.conversations.list })
const conversation = (name: string | RegExp) => list().getByRole('button', { name })
const friends = () => ({
  friends: [
    { accid: 'mei', alias: 'Mei', at: 1 },
    { accid: 'tom', at: 1 },
  ],
})

describe('Messaging', () => {
  it('has its parts by their links, and says which one is shown', async () => {
    const { router } = await show()
    await expect.element(part(words.parts.conversations)).toHaveAttribute('aria-current', 'page')
    for (const [name, path, shows] of [
      [words.parts.accounts, '/messaging/accounts', words.accounts.empty],
      [words.parts.teams, '/messaging/teams', words.teams.empty],
      [words.parts.words, '/messaging/words', words.words.title],
      [words.parts.conversations, '/messaging', words.conversations.empty],
    ] as const) {
      await part(name).click()
      await expect.poll(() => router.currentRoute.value.path).toBe(path)
      await expect.element(page.getByText(shows, { exact: true })).toBeVisible()
      await expect.element(part(name)).toHaveAttribute('aria-current', 'page')
    }
  })

  it('says of each part what a hosted service does not offer', async () => {
    const { router } = await show({ profile: 'hosted-1', events: [] })
    for (const name of ['accounts', 'teams', 'words', 'conversations'] as const) {
      await router.push(name === 'conversations' ? '/messaging' : `/messaging/${name}`)
      await expect
        .element(page.getByRole('note'))
        .toHaveTextContent(words.hosted[name].replaceAll('{name}', 'Harbour production'))
    }
  })

  it('speaks Chinese', async () => {
    await show({ language: 'zh' })
    await expect.element(page.getByRole('heading', { name: messagingZh.messaging.title })).toBeVisible()
    await expect.element(page.getByText(messagingZh.messaging.conversations.choose)).toBeVisible()
  })
})

describe('conversations', () => {
  it('are those with friends and of teams, with who is online and what is unread', async () => {
    await show({
      answers: {
        'messaging.link.friends': friends,
        'messaging.link.teams': () => ({
          teams: [{ tid: '3001', tname: 'Crew', owner: 'ana', size: 3, role: 'owner' }],
        }),
        'messaging.link.unread': () => ({ total: 2, conversations: [{ scene: 'team', with: '3001', unread: 2 }] }),
        'messaging.link.watch': () => ({
          presence: [
            { accid: 'mei', online: true, clientTypes: ['PC'] },
            { accid: 'tom', online: false, clientTypes: [] },
          ],
        }),
      },
    })
    await expect.element(conversation(/^Mei/)).toMatchTextContent(words.online)
    await expect.element(conversation(/^tom/)).not.toMatchTextContent(words.online)
    await expect.element(conversation(/^Crew/)).toMatchTextContent(/2$/)
  })

  it('open by their row, at an address of their own', async () => {
    const { router } = await show({ answers: { 'messaging.link.friends': friends } })
    await conversation(/^Mei/).click()
    await expect.poll(() => router.currentRoute.value.query).toEqual({ scene: 'p2p', with: 'mei' })
    await expect.element(page.getByRole('log', { name: 'Messages with Mei' })).toBeVisible()
    await expect.element(conversation(/^Mei/)).toHaveAttribute('aria-current', 'true')
  })

  it('come to the top of the list with what came, and count it', async () => {
    const { tell, client } = await show({ answers: { 'messaging.link.friends': friends } })
    await expect.element(conversation(/^tom/)).toBeVisible()
    client.answer({
      'messaging.link.unread': () => ({ total: 1, conversations: [{ scene: 'p2p', with: 'tom', unread: 1 }] }),
    })
    await tell(pushed(message(5, 'are you there?', { from: 'tom' })))
    await expect.element(list().getByRole('listitem').first()).toMatchTextContent(/tom.*are you there\?1$/)
  })

  it('are read again when the service is back', async () => {
    const { tell, client } = await show({ events: [sessionEvent(), service('restarting')] })
    expect(client.inputs('messaging.link.friends')).toEqual([])
    client.answer({ 'messaging.link.friends': friends })
    await tell(service('running'))
    await expect.element(conversation(/^Mei/)).toBeVisible()
  })

  it('say why they could not be read', async () => {
    await show({
      answers: {
        'messaging.link.friends': () => {
          throw failed({ kind: 'code', code: 403 })
        },
      },
    })
    await expect.element(list().getByRole('alert')).toMatchTextContent('This account may not do that.')
  })

  it('ask to choose one, also at an address that names none', async () => {
    await show({ path: '/messaging?scene=room&with=7' })
    await expect.element(page.getByText(words.conversations.choose)).toBeVisible()
  })

  it('stay in the list once they were begun', async () => {
    const { router } = await show()
    await list().getByRole('searchbox').fill('lee')
    await list()
      .getByRole('button', { name: words.conversations.start.p2p.replace('{name}', 'lee') })
      .click()
    await expect.poll(() => router.currentRoute.value.query).toEqual({ scene: 'p2p', with: 'lee' })
    await expect.element(conversation(/^lee/)).toHaveAttribute('aria-current', 'true')
  })

  it('are read again, and who is signed in, when the line to the app is back', async () => {
    const { client, lose, pinia } = await show({ answers: { 'messaging.link.friends': friends } })
    await expect.element(conversation(/^Mei/)).toBeVisible()
    const read = client.inputs('messaging.link.friends').length
    await lose()
    client.answer({
      ...quietMessaging,
      'messaging.sessions': () => [linkSession('ana')],
      'messaging.link.friends': friends,
    })
    const asked = client.inputs('messaging.sessions').length
    useCompanion(pinia).lineIs('open')
    await expect.poll(() => client.inputs('messaging.link.friends').length).toBeGreaterThan(read)
    await expect.poll(() => client.inputs('messaging.sessions').length).toBe(asked + 1)
  })

  it('are not read while the session is being opened, and are once it is', async () => {
    const { client, tell } = await show({
      events: [sessionEvent('ana', { phase: 'connecting' })],
      answers: { 'messaging.link.friends': friends },
    })
    expect(client.inputs('messaging.link.friends')).toEqual([])
    await tell(sessionEvent('ana'))
    await expect.element(conversation(/^Mei/)).toBeVisible()
  })

  it('begin with the question who to act as', async () => {
    const { client } = await show({
      events: [],
      before: () => undefined,
      answers: { 'messaging.signIn': ({ accid }) => linkSession(accid), 'messaging.link.friends': friends },
    })
    await expect.element(page.getByRole('heading', { name: words.signIn.title })).toBeVisible()
    expect(client.inputs('messaging.link.friends')).toEqual([])
    await page.getByRole('textbox', { name: words.signIn.account }).fill('ana')
    await page.getByRole('button', { name: words.signIn.submit, exact: true }).click()
    await expect.element(conversation(/^Mei/)).toBeVisible()
  })

  it('of one account are not shown when another acts', async () => {
    await show({
      events: [sessionEvent('ana'), sessionEvent('tom')],
      answers: {
        'messaging.link.friends': ({ accid }) => ({ friends: accid === 'ana' ? friends().friends : [] }),
      },
    })
    await expect.element(conversation(/^Mei/)).toBeVisible()
    await page.getByRole('button', { name: 'Acting as ana' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'tom' }).click()
    await expect.element(page.getByText(words.conversations.empty)).toBeVisible()
    expect(conversation(/^Mei/).query()).toBeNull()
  })
})
