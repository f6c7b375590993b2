import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref, type Component } from 'vue'
import { failureOf, type Failure } from '../../data/failure.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted, type MountOptions } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { channelsWords } from '../channels/words.ts'
import { messagingWords } from './words.ts'
import type { Line, Peer } from './conversation.ts'
import type { ConversationRow } from './conversations.ts'
import ConversationList from './conversation-list.vue'

const channelsEn = spoken(channelsWords, 'en')
const messagingEn = spoken(messagingWords, 'en')
const messagingZh = spoken(messagingWords, 'zh')

const { messaging: words } = messagingEn
const line = (change: Partial<Line> = {}): Line => ({
  id: 1,
  at: began,
  from: 'mei',
  type: 0,
  body: { msg: 'good evening' },
  recalled: false,
  via: 'PC',
  held: false,
  ...change,
})
const row = (scene: Peer['scene'], other: string, change: Partial<ConversationRow> = {}): ConversationRow => ({
  key: `${scene} ${other}`,
  peer: { scene, with: other },
  name: other,
  unread: 0,
  last: null,
  online: null,
  ...change,
})

interface Shown extends MountOptions {
  readonly loaded?: boolean
  readonly busy?: boolean
  readonly failure?: Failure
  readonly chosen?: Peer
}
/** The list with what it tells. */
async function show(rows: readonly ConversationRow[], options: Shown = {}) {
  const told: unknown[] = []
  const chosen = ref<Peer | null>(options.chosen ?? null)
  const part: Component = {
    render: () =>
      h('div', { style: 'display: flex; width: 360px; height: 600px' }, [
        h(ConversationList, {
          rows,
          chosen: chosen.value,
          loaded: options.loaded ?? true,
          busy: options.busy ?? false,
          failure: options.failure ?? null,
          onOpen: (peer: Peer) => told.push(['open', peer]),
          onRefresh: () => told.push(['refresh']),
        }),
      ]),
  }
  return { ...(await mounted(part, options)), told, chosen }
}
const list = () => page.getByRole('navigation', { name: words.conversations.list })
const search = () => list().getByRole('searchbox', { name: words.conversations.search })
const button = (name: string | RegExp) => list().getByRole('button', { name })
const mei = row('p2p', 'mei', { name: 'Mei (sound)', unread: 2, last: line(), online: true })
const crew = row('team', '3001', { name: 'Late night crew' })

