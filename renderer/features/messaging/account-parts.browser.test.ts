import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted, type MountOptions } from '../../testing/mounted.ts'
import { quietMessaging } from '../../testing/messaging-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { consoleWords } from '../console/words.ts'
import { messagingWords } from './words.ts'
import AccountCard from './account-card.vue'
import AccountFriends from './account-friends.vue'
import AccountLists from './account-lists.vue'

const en = spoken(frameWords, 'en')
const consoleEn = spoken(consoleWords, 'en')
const messagingEn = spoken(messagingWords, 'en')

const { messaging: words } = messagingEn
const props = { accid: 'ana' }
const button = (name: string) => page.getByRole('button', { name, exact: true })
const field = (name: string) => page.getByRole('textbox', { name, exact: true })
const dialog = () => page.getByRole('dialog')
const accidFault = '1 to 32 letters, digits or _ @ . -'
const refused = () => {
  throw failed({ kind: 'code', code: 403 })
}

describe('the card of an account', () => {
  const card = { valid: true, accid: 'ana', name: 'Ana', sign: 'On air', gender: 2, email: 'ana@example.com' }
  const show = (options: MountOptions = {}) =>
    mounted(AccountCard, {
      props,
      ...options,
      answers: {
        'operations.accounts.getUinfos': () => ({ uinfos: [card] }),
        'operations.accounts.updateUinfo': () => ({}),
        ...options.answers,
      },
    })

  it('shows what is stored, and cannot be saved unchanged', async () => {
    const { client } = await show()
    await expect.element(field(words.card.name)).toHaveValue('Ana')
    await expect.element(field(words.card.email)).toHaveValue('ana@example.com')
    await expect.element(page.getByRole('radio', { name: words.card.genders.female, exact: true })).toBeChecked()
    await expect.element(button(words.card.save)).toHaveAttribute('aria-disabled', 'true')
    await button(words.card.save).click({ force: true })
    expect(client.inputs('operations.accounts.updateUinfo')).toEqual([])
  })

  it('sends only what was changed, and says that it is saved', async () => {
    const { client } = await show()
    await field(words.card.name).fill('Ana Host')
    await page.getByRole('radio', { name: words.card.genders.unknown, exact: true }).click()
    client.answer({ 'operations.accounts.getUinfos': () => ({ uinfos: [{ ...card, name: 'Ana Host', gender: 0 }] }) })
    await button(words.card.save).click()
    await expect.element(page.getByRole('status')).toHaveTextContent(words.card.saved)
    expect(client.inputs('operations.accounts.updateUinfo')).toEqual([
      { profileId: 'local', call: { accid: 'ana', name: 'Ana Host', gender: 0 } },
    ])
  })

  it('empties a text in a call of its own', async () => {
    const { client } = await show()
    await field(words.card.sign).fill('')
    await field(words.card.name).fill('Anna')
    await userEvent.keyboard('{Enter}')
    await expect
      .poll(() => client.inputs('operations.accounts.updateUinfo').map(({ call }) => call))
      .toEqual([
        { accid: 'ana', name: 'Anna' },
        { accid: 'ana', sign: '' },
      ])
  })

  it('does not save what the service cannot empty or does not take', async () => {
    const { client } = await show()
    await field(words.card.name).fill('')
    await expect.element(page.getByText(words.card.keeps)).toBeVisible()
    await field(words.card.name).fill('Ana')
    await field(words.card.email).fill('nowhere')
    await expect.element(page.getByText(consoleEn.console.fault.shape)).toBeVisible()
    await button(words.card.save).click({ force: true })
    expect(client.inputs('operations.accounts.updateUinfo')).toEqual([])
  })

  it('keeps what was entered, and says why it was refused', async () => {
    await show({ answers: { 'operations.accounts.updateUinfo': refused } })
    await field(words.card.name).fill('Anna')
    await button(words.card.save).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent('This account may not do that.')
    await expect.element(field(words.card.name)).toHaveValue('Anna')
  })

  it('is not said to be saved any more once something is typed', async () => {
    const { client, pass } = await show()
    // An event is not heard by what was shown in the same millisecond.
    await pass(1)
    client.answer({
      'operations.accounts.updateUinfo': () => ({}),
      'operations.accounts.getUinfos': () => ({ uinfos: [{ ...card, name: 'Anna' }] }),
    })
    await field(words.card.name).fill('Anna')
    await button(words.card.save).click()
    await expect.element(page.getByRole('status')).toHaveTextContent(words.card.saved)
    await field(words.card.name).fill('Ann')
    await expect.element(page.getByRole('status')).not.toBeInTheDocument()
    await field(words.card.name).fill('Anna')
    expect(page.getByRole('status').query()).toBeNull()
  })

  it('is empty, of no known gender, for an account without one', async () => {
    await show({ answers: { 'operations.accounts.getUinfos': () => ({ uinfos: [{ valid: true, accid: 'ana' }] }) } })
    await expect.element(field(words.card.name)).toHaveValue('')
    await expect.element(page.getByRole('radio', { name: words.card.genders.unknown, exact: true })).toBeChecked()
  })

  it('is read again on request where that failed', async () => {
    const { client } = await show({ answers: { 'operations.accounts.getUinfos': refused } })
    await expect.element(page.getByRole('alert')).toBeVisible()
    expect(field(words.card.name).query()).toBeNull()
    client.answer({ 'operations.accounts.getUinfos': () => ({ uinfos: [card] }) })
    await button(en.word.retry).click()
    await expect.element(field(words.card.name)).toHaveValue('Ana')
  })
})

