import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { failed } from '../../testing/memory-client.ts'
import { mounted, service, type MountOptions } from '../../testing/mounted.ts'
import { actingAs, quietMessaging, sessionEvent } from '../../testing/messaging-values.ts'
import ConversationComposer from './conversation-composer.vue'
import { spoken } from '../../format/languages.ts'
import { messagingWords } from './words.ts'

const messagingEn = spoken(messagingWords, 'en')
const messagingZh = spoken(messagingWords, 'zh')

const words = messagingEn.messaging.composer
const sent = { msgid: 9, timetag: 1, antispam: false }

/** The composer of a conversation of ana with mei, over the link. */
const show = (options: MountOptions = {}) =>
  mounted(ConversationComposer, {
    props: { peer: { scene: 'p2p', with: 'mei' }, name: 'Mei' },
    events: [sessionEvent()],
    before: actingAs(),
    ...options,
    answers: { ...quietMessaging, 'messaging.link.send': () => sent, ...options.answers },
  })
const field = () => page.getByRole('textbox', { name: words.label.replace('{name}', 'Mei') })
const send = () => page.getByRole('button', { name: words.send, exact: true })
const attach = async (file: File): Promise<void> => {
  await userEvent.upload(page.getByLabelText(words.file, { exact: true }), file)
}