describe('the list of conversations', () => {
  it('has name, newest line, time and unread messages of each', async () => {
    await show([mei, crew])
    await expect.element(button(/^Mei/)).toMatchTextContent(/Mei \(sound\)Online16:00.*good evening2/)
    await expect.element(list().getByLabelText('2 unread messages')).toBeVisible()
    await expect.element(button(/^Late night crew/)).not.toMatchTextContent('Online')
    await expect.element(button(/^Late night crew/)).toMatchTextContent('3001')
  })

  it('opens the conversation that is pressed, by mouse and by keyboard', async () => {
    const { told } = await show([mei, crew])
    await button(/^Mei/).click()
    ;(button(/^Late night crew/).element() as HTMLElement).focus()
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual([
      ['open', { scene: 'p2p', with: 'mei' }],
      ['open', { scene: 'team', with: '3001' }],
    ])
  })

  it('marks the one that is open', async () => {
    await show([mei, crew], { chosen: { scene: 'team', with: '3001' } })
    await expect.element(button(/^Late night crew/)).toHaveAttribute('aria-current', 'true')
    await expect.element(button(/^Mei/)).not.toHaveAttribute('aria-current')
  })

  it.each([
    ['recalled', line({ recalled: true, body: {} }), words.line.recalled],
    ['image', line({ type: 1, body: {} }), words.type[1]],
    ['unknown', line({ type: 77, body: {} }), words.type.other],
    ['place', line({ type: 4, body: { title: 'Harbour' } }), 'Harbour'],
  ] as const)('says what the newest line is: %s', async (_case, last, says) => {
    await show([row('p2p', 'mei', { last })])
    await expect.element(button(/^mei/)).toMatchTextContent(says)
  })

  it('is read again on request', async () => {
    const { told } = await show([mei])
    await button(words.conversations.refresh).click()
    expect(told).toEqual([['refresh']])
  })

  it('has the accid or the number of a conversation without a line, and no count of none unread', async () => {
    await show([crew, row('p2p', 'lee', { name: 'Lee' })])
    await expect.element(button(/^Late night crew/)).toHaveTextContent('Late night crew3001')
    await expect.element(button(/^Lee/)).toHaveTextContent('Leelee')
  })

  it('finds conversations by name and by accid', async () => {
    await show([mei, crew])
    await search().fill('SOUND')
    await expect.element(button(/^Late night crew/)).not.toBeInTheDocument()
    await expect.element(button(/^Mei/)).toBeVisible()
    await search().fill('300')
    await expect.element(button(/^Late night crew/)).toBeVisible()
    await expect.element(button(/^Mei/)).not.toBeInTheDocument()
  })

  it('opens the only one that was found with Enter, and empties the search', async () => {
    const { told } = await show([mei, crew])
    await search().fill('crew')
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual([['open', { scene: 'team', with: '3001' }]])
    await expect.element(search()).toHaveValue('')
  })

  it('begins a conversation with an account, or opens a team by its number', async () => {
    const { told } = await show([mei])
    await search().fill('4711')
    await button('Talk to 4711').click()
    await search().fill('4711')
    await button('Open team 4711').click()
    await search().fill('Lee_88')
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual([
      ['open', { scene: 'p2p', with: '4711' }],
      ['open', { scene: 'team', with: '4711' }],
      ['open', { scene: 'p2p', with: 'lee_88' }],
    ])
  })

  it('does not offer to begin what is in the list already', async () => {
    await show([mei])
    await search().fill('mei')
    await expect.element(button(/^Mei/)).toBeVisible()
    expect(button('Talk to mei').query()).toBeNull()
  })

  it('says that nothing matches, and clears the search on request', async () => {
    const { told } = await show([mei])
    await search().fill('小城')
    await expect.element(list().getByText(/^Nothing matches “小城”/)).toBeVisible()
    await userEvent.keyboard('{Enter}')
    await button(words.clear).click()
    await expect.element(search()).toHaveValue('')
    await expect.element(button(/^Mei/)).toBeVisible()
    expect(told).toEqual([])
  })

  it('says that there is none, only once it was read', async () => {
    await show([], { loaded: false, busy: true })
    await expect.element(search()).toBeVisible()
    expect(list().getByText(words.conversations.empty).query()).toBeNull()
  })

  it('says how to begin the first one', async () => {
    await show([])
    await expect.element(list().getByText(words.conversations.empty)).toBeVisible()
  })

  it('says why it could not be read, and reads again on request', async () => {
    const { told } = await show([mei], { failure: failureOf(failed({ kind: 'code', code: 403 })) })
    await expect.element(list().getByRole('alert')).toMatchTextContent('This account may not do that.')
    await button(words.conversations.refresh).click()
    expect(told).toEqual([['refresh']])
  })

  it('turns pages where there are many', async () => {
    await show(Array.from({ length: 40 }, (_, index) => row('p2p', `p${index}x`)))
    await expect.element(button(/^p0x/)).toBeVisible()
    await button(channelsEn.channels.next).click()
    await expect.element(button(/^p0x/)).not.toBeInTheDocument()
    await search().fill('p39x')
    await expect.element(button(/^p39x/)).toBeVisible()
  })

  it('shows names and lines that people wrote as text', async () => {
    await show([row('p2p', 'x', { name: '<b>Mei</b>', last: line({ body: { msg: '<img src=x>' } }) })])
    await expect.element(button(/^<b>Mei<\/b>/)).toMatchTextContent('<img src=x>')
  })

  it('speaks Chinese', async () => {
    await show([], { language: 'zh' })
    await expect.element(page.getByText(messagingZh.messaging.conversations.empty)).toBeVisible()
    await expect
      .element(page.getByRole('searchbox', { name: messagingZh.messaging.conversations.search }))
      .toBeVisible()
  })
})