describe('the friends of an account', () => {
  const friends = [
    { faccid: 'mei', createtime: began, bidirection: true, alias: 'Mei <b>' },
    { faccid: 'tom', createtime: began, bidirection: true },
  ]
  const show = (options: MountOptions = {}) =>
    mounted(AccountFriends, {
      props,
      ...options,
      answers: {
        'operations.friends.get': () => ({ size: friends.length, friends }),
        'operations.friends.add': () => ({}),
        'operations.friends.update': () => ({}),
        'operations.friends.remove': () => ({}),
        ...options.answers,
      },
    })
  const row = (name: string) => page.getByRole('list').getByRole('listitem').filter({ hasText: name })
  const item = async (name: string, what: string): Promise<void> => {
    await button(`Actions for ${name}`).click()
    await page.getByRole('menuitem', { name: what, exact: true }).click()
  }

  it('are listed with their alias, as text', async () => {
    await show()
    await expect.element(row('mei')).toMatchTextContent('Mei <b>')
    await expect.element(row('tom')).toBeVisible()
  })

  it('are asked for with a text, or made at once', async () => {
    const { client } = await show()
    await field(words.friends.other).fill('Lee_88')
    await field(words.friends.msg).fill(' hello ')
    await button(words.friends.do[2]).click()
    await expect.element(page.getByRole('status')).toHaveTextContent('lee_88 was asked.')
    await expect.element(field(words.friends.other)).toHaveValue('')
    await page.getByRole('radio', { name: words.friends.type[1], exact: true }).click()
    await field(words.friends.other).fill('night')
    await userEvent.keyboard('{Enter}')
    await expect
      .poll(() => client.inputs('operations.friends.add'))
      .toEqual([
        { profileId: 'local', call: { accid: 'ana', faccid: 'lee_88', type: 2, msg: 'hello' } },
        { profileId: 'local', call: { accid: 'ana', faccid: 'night', type: 1 } },
      ])
  })

  it('are not asked for by a name that is none', async () => {
    const { client } = await show()
    await field(words.friends.other).fill('two words')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText(accidFault)).toBeVisible()
    expect(client.inputs('operations.friends.add')).toEqual([])
  })

  it('get an alias, which may be empty again', async () => {
    const { client } = await show()
    await item('mei', words.friends.alias)
    const alias = dialog().getByRole('textbox', { name: words.friends.aliasLabel })
    await expect.element(alias).toHaveValue('Mei <b>')
    await alias.fill('')
    await userEvent.keyboard('{Enter}')
    await expect
      .poll(() => client.inputs('operations.friends.update'))
      .toEqual([{ profileId: 'local', call: { accid: 'ana', faccid: 'mei', alias: '' } }])
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it('end only after a question', async () => {
    const { client } = await show()
    await item('tom', words.friends.end)
    await expect.element(dialog()).toMatchTextContent(words.friends.endBody)
    expect(client.inputs('operations.friends.remove')).toEqual([])
    await dialog().getByRole('button', { name: words.friends.endDo }).click()
    await expect
      .poll(() => client.inputs('operations.friends.remove'))
      .toEqual([{ profileId: 'local', call: { accid: 'ana', faccid: 'tom' } }])
  })

  it('say at its place why something failed, and not in the next dialog', async () => {
    await show({ answers: { 'operations.friends.add': refused } })
    await field(words.friends.other).fill('lee')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('alert')).toMatchTextContent('This account may not do that.')
    await item('mei', words.friends.alias)
    await expect.element(dialog()).toBeVisible()
    expect(dialog().getByRole('alert').query()).toBeNull()
    await userEvent.keyboard('{Escape}')
    await item('mei', words.friends.end)
    await expect.element(dialog()).toMatchTextContent(words.friends.endBody)
    expect(dialog().getByRole('alert').query()).toBeNull()
  })

  it('are listed twenty at a time, with the day they became friends', async () => {
    const many = Array.from({ length: 21 }, (_, index) => ({
      faccid: `f${String(index).padStart(2, '0')}`,
      createtime: began,
      bidirection: true,
    }))
    await show({ answers: { 'operations.friends.get': () => ({ size: many.length, friends: many }) } })
    await expect.poll(() => page.getByRole('list').getByRole('listitem').elements().length).toBe(20)
    await expect.element(row('f00')).toMatchTextContent('2026')
    await button('Next page').click()
    await expect.element(row('f20')).toBeVisible()
  })

  it('are read again after each change, and say what was done until the next request', async () => {
    const { client } = await show()
    await field(words.friends.other).fill('lee')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('status')).toHaveTextContent('lee was asked.')
    await expect.poll(() => client.inputs('operations.friends.get').length).toBe(2)
    client.answer({ 'operations.friends.add': refused })
    await field(words.friends.other).fill('tom')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('alert')).toBeVisible()
    expect(page.getByRole('status').query()).toBeNull()
    await expect.element(field(words.friends.other)).toHaveValue('tom')
  })

  it('take a text along for all but at once', async () => {
    await show()
    for (const type of [2, 3, 4] as const) {
      await page.getByRole('radio', { name: words.friends.type[type], exact: true }).click()
      await expect.element(field(words.friends.msg)).toBeVisible()
      await expect.element(button(words.friends.do[type])).toBeVisible()
    }
    await page.getByRole('radio', { name: words.friends.type[1], exact: true }).click()
    await expect.element(field(words.friends.msg)).not.toBeInTheDocument()
  })

  it('stay when the question is cancelled, and when it is refused, which is said in it', async () => {
    const { client } = await show({ answers: { 'operations.friends.remove': refused } })
    await item('tom', words.friends.end)
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('operations.friends.remove')).toEqual([])
    await item('tom', words.friends.end)
    await dialog().getByRole('button', { name: words.friends.endDo }).click()
    await expect.element(dialog().getByRole('alert')).toMatchTextContent('This account may not do that.')
    await userEvent.keyboard('{Escape}')
    await expect.element(row('tom')).toBeVisible()
  })

  it('are read again on request where that failed', async () => {
    const { client } = await show({ answers: { 'operations.friends.get': refused } })
    await expect.element(page.getByRole('alert')).toBeVisible()
    client.answer({ 'operations.friends.get': () => ({ size: friends.length, friends }) })
    await button(en.word.retry).click()
    await expect.element(row('tom')).toBeVisible()
  })

  it('say that there is none', async () => {
    await show({ answers: { 'operations.friends.get': () => ({ size: 0, friends: [] }) } })
    await expect.element(page.getByText(words.friends.none)).toBeVisible()
  })
})