describe('the composer of a conversation', () => {
  it('sends with Enter over the link, empties the field and keeps the focus', async () => {
    const { client } = await show()
    await field().fill('good evening')
    await userEvent.keyboard('{Enter}')
    await expect
      .poll(() => client.inputs('messaging.link.send'))
      .toEqual([
        {
          profileId: 'local',
          accid: 'ana',
          call: {
            scene: 'p2p',
            to: 'mei',
            type: 0,
            body: JSON.stringify({ msg: 'good evening' }),
            clientId: expect.any(String),
          },
        },
      ])
    await expect.element(field()).toHaveValue('')
    await expect.element(field()).toHaveFocus()
  })

  it('sends through the API where the account is not signed in', async () => {
    const { client } = await show({
      events: [],
      answers: { 'operations.messages.send': () => ({ data: sent }) },
    })
    await field().fill('hello')
    await send().click()
    await expect
      .poll(() => client.inputs('operations.messages.send'))
      .toEqual([
        {
          profileId: 'local',
          call: { from: 'ana', ope: 0, to: 'mei', type: 0, body: JSON.stringify({ msg: 'hello' }) },
        },
      ])
    expect(client.inputs('messaging.link.send')).toEqual([])
  })

  it('begins a line with Shift and Enter, and sends nothing then', async () => {
    const { client } = await show()
    await field().fill('one')
    await userEvent.keyboard('{End}{Shift>}{Enter}{/Shift}two')
    await expect.element(field()).toHaveValue('one\ntwo')
    expect(client.inputs('messaging.link.send')).toEqual([])
  })

  it('sends nothing for the Enter that takes a candidate of an input method', async () => {
    const { client } = await show()
    await field().fill('ni')
    field()
      .element()
      .dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, isComposing: true }))
    await expect.element(field()).toHaveValue('ni')
    expect(client.inputs('messaging.link.send')).toEqual([])
  })

  it('sends neither nothing nor white space', async () => {
    const { client } = await show()
    await expect.element(send()).toHaveAttribute('aria-disabled', 'true')
    await field().fill('   ')
    await userEvent.keyboard('{Enter}')
    await send().click({ force: true })
    expect(client.inputs('messaging.link.send')).toEqual([])
  })

  it('sends once while it is under way, and keeps what is typed meanwhile', async () => {
    let release = (): void => undefined
    const { client } = await show({
      answers: { 'messaging.link.send': () => new Promise((resolve) => (release = () => resolve(sent))) },
    })
    await field().fill('first')
    await userEvent.keyboard('{Enter}')
    await userEvent.keyboard('{Enter}')
    await field().fill('second')
    await userEvent.keyboard('{Enter}')
    release()
    await expect.element(send()).not.toHaveAttribute('aria-disabled', 'true')
    expect(client.inputs('messaging.link.send').map(({ call }) => call.body)).toEqual([
      JSON.stringify({ msg: 'first' }),
    ])
    await expect.element(field()).toHaveValue('second')
  })

  it('keeps what was not sent, says why, and sends it again as the same message', async () => {
    const { client } = await show({
      answers: {
        'messaging.link.send': () => {
          throw failed({ kind: 'code', code: 403 })
        },
      },
    })
    await field().fill('again')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('alert')).toMatchTextContent(`${words.notSent} This account may not do that.`)
    await expect.element(field()).toHaveValue('again')
    client.answer({ 'messaging.link.send': () => sent })
    await userEvent.keyboard('{Enter}')
    await expect.element(field()).toHaveValue('')
    const [first, second] = client.inputs('messaging.link.send').map(({ call }) => call.clientId)
    expect(second).toBe(first)
    expect(page.getByRole('alert').query()).toBeNull()
  })

  it('gives each message an id of its own', async () => {
    const { client } = await show()
    for (const text of ['same', 'same']) {
      await field().fill(text)
      await userEvent.keyboard('{Enter}')
      await expect.element(field()).toHaveValue('')
    }
    const ids = client.inputs('messaging.link.send').map(({ call }) => call.clientId)
    expect(new Set(ids).size).toBe(2)
  })

  it('says that the word list kept the message back', async () => {
    await show({ answers: { 'messaging.link.send': () => ({ ...sent, antispam: true }) } })
    await field().fill('jackpot')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText(words.held)).toBeVisible()
  })

  it('does not send a message that is too long, and says so', async () => {
    const { client } = await show()
    await field().fill('x'.repeat(5_000))
    await expect.element(page.getByText(words.long)).toBeVisible()
    await userEvent.keyboard('{Enter}')
    await send().click({ force: true })
    expect(client.inputs('messaging.link.send')).toEqual([])
  })

  it('sends a message that just fits, and marks its field from one character more on', async () => {
    const { client } = await show()
    // As it is sent, with the signs around it, a message has 5,000 characters at most.
    const most = 'x'.repeat(5_000 - JSON.stringify({ msg: '' }).length)
    await field().fill(`${most}x`)
    await expect.element(field()).toHaveAttribute('aria-invalid', 'true')
    await field().fill(most)
    await expect.element(field()).toHaveAttribute('aria-invalid', 'false')
    expect(page.getByText(words.long).query()).toBeNull()
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => client.inputs('messaging.link.send').map(({ call }) => call.body.length)).toEqual([5_000])
  })

  it('sends nothing while the service is down, and keeps the text', async () => {
    const { client, tell } = await show()
    await field().fill('later')
    await tell(service('restarting'))
    await expect.element(send()).toHaveAttribute('aria-disabled', 'true')
    await userEvent.keyboard('{Enter}')
    expect(client.inputs('messaging.link.send')).toEqual([])
    await expect.element(field()).toHaveValue('later')
  })

  it('sends nothing while the companion is away', async () => {
    const { client, lose } = await show()
    await field().fill('later')
    await lose()
    await field().click()
    await userEvent.keyboard('{Enter}')
    expect(client.inputs('messaging.link.send')).toEqual([])
  })

  it('uploads a file, sends where it lies, and takes it off the composer', async () => {
    const { client } = await show({ answers: { 'messaging.upload': () => ({ url: 'http://127.0.0.1:8711/files/a' }) } })
    await attach(new File(['songs'], 'songs.txt', { type: 'text/plain' }))
    await expect.element(page.getByText('songs.txt')).toBeVisible()
    await send().click()
    await expect.element(page.getByText('songs.txt')).not.toBeInTheDocument()
    expect(client.inputs('messaging.upload')).toEqual([
      { profileId: 'local', content: btoa('songs'), type: 'text/plain' },
    ])
    expect(client.inputs('messaging.link.send').map(({ call }) => [call.type, JSON.parse(call.body)])).toEqual([
      [6, { name: 'songs.txt', url: 'http://127.0.0.1:8711/files/a', ext: 'txt', size: 5 }],
    ])
  })

  it('sends a picture as one, with its size', async () => {
    const { client } = await show({ answers: { 'messaging.upload': () => ({ url: 'http://127.0.0.1:8711/files/a' }) } })
    const pixel = Uint8Array.from(atob('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='), (each) =>
      each.charCodeAt(0),
    )
    await attach(new File([pixel], 'cat.gif', { type: 'image/gif' }))
    await send().click()
    await expect.poll(() => client.inputs('messaging.link.send').length).toBe(1)
    expect(client.inputs('messaging.link.send').map(({ call }) => [call.type, JSON.parse(call.body)])).toMatchObject([
      [1, { name: 'cat.gif', ext: 'gif', w: 1, h: 1 }],
    ])
  })

  it('keeps a file that is chosen while another one is being sent', async () => {
    let release = (): void => undefined
    const { client } = await show({
      answers: {
        'messaging.upload': () =>
          new Promise((resolve) => (release = () => resolve({ url: 'http://127.0.0.1:8711/a' }))),
      },
    })
    await attach(new File(['one'], 'one.txt', { type: 'text/plain' }))
    await send().click()
    await expect.poll(() => client.inputs('messaging.upload')).toHaveLength(1)
    await attach(new File(['two'], 'two.txt', { type: 'text/plain' }))
    release()
    await expect.poll(() => client.inputs('messaging.link.send')).toHaveLength(1)
    await expect.element(send()).not.toHaveAttribute('aria-disabled', 'true')
    await expect.element(page.getByText('two.txt')).toBeVisible()
  })

  it('takes no empty file', async () => {
    await show()
    await attach(new File([], 'empty.txt'))
    await expect.element(send()).toHaveAttribute('aria-disabled', 'true')
    expect(page.getByText('empty.txt').query()).toBeNull()
  })

  it('says no more that a message was kept back once the next one is sent', async () => {
    const { client } = await show({ answers: { 'messaging.link.send': () => ({ ...sent, antispam: true }) } })
    await field().fill('jackpot')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText(words.held)).toBeVisible()
    client.answer({ ...quietMessaging, 'messaging.link.send': () => sent })
    await field().fill('good evening')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText(words.held)).not.toBeInTheDocument()
  })

  it('takes a file out again, and sends none then', async () => {
    const { client } = await show()
    await attach(new File(['songs'], 'songs.txt', { type: 'text/plain' }))
    await page.getByRole('button', { name: words.takeOut.replace('{name}', 'songs.txt') }).click()
    await field().fill('no file')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => client.inputs('messaging.link.send').length).toBe(1)
    expect(client.inputs('messaging.upload')).toEqual([])
  })

  it('refuses a file that is too large, and says how large it may be', async () => {
    const { client } = await show()
    await attach(new File(['x'.repeat(150_000)], 'large.txt'))
    await expect.element(page.getByRole('status')).toMatchTextContent(/^large\.txt has 150.*At most 149/)
    await send().click({ force: true })
    expect(client.inputs('messaging.upload')).toEqual([])
  })

  it('keeps a file that was not sent, and sends it again as the same message', async () => {
    const { client } = await show({
      answers: {
        'messaging.upload': () => ({ url: 'http://127.0.0.1:8711/files/a' }),
        'messaging.link.send': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await attach(new File(['songs'], 'songs.txt', { type: 'text/plain' }))
    await send().click()
    await expect.element(page.getByRole('alert')).toBeVisible()
    await expect.element(page.getByText('songs.txt')).toBeVisible()
    client.answer({ 'messaging.link.send': () => sent })
    await send().click()
    await expect.element(page.getByText('songs.txt')).not.toBeInTheDocument()
    const [first, second] = client.inputs('messaging.link.send').map(({ call }) => call.clientId)
    expect(second).toBe(first)
  })

  it('gives each file an id of its own, also the same one chosen again', async () => {
    const { client } = await show({ answers: { 'messaging.upload': () => ({ url: 'http://127.0.0.1:8711/files/a' }) } })
    for (let time = 0; time < 2; time++) {
      await attach(new File(['songs'], 'songs.txt', { type: 'text/plain' }))
      await expect.element(page.getByText('songs.txt')).toBeVisible()
      await send().click()
      await expect.element(page.getByText('songs.txt')).not.toBeInTheDocument()
    }
    const ids = client.inputs('messaging.link.send').map(({ call }) => call.clientId)
    expect(new Set(ids).size).toBe(2)
  })

  it('speaks Chinese', async () => {
    await show({ language: 'zh' })
    const zh = messagingZh.messaging.composer
    await expect.element(page.getByRole('button', { name: zh.send, exact: true })).toBeVisible()
    await expect.element(page.getByRole('textbox', { name: zh.label.replace('{name}', 'Mei') })).toBeVisible()
  })
})
