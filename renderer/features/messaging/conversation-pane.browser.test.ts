import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, type Component } from 'vue'
import type { LinkPush } from '../../../contract/link/frames.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted, service, type MountOptions } from '../../testing/mounted.ts'
import { actingAs, message, pushed, quietMessaging, rows, sessionEvent } from '../../testing/messaging-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { messagingWords } from './words.ts'
import type { Peer } from './conversation.ts'
import ConversationPane from './conversation-pane.vue'

const en = spoken(frameWords, 'en')
const messagingEn = spoken(messagingWords, 'en')
const messagingZh = spoken(messagingWords, 'zh')

const { messaging: words } = messagingEn

interface Shown extends MountOptions {
  readonly lines?: readonly LinkPush<'message'>[]
  readonly more?: boolean
  readonly peer?: Peer
}
/** The conversation of ana with mei, over the link. */
const show = ({ lines = [], more = false, peer = { scene: 'p2p', with: 'mei' }, ...options }: Shown = {}) => {
  const part: Component = {
    render: () =>
      h('div', { style: 'display: flex; width: 700px; height: 600px; align-items: stretch' }, [
        h(ConversationPane, { peer, style: 'flex: 1; min-height: 0' }),
      ]),
  }
  return mounted(part, {
    events: [sessionEvent()],
    before: actingAs(),
    ...options,
    answers: {
      ...quietMessaging,
      'messaging.link.history': () => ({ events: rows(lines), more }),
      ...options.answers,
    },
  })
}
const log = () => page.getByRole('log')
const button = (name: string | RegExp) => page.getByRole('button', { name })
const dialog = () => page.getByRole('dialog')
const mine = (seq: number, msg: string, change: Partial<LinkPush<'message'>> = {}) =>
  message(seq, msg, { from: 'ana', to: 'mei', ...change })