describe('blacklist and mute list', () => {
  const show = (options: MountOptions = {}) =>
    mounted(AccountLists, {
      props,
      ...options,
      answers: {
        ...quietMessaging,
        'operations.relations.list': () => ({ blacklist: ['lee'], mutelist: [] }),
        'operations.relations.set': () => ({}),
        ...options.answers,
      },
    })
  const part = (name: string) => page.getByRole('region', { name, exact: true })

  it('say who is on each, and that nobody is', async () => {
    await show()
    await expect.element(part(words.lists.blacklist)).toMatchTextContent('lee')
    await expect.element(part(words.lists.mutelist)).toMatchTextContent(words.lists.none)
  })

  it.each([
    ['blacklist', 1],
    ['mutelist', 2],
  ] as const)('take somebody on: %s', async (kind, relationType) => {
    const { client } = await show()
    await part(words.lists[kind]).getByRole('textbox').fill(' Tom ')
    await part(words.lists[kind]).getByRole('button', { name: words.lists.add, exact: true }).click()
    await expect
      .poll(() => client.inputs('operations.relations.set'))
      .toEqual([{ profileId: 'local', call: { accid: 'ana', targetAcc: 'tom', relationType, value: 1 } }])
    await expect.element(part(words.lists[kind]).getByRole('textbox')).toHaveValue('')
  })

  it('take somebody off', async () => {
    const { client } = await show()
    client.answer({ 'operations.relations.list': () => ({ blacklist: [], mutelist: [] }) })
    await button('Take off lee').click()
    await expect.element(part(words.lists.blacklist)).toMatchTextContent(words.lists.none)
    expect(client.inputs('operations.relations.set')).toEqual([
      { profileId: 'local', call: { accid: 'ana', targetAcc: 'lee', relationType: 1, value: 0 } },
    ])
  })

  it('take nobody by a name that is none, and say so at that list only', async () => {
    const { client } = await show()
    await part(words.lists.mutelist).getByRole('textbox').fill('two words')
    await userEvent.keyboard('{Enter}')
    await expect.element(part(words.lists.mutelist)).toMatchTextContent(accidFault)
    await expect.element(part(words.lists.blacklist)).not.toMatchTextContent(accidFault)
    expect(client.inputs('operations.relations.set')).toEqual([])
  })

  it('keep what was entered, and say why it was refused', async () => {
    await show({ answers: { 'operations.relations.set': refused } })
    await part(words.lists.blacklist).getByRole('textbox').fill('tom')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('alert')).toMatchTextContent('This account may not do that.')
    await expect.element(part(words.lists.blacklist).getByRole('textbox')).toHaveValue('tom')
  })

  it('are read again on request where that failed', async () => {
    const { client } = await show({ answers: { 'operations.relations.list': refused } })
    await expect.element(page.getByRole('alert')).toBeVisible()
    client.answer({ 'operations.relations.list': () => ({ blacklist: ['lee'], mutelist: [] }) })
    await button(en.word.retry).click()
    await expect.element(part(words.lists.blacklist)).toMatchTextContent('lee')
  })
})
