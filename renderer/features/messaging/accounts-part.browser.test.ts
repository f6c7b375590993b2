import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, type Component } from 'vue'
import { failed } from '../../testing/memory-client.ts'
import { mounted, service, type MountOptions } from '../../testing/mounted.ts'
import { quietMessaging } from '../../testing/messaging-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { messagingWords } from './words.ts'
import AccountsPart from './accounts-part.vue'

const en = spoken(frameWords, 'en')
const messagingEn = spoken(messagingWords, 'en')
const messagingZh = spoken(messagingWords, 'zh')

const { messaging: words } = messagingEn
const account = (accid: string, change: { name?: string; blocked?: boolean | null; online?: boolean | null } = {}) => ({
  accid,
  name: '',
  blocked: false,
  online: false,
  ...change,
})
const some = [account('ana', { name: 'Ana Host', online: true }), account('lee_88', { blocked: true }), account('mei')]
const show = (options: MountOptions = {}) => {
  const part: Component = {
    render: () => h('div', { style: 'display: grid; width: 1300px; height: 700px' }, [h(AccountsPart)]),
  }
  return mounted(part, {
    path: '/messaging/accounts',
    ...options,
    answers: {
      ...quietMessaging,
      'messaging.accounts': () => ({ complete: true, accounts: some }),
      ...options.answers,
    },
  })
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const row = (accid: string) => page.getByRole('row').filter({ hasText: accid })
const search = () => page.getByRole('searchbox', { name: words.accounts.searchLabel })
const details = (accid: string) => page.getByRole('region', { name: words.account.about.replace('{name}', accid) })
const dialog = () => page.getByRole('dialog')
const refused = () => {
  throw failed({ kind: 'code', code: 403 })
}

describe('the list of accounts', () => {
  it('has name and state of each', async () => {
    await show()
    await expect.element(row('ana')).toMatchTextContent(/Ana Host.*Online/)
    await expect.element(row('lee_88')).toMatchTextContent(words.accounts.blocked)
    await expect.element(row('mei')).toMatchTextContent(words.offline)
  })

  it('asks for what is typed, once typing has ended', async () => {
    const { client } = await show()
    client.answer({ 'messaging.accounts': () => ({ complete: true, accounts: [some[0]!] }) })
    await search().fill(' ana ')
    await expect.element(row('mei')).not.toBeInTheDocument()
    expect(client.inputs('messaging.accounts')).toEqual([
      { profileId: 'local', search: '', after: '' },
      { profileId: 'local', search: 'ana', after: '' },
    ])
  })

  it('says that nothing matches, and clears the search', async () => {
    const { client } = await show()
    client.answer({ 'messaging.accounts': ({ search }) => ({ complete: true, accounts: search === '' ? some : [] }) })
    await search().fill('nobody')
    await expect.element(page.getByText(/^Nothing matches “nobody”/)).toBeVisible()
    await button(words.clear).click()
    await expect.element(row('mei')).toBeVisible()
  })

  it('reads the next hundred after the last one', async () => {
    const many = Array.from({ length: 100 }, (_, index) => account(`a${String(index).padStart(3, '0')}`))
    const { client } = await show({
      answers: {
        'messaging.accounts': ({ after }) => ({ complete: true, accounts: after === '' ? many : [account('b')] }),
      },
    })
    await expect.element(page.getByText(/of 100\+/)).toBeVisible()
    await button(words.accounts.more).click()
    await expect.element(page.getByText(/of 101$/)).toBeVisible()
    expect(client.inputs('messaging.accounts').at(-1)).toEqual({ profileId: 'local', search: '', after: 'a099' })
    expect(button(words.accounts.more).query()).toBeNull()
  })

  it('says that there is none yet', async () => {
    await show({ answers: { 'messaging.accounts': () => ({ complete: true, accounts: [] }) } })
    await expect.element(page.getByText(words.accounts.empty)).toBeVisible()
  })

  it('says of a hosted service that only some are known, and of nobody a state', async () => {
    await show({
      profile: 'hosted-1',
      answers: {
        'messaging.accounts': () => ({ complete: false, accounts: [account('ana', { blocked: null, online: null })] }),
      },
    })
    await expect.element(page.getByText(words.accounts.partial)).toBeVisible()
    await expect.element(row('ana')).not.toMatchTextContent(words.offline)
  })

  it('says why it could not be read, and tries again on request', async () => {
    const { client } = await show({ answers: { 'messaging.accounts': refused } })
    await expect.element(page.getByRole('alert')).toMatchTextContent('This account may not do that.')
    client.answer({ 'messaging.accounts': () => ({ complete: true, accounts: some }) })
    await button(en.word.retry).click()
    await expect.element(row('mei')).toBeVisible()
  })

  it('keeps what is known where it could not be read again, and says so', async () => {
    const { client } = await show()
    client.answer({ 'messaging.accounts': refused })
    await button(words.accounts.refresh).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(words.accounts.stale)
    await expect.element(row('mei')).toBeVisible()
  })

  it('asks for nothing while the service is down, and reads when it is back', async () => {
    const { client, tell } = await show({ events: [service('restarting')] })
    expect(client.inputs('messaging.accounts')).toEqual([])
    await tell(service('running'))
    await expect.element(row('mei')).toBeVisible()
  })

  it('shows names as text, and opens the account of a row', async () => {
    const { router } = await show({
      answers: { 'messaging.accounts': () => ({ complete: true, accounts: [account('mei', { name: '<b>Mei</b>' })] }) },
    })
    await expect.element(row('mei')).toMatchTextContent('<b>Mei</b>')
    await button('mei').click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/messaging/accounts/mei')
    await expect.element(details('mei')).toBeVisible()
    await expect.element(button('mei')).toHaveAttribute('aria-current', 'true')
  })

  it('speaks Chinese', async () => {
    await show({ language: 'zh' })
    const zh = messagingZh.messaging
    await expect.element(button(zh.create.title)).toBeVisible()
    await expect.element(row('lee_88')).toMatchTextContent(zh.accounts.blocked)
  })
})

describe('a new account', () => {
  const made = () => ({ accid: 'new', token: 'the-token-of-new' })
  const open = async (): Promise<void> => {
    await button(words.create.title).click()
    await expect.element(dialog().getByRole('textbox', { name: words.accounts.accid })).toHaveFocus()
  }

  it('is made with its name, its token is shown once and copied', async () => {
    const { client, router } = await show({ answers: { 'messaging.createAccount': made } })
    await open()
    await dialog().getByRole('textbox', { name: words.accounts.accid }).fill('new')
    await dialog().getByRole('textbox', { name: words.accounts.name }).fill(' New one ')
    await userEvent.keyboard('{Enter}')
    await expect
      .poll(() => client.inputs('messaging.createAccount'))
      .toEqual([{ profileId: 'local', call: { accid: 'new', name: 'New one' }, keep: true }])
    const token = page.getByRole('dialog', { name: words.token.title.replace('{name}', 'new') })
    await expect.element(token).toMatchTextContent('the-token-of-new')
    await token.getByRole('button', { name: words.token.copy }).click()
    await expect.element(token.getByText(words.token.copied)).toBeVisible()
    expect(await navigator.clipboard.readText()).toBe('the-token-of-new')
    await token.getByRole('button', { name: en.word.close }).click()
    await expect.element(page.getByText('the-token-of-new')).not.toBeInTheDocument()
    expect(router.currentRoute.value.path).toBe('/messaging/accounts/new')
  })

  it('is made once while it is under way', async () => {
    let release = (): void => undefined
    const { client } = await show({
      answers: { 'messaging.createAccount': () => new Promise((resolve) => (release = () => resolve(made()))) },
    })
    await open()
    await dialog().getByRole('textbox', { name: words.accounts.accid }).fill('new')
    await userEvent.keyboard('{Enter}')
    await userEvent.keyboard('{Enter}')
    release()
    await expect.element(page.getByText('the-token-of-new')).toBeVisible()
    expect(client.inputs('messaging.createAccount')).toHaveLength(1)
  })

  it('is not made with a name that is none', async () => {
    const { client } = await show()
    await open()
    await dialog().getByRole('textbox', { name: words.accounts.accid }).fill('two words')
    await dialog().getByRole('button', { name: words.create.submit, exact: true }).click()
    await expect.element(dialog()).toMatchTextContent('1 to 32 letters, digits or _ @ . -')
    expect(client.inputs('messaging.createAccount')).toEqual([])
  })

  it('keeps the form open and says why it was refused, and that it may exist', async () => {
    await show({
      answers: {
        'messaging.createAccount': () => {
          throw failed({ kind: 'code', code: 414 })
        },
      },
    })
    await open()
    await dialog().getByRole('textbox', { name: words.accounts.accid }).fill('ana')
    await userEvent.keyboard('{Enter}')
    await expect.element(dialog().getByRole('alert')).toMatchTextContent(words.create.exists)
    await expect.element(dialog().getByRole('textbox', { name: words.accounts.accid })).toHaveValue('ana')
  })

  it('cannot be made while the service is down', async () => {
    const { tell } = await show()
    await tell(service('restarting'))
    await expect.element(button(words.create.title)).toHaveAttribute('aria-disabled', 'true')
    await button(words.create.title).click({ force: true })
    expect(dialog().query()).toBeNull()
  })
})

describe('one account', () => {
  const about = (accid: string, options: MountOptions = {}) =>
    show({ path: `/messaging/accounts/${accid}`, ...options })
  const call = (accid: string) => ({ profileId: 'local', call: { accid } })

  it('is blocked after a question, and disconnected unless that is unchecked', async () => {
    const { client } = await about('mei', { answers: { 'operations.accounts.block': () => ({}) } })
    await button(words.account.block).click()
    await expect.element(dialog()).toMatchTextContent(words.account.body.block)
    expect(client.inputs('operations.accounts.block')).toEqual([])
    await dialog().getByRole('checkbox', { name: words.account.kick }).click()
    await dialog().getByRole('button', { name: words.account.do.block, exact: true }).click()
    await expect
      .poll(() => client.inputs('operations.accounts.block'))
      .toEqual([{ profileId: 'local', call: { accid: 'mei', needkick: false } }])
    await expect.element(details('mei').getByText(words.account.done.block, { exact: true })).toBeVisible()
    // The list is read again.
    await expect.poll(() => client.inputs('messaging.accounts').length).toBe(2)
  })

  it('is unblocked at once, and offers that only where it is blocked', async () => {
    const { client } = await about('lee_88', { answers: { 'operations.accounts.unblock': () => ({}) } })
    expect(button(words.account.block).query()).toBeNull()
    await button(words.account.unblock).click()
    await expect.poll(() => client.inputs('operations.accounts.unblock')).toEqual([call('lee_88')])
  })

  it('has its sessions ended after a question; not at a hosted service', async () => {
    const { client } = await about('mei', { answers: { 'operations.local.endSessions': () => ({}) } })
    await button(words.account.end).click()
    await dialog().getByRole('button', { name: words.account.do.end, exact: true }).click()
    await expect.poll(() => client.inputs('operations.local.endSessions')).toEqual([call('mei')])
  })

  it('offers no end of sessions at a hosted service', async () => {
    await about('mei', { profile: 'hosted-1' })
    await expect.element(button(words.account.token)).toBeVisible()
    expect(button(words.account.end).query()).toBeNull()
  })

  it('gets a new token after a question; it is shown once', async () => {
    const { client } = await about('mei', { answers: { 'messaging.refreshToken': () => ({ token: 'the-new-token' }) } })
    await button(words.account.token).click()
    await expect.element(dialog()).toMatchTextContent(words.account.body.token)
    await dialog().getByRole('checkbox').click()
    await dialog().getByRole('button', { name: words.account.do.token, exact: true }).click()
    await expect
      .poll(() => client.inputs('messaging.refreshToken'))
      .toEqual([{ profileId: 'local', accid: 'mei', keep: false }])
    await expect.element(page.getByText('the-new-token')).toBeVisible()
    await expect.element(page.getByText(words.token.once)).toBeVisible()
  })

  it('says why it could not be blocked, and no more so of the next question', async () => {
    await about('mei', { answers: { 'operations.accounts.block': refused } })
    await button(words.account.block).click()
    await dialog().getByRole('button', { name: words.account.do.block, exact: true }).click()
    await expect.element(dialog().getByRole('alert')).toMatchTextContent('This account may not do that.')
    await userEvent.keyboard('{Escape}')
    await button(words.account.end).click()
    await expect.element(dialog()).toMatchTextContent(words.account.body.end)
    expect(dialog().getByRole('alert').query()).toBeNull()
  })

  it('is acted as on request', async () => {
    const { router } = await about('mei')
    await button(words.account.actAs).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/messaging')
  })

  it('has its parts in tabs that the arrows change', async () => {
    await about('mei', {
      answers: {
        'operations.friends.get': () => ({ size: 0, friends: [] }),
        'operations.history.userEvents': () => ({ size: 0, events: [] }),
      },
    })
    const tab = (name: string) => page.getByRole('tab', { name })
    ;(tab(words.account.parts.card).element() as HTMLElement).focus()
    await userEvent.keyboard('{ArrowRight}')
    await expect.element(tab(words.account.parts.friends)).toHaveAttribute('aria-selected', 'true')
    await expect.element(tab(words.account.parts.friends)).toHaveFocus()
    await userEvent.keyboard('{ArrowLeft}{ArrowLeft}')
    await expect.element(tab(words.account.parts.events)).toHaveAttribute('aria-selected', 'true')
    await expect.element(tab(words.account.parts.events)).toHaveFocus()
    await expect.element(page.getByRole('tabpanel')).toHaveTextContent(words.events.none)
  })

  it('has its sign-ins with what was refused, and reads older ones before the oldest', async () => {
    const event = (minute: number, eventType: number, code = 200) => ({
      accid: 'mei',
      timestamp: 1_000_000 + minute * 60_000,
      eventType,
      clientIp: '10.0.0.7',
      sdkVersion: 'sidestage',
      clientType: 'PC',
      code,
    })
    const newest = Array.from({ length: 50 }, (_, index) =>
      event(100 - index, index % 2 === 0 ? 2 : 3, index === 2 ? 403 : 200),
    )
    const { client } = await about('mei', {
      answers: {
        'operations.history.userEvents': ({ call: { endtime } }) => {
          const events = endtime === undefined ? newest : [event(1, 2)]
          return { size: events.length, events }
        },
      },
    })
    await page.getByRole('tab', { name: words.account.parts.events }).click()
    const list = page.getByRole('tabpanel').getByRole('listitem')
    await expect.element(list.nth(0)).toMatchTextContent(/Signed in.*PC · 10\.0\.0\.7 · sidestage/)
    await expect.element(list.nth(1)).toMatchTextContent('Signed out')
    await expect.element(list.nth(2)).toMatchTextContent('Refused 403')
    await button(words.talk.older).click()
    await expect.poll(() => list.elements().length).toBe(51)
    expect(client.inputs('operations.history.userEvents').at(-1)?.call).toEqual({
      accid: 'mei',
      limit: 50,
      reverse: 2,
      endtime: 1_000_000 + 51 * 60_000 - 1,
    })
    expect(button(words.talk.older).query()).toBeNull()
  })
})
