import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, type Component } from 'vue'
import { useCompanion } from '../../data/companion.ts'
import { makeProfiles } from '../../testing/fake-state.ts'
import { failed } from '../../testing/memory-client.ts'
import { mounted, service, type MountOptions } from '../../testing/mounted.ts'
import { quietMessaging } from '../../testing/messaging-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { messagingWords } from './words.ts'
import AccountsPart from './accounts-part.vue'
import { useMessaging } from './messaging.ts'

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

  it('asks again for what was typed on while it was read', async () => {
    const { client } = await show()
    const answers: (() => void)[] = []
    client.answer({
      'messaging.accounts': ({ search }) =>
        new Promise((resolve) =>
          answers.push(() => resolve({ complete: true, accounts: some.filter(({ accid }) => accid.includes(search)) })),
        ),
    })
    await search().fill('an')
    await expect.poll(() => answers.length).toBe(1)
    await search().fill('mei')
    // A timer of the same length that begins later ends later: the list has tried to ask.
    await new Promise((resolve) => setTimeout(resolve, 250))
    expect(answers.length).toBe(1)
    answers[0]?.()
    await expect.poll(() => answers.length).toBe(2)
    answers[1]?.()
    await expect.element(row('ana')).not.toBeInTheDocument()
    await expect.element(row('mei')).toBeVisible()
    expect(client.inputs('messaging.accounts').map((asked) => asked.search)).toEqual(['', 'an', 'mei'])
  })

  it('asks once for a list that was read while nothing was typed', async () => {
    const { client } = await show()
    await button(words.accounts.refresh).click()
    await expect.poll(() => client.inputs('messaging.accounts').length).toBe(2)
    await new Promise((resolve) => setTimeout(resolve))
    expect(client.inputs('messaging.accounts').length).toBe(2)
  })

  it('begins at its first page again when something is searched for', async () => {
    const many = Array.from({ length: 99 }, (_, index) => account(`a${String(index).padStart(3, '0')}`))
    await show({ answers: { 'messaging.accounts': () => ({ complete: true, accounts: many }) } })
    await expect.element(page.getByText(/^1–\d+ of 99$/)).toBeVisible()
    expect(button(words.accounts.more).query()).toBeNull()
    await button('Next page').click()
    await expect.element(page.getByText(/^1–\d+ of 99$/)).not.toBeInTheDocument()
    await search().fill('a')
    await expect.element(page.getByText(/^1–\d+ of 99$/)).toBeVisible()
  })

  it('is read again when the line to the app is back', async () => {
    const { client, lose, pinia } = await show()
    await lose()
    expect(client.inputs('messaging.accounts').length).toBe(1)
    useCompanion(pinia).lineIs('open')
    await expect.poll(() => client.inputs('messaging.accounts').length).toBe(2)
  })

  it('says what to choose while no account is chosen, and how long a search may be', async () => {
    await show()
    await expect.element(page.getByText(words.accounts.choose)).toBeVisible()
    await expect.element(search()).toHaveAttribute('placeholder', words.accounts.search)
    await expect.element(search()).toHaveAttribute('maxlength', '64')
  })

  it('says of a hosted service how an account is looked up, where none is known', async () => {
    await show({
      profile: 'hosted-1',
      answers: { 'messaging.accounts': () => ({ complete: false, accounts: [] }) },
    })
    await expect.element(page.getByText(words.accounts.emptyHosted)).toBeVisible()
    await expect.element(search()).toHaveAttribute('placeholder', words.accounts.searchHosted)
  })

  it('has a dash for a name or a state that is not known, and says blocked before online', async () => {
    await show({
      answers: {
        'messaging.accounts': () => ({
          complete: true,
          accounts: [account('ana', { blocked: true, online: true }), account('mei', { blocked: null, online: null })],
        }),
      },
    })
    await expect.element(row('ana')).toMatchTextContent(/^ana–Blocked$/)
    await expect.element(row('mei')).toMatchTextContent(/^mei––$/)
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

  it('is listed and chosen once it is made, and its token is said to be kept', async () => {
    const { client } = await show({ answers: { 'messaging.createAccount': made } })
    client.answer({
      'messaging.createAccount': made,
      'messaging.accounts': () => ({ complete: true, accounts: [...some, account('new')] }),
    })
    await open()
    await dialog().getByRole('textbox', { name: words.accounts.accid }).fill(' new ')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText(words.token.kept)).toBeVisible()
    expect(client.inputs('messaging.createAccount')).toEqual([
      { profileId: 'local', call: { accid: 'new' }, keep: true },
    ])
    await userEvent.keyboard('{Escape}')
    await expect.element(page.getByText('the-token-of-new')).toBeVisible()
    await page.getByRole('dialog').getByRole('button', { name: en.word.close }).click()
    await expect.element(button('new')).toHaveAttribute('aria-current', 'true')
  })

  it('has a token that is kept nowhere where that is not wished', async () => {
    const { client } = await show({ answers: { 'messaging.createAccount': made } })
    await open()
    await dialog().getByRole('textbox', { name: words.accounts.accid }).fill('new')
    await dialog().getByRole('checkbox', { name: words.create.keep }).click()
    await dialog().getByRole('button', { name: words.create.submit, exact: true }).click()
    await expect.element(page.getByText(words.token.once)).toBeVisible()
    expect(client.inputs('messaging.createAccount')[0]?.keep).toBe(false)
  })

  it('has a token that is kept until the app ends where there is no keychain', async () => {
    const [local, ...others] = makeProfiles('full')
    await show({
      profiles: [{ ...local!, secret: 'session' }, ...others],
      answers: { 'messaging.createAccount': made },
    })
    await open()
    await expect.element(dialog().getByRole('checkbox', { name: words.create.keepSession })).toBeChecked()
    await dialog().getByRole('textbox', { name: words.accounts.accid }).fill('new')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText(words.token.keptSession)).toBeVisible()
  })

  it('has a token that can be selected where the clipboard refuses it', async () => {
    vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new DOMException('refused', 'NotAllowedError'))
    onTestFinished(() => void vi.restoreAllMocks())
    await show({ answers: { 'messaging.createAccount': made } })
    await open()
    await dialog().getByRole('textbox', { name: words.accounts.accid }).fill('new')
    await userEvent.keyboard('{Enter}')
    await button(words.token.copy).click()
    await expect.element(page.getByText(words.token.copyFailed)).toBeVisible()
    await expect.element(page.getByText('the-token-of-new')).toBeVisible()
  })

  it('begins empty at each opening, without the failure before', async () => {
    await show({ answers: { 'messaging.createAccount': refused } })
    await open()
    await dialog().getByRole('textbox', { name: words.accounts.accid }).fill('ana')
    await dialog().getByRole('textbox', { name: words.accounts.name }).fill('Ana')
    await userEvent.keyboard('{Enter}')
    await expect.element(dialog().getByRole('alert')).toBeVisible()
    // A refusal of another kind says nothing of an account that may exist.
    await expect.element(dialog().getByRole('alert')).not.toMatchTextContent(words.create.exists)
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    await open()
    await expect.element(dialog().getByRole('textbox', { name: words.accounts.accid })).toHaveValue('')
    await expect.element(dialog().getByRole('textbox', { name: words.accounts.name })).toHaveValue('')
    expect(dialog().getByRole('alert').query()).toBeNull()
    await expect.element(dialog()).not.toMatchTextContent('1 to 32 letters, digits or _ @ . -')
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
    const { router, pinia } = await about('mei')
    await button(words.account.actAs).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/messaging')
    expect(useMessaging(pinia).accid).toBe('mei')
  })

  it('is disconnected when it is blocked, and its new token is kept, where nothing else is wished', async () => {
    const { client } = await about('mei', {
      answers: {
        'operations.accounts.block': () => ({}),
        'messaging.refreshToken': () => ({ token: 'the-new-token' }),
      },
    })
    await button(words.account.block).click()
    await dialog().getByRole('button', { name: words.account.do.block, exact: true }).click()
    await expect.poll(() => client.inputs('operations.accounts.block')[0]?.call.needkick).toBe(true)
    await expect.element(dialog()).not.toBeInTheDocument()
    await button(words.account.token).click()
    // What was done before is not said any more.
    expect(details('mei').getByText(words.account.done.block, { exact: true }).query()).toBeNull()
    await expect.element(dialog()).toMatchTextContent(words.create.keep)
    await dialog().getByRole('button', { name: words.account.do.token, exact: true }).click()
    await expect.poll(() => client.inputs('messaging.refreshToken')[0]?.keep).toBe(true)
    await expect.element(page.getByText(words.token.kept)).toBeVisible()
    await expect.element(page.getByRole('dialog')).toHaveAccessibleName(words.token.title.replace('{name}', 'mei'))
  })

  it('is left as it is when a question is cancelled', async () => {
    const { client } = await about('mei')
    for (const what of ['block', 'token', 'end'] as const) {
      await button(words.account[what]).click()
      await expect.element(dialog()).toMatchTextContent(words.account.body[what])
      await dialog().getByRole('button', { name: en.word.cancel }).click()
      await expect.element(dialog()).not.toBeInTheDocument()
    }
    const paths = client.calls.map(({ path }) => path)
    for (const path of ['operations.accounts.block', 'messaging.refreshToken', 'operations.local.endSessions'] as const)
      expect(paths).not.toContain(path)
  })

  it('says that its sessions ended, and that it is unblocked; the list is read again each time', async () => {
    const { client } = await about('lee_88', {
      answers: { 'operations.local.endSessions': () => ({}), 'operations.accounts.unblock': () => ({}) },
    })
    await button(words.account.end).click()
    await dialog().getByRole('button', { name: words.account.do.end, exact: true }).click()
    await expect.element(details('lee_88').getByText(words.account.done.end, { exact: true })).toBeVisible()
    await expect.poll(() => client.inputs('messaging.accounts').length).toBe(2)
    await button(words.account.unblock).click()
    await expect.element(details('lee_88').getByText(words.account.done.unblock, { exact: true })).toBeVisible()
    expect(details('lee_88').getByText(words.account.done.end, { exact: true }).query()).toBeNull()
    await expect.poll(() => client.inputs('messaging.accounts').length).toBe(3)
  })

  it('says beside its buttons why it could not be unblocked', async () => {
    const { client } = await about('lee_88', { answers: { 'operations.accounts.unblock': refused } })
    await button(words.account.unblock).click()
    await expect.element(details('lee_88').getByRole('alert')).toMatchTextContent('This account may not do that.')
    expect(details('lee_88').getByText(words.account.done.unblock, { exact: true }).query()).toBeNull()
    expect(client.inputs('messaging.accounts').length).toBe(1)
  })

  it('can be blocked and unblocked where it is not known whether it is blocked', async () => {
    await about('mei', {
      profile: 'hosted-1',
      answers: {
        'messaging.accounts': () => ({ complete: false, accounts: [account('mei', { blocked: null, online: null })] }),
      },
    })
    await expect.element(button(words.account.block)).toBeVisible()
    await expect.element(button(words.account.unblock)).toBeVisible()
  })

  it('has the list read again when its card was changed', async () => {
    const { client } = await about('mei', {
      answers: {
        'operations.accounts.getUinfos': () => ({ uinfos: [{ valid: true, accid: 'mei', name: 'Mei' }] }),
        'operations.accounts.updateUinfo': () => ({}),
      },
    })
    await details('mei').getByRole('textbox', { name: words.card.name, exact: true }).fill('Mei Mei')
    await button(words.card.save).click()
    await expect.poll(() => client.inputs('messaging.accounts').length).toBe(2)
  })

  it('says why its sign-ins could not be read, and reads them on request', async () => {
    const { client } = await about('mei', { answers: { 'operations.history.userEvents': refused } })
    await page.getByRole('tab', { name: words.account.parts.events }).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent('This account may not do that.')
    expect(page.getByText(words.events.none).query()).toBeNull()
    client.answer({ 'operations.history.userEvents': () => ({ size: 0, events: [] }) })
    await button(en.word.retry).click()
    await expect.element(page.getByText(words.events.none)).toBeVisible()
    expect(page.getByRole('alert').query()).toBeNull()
    expect(button(words.conversation.older).query()).toBeNull()
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
    await button(words.conversation.older).click()
    await expect.poll(() => list.elements().length).toBe(51)
    expect(client.inputs('operations.history.userEvents').at(-1)?.call).toEqual({
      accid: 'mei',
      limit: 50,
      reverse: 2,
      endtime: 1_000_000 + 51 * 60_000 - 1,
    })
    expect(button(words.conversation.older).query()).toBeNull()
  })
})