describe('a conversation', () => {
  it('reads its newest lines and shows who wrote what, in their order', async () => {
    const { client } = await show({
      lines: [message(1, 'when do we begin?'), mine(2, 'at nine')],
      answers: {
        'operations.accounts.getUinfos': () => ({ uinfos: [{ valid: true, accid: 'mei', name: 'Mei' }] }),
      },
    })
    await expect.element(log()).toMatchTextContent(/Mei.*when do we begin\?.*ana \(you\).*at nine/)
    await expect
      .element(page.getByRole('region', { name: words.conversation.with.replace('{name}', 'Mei') }))
      .toBeVisible()
    expect(client.inputs('messaging.link.history')).toEqual([
      { profileId: 'local', accid: 'ana', call: { scene: 'p2p', with: 'mei', limit: 50 } },
    ])
  })

  it('says that there are no messages yet', async () => {
    await show()
    await expect.element(log()).toHaveTextContent(words.conversation.none)
  })

  it('shows a message as it comes, and marks it read', async () => {
    const { tell, client } = await show({ lines: [message(1, 'first')] })
    await tell(pushed(message(2, 'second')))
    await expect.element(log()).toMatchTextContent(/first.*second/)
    await expect
      .poll(() => client.inputs('messaging.link.read').at(-1)?.call)
      .toEqual({
        scene: 'p2p',
        with: 'mei',
        upTo: 2,
      })
  })

  it('shows nothing of another conversation', async () => {
    const { tell } = await show({ lines: [message(1, 'first')] })
    await tell(pushed(message(2, 'elsewhere', { from: 'lee' })))
    await tell(pushed(message(3, 'third')))
    await expect.element(log()).toMatchTextContent('third')
    await expect.element(log()).not.toMatchTextContent('elsewhere')
  })

  it('stays at the lines that are read, says how many came, and leads to them', async () => {
    const { tell, client } = await show({
      lines: Array.from({ length: 60 }, (_, index) => message(index + 1, `l${index}`)),
    })
    const box = log().element()
    await expect.poll(() => box.scrollTop).toBeGreaterThan(100)
    box.scrollTop = 0
    await expect.poll(() => box.scrollTop).toBe(0)
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    await tell(pushed(message(61, 'came later')))
    await expect.element(button('1 new line')).toBeVisible()
    expect(box.scrollTop).toBe(0)
    expect(client.inputs('messaging.link.read').some(({ call }) => call.upTo === 61)).toBe(false)
    await button('1 new line').click()
    await expect.element(page.getByText('came later')).toBeInViewport()
    await expect.element(button('1 new line')).not.toBeInTheDocument()
  })

  it('reads older lines before the oldest on request, up to the beginning', async () => {
    const { client } = await show({ lines: [message(11, 'newer')], more: true })
    client.answer({ 'messaging.link.history': () => ({ events: rows([message(10, 'older one')]), more: false }) })
    await button(words.conversation.older).click()
    await expect.element(log()).toMatchTextContent(/older one.*newer/)
    expect(client.inputs('messaging.link.history').at(-1)?.call).toEqual({
      scene: 'p2p',
      with: 'mei',
      limit: 50,
      before: 11,
    })
    await expect.element(log()).toMatchTextContent(words.conversation.begin)
    expect(button(words.conversation.older).query()).toBeNull()
  })

  it('says why it could not be read, and reads again on request', async () => {
    const { client } = await show({
      answers: {
        'messaging.link.history': () => {
          throw failed({ kind: 'code', code: 403 })
        },
      },
    })
    await expect.element(page.getByRole('alert')).toMatchTextContent('This account may not do that.')
    client.answer({ 'messaging.link.history': () => ({ events: rows([message(1, 'there')]), more: false }) })
    await button(en.word.retry).click()
    await expect.element(log()).toMatchTextContent('there')
    expect(page.getByRole('alert').query()).toBeNull()
  })

  it('says that the link is not open, and reads what came meanwhile when it is back', async () => {
    const { tell, client } = await show({ events: [sessionEvent('ana', { phase: 'waiting' })] })
    await expect.element(page.getByText(words.conversation.waiting)).toBeVisible()
    expect(client.inputs('messaging.link.history')).toEqual([])
    client.answer({ 'messaging.link.history': () => ({ events: rows([message(1, 'meanwhile')]), more: false }) })
    await tell(sessionEvent())
    await expect.element(log()).toMatchTextContent('meanwhile')
    await expect.element(page.getByText(words.conversation.waiting)).not.toBeInTheDocument()
  })

  it('reads nothing while the service is down, and reads again when it is back', async () => {
    const { tell, client } = await show({ events: [sessionEvent(), service('restarting')] })
    expect(client.inputs('messaging.link.history')).toEqual([])
    await tell(service('running'))
    await expect.poll(() => client.inputs('messaging.link.history').length).toBe(1)
  })

  it('goes through the API without a session, and says so', async () => {
    const { client } = await show({
      events: [],
      answers: {
        'operations.history.session': () => ({
          size: 1,
          msgs: [{ msgid: 1, sendtime: began, type: 0, from: 'mei', body: { msg: 'by API' } }],
        }),
      },
    })
    await expect.element(page.getByText(words.conversation.byApi.replace('{name}', 'ana'))).toBeVisible()
    await expect.element(log()).toMatchTextContent('by API')
    expect(client.inputs('operations.history.session')).toEqual([
      { profileId: 'local', call: { from: 'ana', to: 'mei', limit: 100, reverse: 2 } },
    ])
    expect(client.inputs('messaging.link.history')).toEqual([])
  })

  it('leads from a conversation of a team to the team', async () => {
    const { router } = await show({ peer: { scene: 'team', with: '3001' } })
    await page.getByRole('link', { name: words.conversation.team }).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/messaging/teams/3001')
  })
})

describe('a line', () => {
  it('shows what people wrote as text', async () => {
    await show({
      lines: [
        message(1, '<img src=x onerror="document.title=1"> <b>bold</b>'),
        message(2, '', { type: 100, body: JSON.stringify({ html: '<script>1</script>' }) }),
        message(3, '', {
          type: 6,
          body: JSON.stringify({ name: '<i>file</i>.txt', url: 'javascript:alert(1)', size: 1 }),
        }),
      ],
    })
    await expect.element(log()).toMatchTextContent('<b>bold</b>')
    await expect.element(log()).toMatchTextContent('<script>1</script>')
    await expect.element(log()).toMatchTextContent('<i>file</i>.txt')
    expect(log().element().querySelector('img, b, i[src], script')).toBeNull()
    expect(button(/^Open/).query()).toBeNull()
  })

  it('says what a team was told, who sent by the API, and what cannot be shown', async () => {
    await show({
      peer: { scene: 'team', with: '3001' },
      lines: [
        message(1, '', {
          scene: 'team',
          to: '3001',
          type: 5,
          from: 'ana',
          body: JSON.stringify({ ope: 0, accids: ['tom', 'lee'] }),
        }),
        message(2, 'checked', { scene: 'team', to: '3001', fromClientType: 'REST' }),
        message(3, '', { scene: 'team', to: '3001', type: 77, body: '{}' }),
        message(4, '', {
          scene: 'team',
          to: '3001',
          type: 4,
          body: JSON.stringify({ title: 'Pier', lat: 31.2, lng: 121.5 }),
        }),
      ],
    })
    await expect
      .element(log())
      .toMatchTextContent(/ana took in tom, lee\..*checkedAPI.*cannot be shown here.*Pier 31\.2, 121\.5/)
  })

  it('opens the address of a file only after a question that has it', async () => {
    const { client } = await show({
      about: { shell: 'electron' },
      lines: [
        message(1, '', {
          type: 6,
          body: JSON.stringify({ name: 'a.txt', url: 'http://127.0.0.1:8711/file/a', size: 12_400 }),
        }),
      ],
      answers: { 'app.openLink': () => undefined },
    })
    await button('Open a.txt…').click()
    await expect.element(dialog()).toMatchTextContent('http://127.0.0.1:8711/file/a')
    expect(client.inputs('app.openLink')).toEqual([])
    await dialog().getByRole('button', { name: words.file.action, exact: true }).click()
    await expect.poll(() => client.inputs('app.openLink')).toEqual([{ url: 'http://127.0.0.1:8711/file/a' }])
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it('says why a file could not be opened, and no more so of the next one', async () => {
    await show({
      about: { shell: 'electron' },
      lines: ['a', 'b'].map((name, index) =>
        message(index + 1, '', {
          type: 6,
          body: JSON.stringify({ name, url: `http://127.0.0.1:8711/file/${name}`, size: 1 }),
        }),
      ),
      answers: {
        'app.openLink': () => {
          throw failed()
        },
      },
    })
    await button('Open a…').click()
    await dialog().getByRole('button', { name: words.file.action, exact: true }).click()
    await expect.element(dialog().getByRole('alert')).toBeVisible()
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    await button('Open b…').click()
    await expect.element(dialog()).toMatchTextContent('http://127.0.0.1:8711/file/b')
    expect(dialog().getByRole('alert').query()).toBeNull()
  })
})

describe('recalling', () => {
  it('is offered for own lines only, and not for recalled ones', async () => {
    await show({ lines: [message(1, 'theirs'), mine(2, 'mine'), mine(3, '', { body: '', recalled: true })] })
    await expect.element(log()).toMatchTextContent(words.line.recalled)
    expect(button(/^Recall/).elements()).toHaveLength(1)
    await expect.element(button('Recall “mine”…')).toBeInTheDocument()
  })

  it('asks first, says how long is left, and recalls that line', async () => {
    const { client } = await show({
      lines: [mine(7, 'wrong window', { at: began - 20_000 })],
      answers: { 'messaging.link.recall': () => ({}) },
    })
    await button('Recall “wrong window”…').click()
    await expect.element(dialog()).toMatchTextContent('100 s are left')
    expect(client.inputs('messaging.link.recall')).toEqual([])
    await dialog().getByRole('button', { name: words.recall.action }).click()
    await expect
      .poll(() => client.inputs('messaging.link.recall'))
      .toEqual([
        {
          profileId: 'local',
          accid: 'ana',
          call: { scene: 'p2p', to: 'mei', msgid: 7, timetag: began - 20_000 },
        },
      ])
    await expect.element(log()).toMatchTextContent(words.line.recalled)
    await expect.element(log()).not.toMatchTextContent('wrong window')
  })

  it('leaves the line when it is cancelled', async () => {
    const { client } = await show({ lines: [mine(7, 'stays')] })
    await button('Recall “stays”…').click()
    await expect.element(dialog()).toMatchTextContent(words.recall.late)
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('messaging.link.recall')).toEqual([])
    await expect.element(log()).toMatchTextContent('stays')
  })

  it('says why it was refused, and keeps the line', async () => {
    await show({
      lines: [mine(7, 'stays')],
      answers: {
        'messaging.link.recall': () => {
          throw failed({ kind: 'code', code: 403 })
        },
      },
    })
    await button('Recall “stays”…').click()
    await dialog().getByRole('button', { name: words.recall.action }).click()
    await expect.element(dialog().getByRole('alert')).toMatchTextContent('This account may not do that.')
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(log()).toMatchTextContent('stays')
  })

  it('says of a hosted service that its host sets the time for it', async () => {
    await show({
      profile: 'hosted-1',
      events: [],
      answers: {
        'operations.history.session': () => ({
          size: 1,
          msgs: [{ msgid: 7, sendtime: began - 1_000, type: 0, from: 'ana', body: { msg: 'mine' } }],
        }),
      },
    })
    await button('Recall “mine”…').click()
    await expect.element(dialog()).toMatchTextContent(words.recall.hosted)
  })

  it('follows what somebody else recalled', async () => {
    const { tell } = await show({ lines: [message(1, 'oops')] })
    await tell(pushed({ t: 'recall', at: began, scene: 'p2p', from: 'mei', to: 'ana', msgid: 1, timetag: began }))
    await expect.element(log()).toMatchTextContent(words.line.recalled)
    await expect.element(log()).not.toMatchTextContent('oops')
  })
})

describe('messages of a time', () => {
  it('are read out of the history, shown in place of the newest, and left again', async () => {
    const { client } = await show({
      lines: [message(50, 'newest')],
      answers: {
        'operations.history.session': () => ({
          size: 1,
          msgs: [{ msgid: 1, sendtime: began - 9e8, type: 0, from: 'mei', body: { msg: 'long ago' } }],
        }),
      },
    })
    await button(words.window.open).click()
    await dialog().getByLabelText(words.window.begin).fill('2026-11-01T10:00')
    await dialog().getByLabelText(words.window.end).fill('2026-11-02T10:00')
    await dialog().getByRole('button', { name: words.window.show }).click()
    await expect.element(log()).toMatchTextContent('long ago')
    await expect.element(log()).not.toMatchTextContent('newest')
    await expect.element(page.getByText('1 message of the chosen time')).toBeVisible()
    expect(client.inputs('operations.history.session')).toEqual([
      {
        profileId: 'local',
        call: {
          from: 'ana',
          to: 'mei',
          begintime: Date.parse('2026-11-01T10:00'),
          endtime: Date.parse('2026-11-02T10:00') + 59_999,
          limit: 100,
          reverse: 2,
        },
      },
    ])
    await button(words.window.back).click()
    await expect.element(log()).toMatchTextContent('newest')
    await expect.element(log()).not.toMatchTextContent('long ago')
  })

  it('are left when the newest are read again on request', async () => {
    await show({ lines: [message(50, 'newest')] })
    await button(words.window.open).click()
    await dialog().getByRole('button', { name: words.window.show }).click()
    await expect.element(log()).toHaveTextContent(words.window.none)
    await button(words.conversation.refresh).click()
    await expect.element(log()).toMatchTextContent('newest')
    expect(page.getByText(words.window.back).query()).toBeNull()
  })

  it('are first those of the last day, and say in the question why they could not be read', async () => {
    await show({
      answers: {
        'operations.history.session': () => {
          throw failed({ kind: 'code', code: 403 })
        },
      },
    })
    await button(words.window.open).click()
    const timeOf = (name: string) => Date.parse((dialog().getByLabelText(name).element() as HTMLInputElement).value)
    expect([timeOf(words.window.begin), timeOf(words.window.end)]).toEqual([began - 86_400_000, began])
    await dialog().getByRole('button', { name: words.window.show }).click()
    await expect.element(dialog().getByRole('alert')).toMatchTextContent('This account may not do that.')
    await dialog().getByLabelText(words.window.begin).fill('')
    await expect.element(dialog().getByText(words.window.needed)).toBeVisible()
  })

  it('are not asked for where the end is before the beginning', async () => {
    const { client } = await show()
    await button(words.window.open).click()
    await dialog().getByLabelText(words.window.begin).fill('2026-11-02T10:00')
    await dialog().getByLabelText(words.window.end).fill('2026-11-01T10:00')
    await expect.element(dialog().getByText(words.window.order)).toBeVisible()
    await dialog().getByRole('button', { name: words.window.show }).click({ force: true })
    expect(client.inputs('operations.history.session')).toEqual([])
  })

  it('speaks Chinese', async () => {
    await show({ language: 'zh' })
    const zh = messagingZh.messaging
    await expect.element(log()).toHaveTextContent(zh.conversation.none)
    await expect.element(button(zh.window.open)).toBeVisible()
  })
})
