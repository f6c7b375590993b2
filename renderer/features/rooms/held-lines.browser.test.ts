import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, type Component } from 'vue'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { RoomPanel } from '../../../contract/rpc/index.ts'
import { failed, type Answers } from '../../testing/memory-client.ts'
import { began, service, starting, withParts } from '../../testing/mounted.ts'
import { emptyPage, mountedRoom } from '../../testing/mounted-room.ts'
import { roomAction } from '../../testing/room-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { roomListsWords } from './words-lists.ts'
import HeldLines from './held-lines.vue'
import { useRoomPanel } from './room-panel.ts'
import { useRoomHeld } from './room-held.ts'
import { useRoom } from './room.ts'

const en = spoken(frameWords, 'en')
const roomListsEn = spoken(roomListsWords, 'en')

const { held: words, reading, waiting } = roomListsEn.roomLists
const line = (msgid: string, from: string, attach: string, change: object = {}) => ({
  msgid,
  at: began,
  from,
  type: 0,
  attach,
  nick: from,
  ...change,
})
const three = [line('3', 'ana', 'third line'), line('2', 'lee', 'second line'), line('1', 'mei', 'first line')]
const listing = (list: readonly ReturnType<typeof line>[], more = false): Answers => ({
  'operations.local.held': () => ({ ret: { list: [...list], more } }),
})
const open = async (
  answers: Answers = {},
  { panel = {}, ...options }: Parameters<typeof mountedRoom>[1] & { readonly panel?: Partial<RoomPanel> } = {},
) => {
  const cards: string[] = []
  const List: Component = { render: () => h(HeldLines, { onCard: (accid: string) => cards.push(accid) }) }
  const shown = await mountedRoom(withParts(List), {
    ...options,
    panel,
    answers: { ...listing(three), ...answers },
    before: (pinia) => void useRoomHeld(pinia).follow(),
  })
  await shown.pass(1)
  const measures = () => shown.client.inputs('rooms.act').map(({ measure }) => measure)
  return { ...shown, cards, measures }
}
const row = (text: string) => page.getByRole('listitem').filter({ hasText: text })
const list = () => page.getByRole('region', { name: words.list })
const within = (text: string, name: string) => row(text).getByRole('button', { name: starting(name) })
const decide = (target: string, msgid: string, allow: boolean) => ({ kind: 'decideHeld', target, msgid, allow })
const decided = (msgid: string, allow: boolean): AppEvent => ({
  type: 'roomPush',
  profileId: 'local',
  roomid: 7,
  push: { t: 'roomDecided', roomid: 7, msgid, allow },
})

describe('the keys of held lines', () => {
  it('move between lines and no further than the ends', async () => {
    await open()
    row('third line').element().focus()
    await userEvent.keyboard('{ArrowDown}')
    await expect.element(row('second line')).toHaveFocus()
    await userEvent.keyboard('{End}')
    await expect.element(row('first line')).toHaveFocus()
    await userEvent.keyboard('j')
    await expect.element(row('first line')).toHaveFocus()
    await userEvent.keyboard('k')
    await expect.element(row('second line')).toHaveFocus()
    await userEvent.keyboard('{Home}')
    await expect.element(row('third line')).toHaveFocus()
    // Tab reaches one line only.
    expect(row('second line').element().tabIndex).toBe(-1)
    expect(row('third line').element().tabIndex).toBe(0)
  })

  it('open the card of who said the focused line', async () => {
    const { cards } = await open()
    row('second line').element().focus()
    await userEvent.keyboard('u')
    expect(cards).toEqual(['lee'])
  })

  it('focus the next line once one is decided', async () => {
    const { measures } = await open()
    row('third line').element().focus()
    await userEvent.keyboard('a')
    await expect.element(row('second line')).toHaveFocus()
    await expect.element(row('third line')).not.toBeInTheDocument()
    expect(measures()).toEqual([decide('ana', '3', true)])
  })

  it('focus the list, so that no line is chosen, where somebody else decided first', async () => {
    await open({
      'rooms.act': () => {
        throw failed({ kind: 'decided' })
      },
    })
    row('third line').element().focus()
    await userEvent.keyboard('d')
    await expect.element(list()).toHaveFocus()
    await expect.element(row('third line')).not.toBeInTheDocument()
    await expect.element(page.getByText(starting(words.late.decided))).toBeVisible()
  })

  it('focus a line when the keys of the room ask for it', async () => {
    const { pinia } = await open()
    useRoomPanel(pinia).enterHeld()
    await expect.element(row('third line')).toHaveFocus()
  })

  it('do nothing while the service is down', async () => {
    const { measures, tell } = await open()
    row('third line').element().focus()
    await tell(service('restarting'))
    await userEvent.keyboard('a')
    expect(measures()).toEqual([])
    await expect.element(row('third line')).toBeVisible()
  })
})

describe('a held line', () => {
  it('has its time, who said it, the text as it was written, and what came with it', async () => {
    await open(listing([line('3', 'ana', '<b>coins</b>', { nick: 'Ana B', ext: 'an extension' })]))
    for (const text of ['16:00:00', 'Ana B', '<b>coins</b>', words.more.replace('{text}', 'an extension')])
      await expect.element(row('coins')).toMatchTextContent(text)
  })

  it('has no word of an extension where there is none', async () => {
    await open()
    await expect.element(row('third line')).toBeVisible()
    expect(row('third line').element().textContent).not.toContain(words.more.split('{')[0])
  })

  it('cannot be pressed again while it is decided', async () => {
    const answer = Promise.withResolvers<void>()
    const { measures } = await open({
      'rooms.act': async ({ measure }) => {
        await answer.promise
        return { action: roomAction(measure), taken: null }
      },
    })
    await within('third line', words.drop).click()
    await expect.element(within('third line', words.drop)).toBeDisabled()
    await within('third line', words.allow).click({ force: true })
    answer.resolve()
    await expect.element(row('third line')).toHaveAttribute('inert')
    expect(measures()).toEqual([decide('ana', '3', false)])
  })

  it('says that the buttons count when the service is back', async () => {
    const { measures, tell } = await open()
    await tell(service('restarting'))
    for (const name of [words.allow, words.drop]) {
      await expect.element(within('third line', name)).toHaveAttribute('title', en.blocker.down)
      await within('third line', name).click({ force: true })
    }
    expect(measures()).toEqual([])
  })

  it.each([
    [
      'blacklisted',
      { 'operations.local.blacklisted': () => ({ ret: { list: [{ accid: 'ana', at: 1 }], more: false } }) },
    ],
    ['room', {}],
  ] as const)('can only be dropped, with the reason: %s', async (why, answers) => {
    const { measures, pinia } = await open(answers, { panel: { muted: why === 'room' } })
    await useRoom(pinia).readForce()
    await expect.element(row('third line')).toMatchTextContent(words.why[why])
    await expect.element(within('third line', words.allow)).toHaveAttribute('aria-disabled', 'true')
    await within('third line', words.allow).click({ force: true })
    expect(measures()).toEqual([])
    await within('third line', words.drop).click()
    await expect.poll(measures).toEqual([decide('ana', '3', false)])
  })

  it('that others decide while a mouse is on the list stays in place until it leaves', async () => {
    const { tell } = await open()
    await row('second line').hover()
    await tell(decided('3', true))
    await expect.element(row('third line')).toHaveAttribute('inert')
    await expect.element(page.getByText(waiting.split(' | ')[0]!.replace('{n}', '1'))).toBeVisible()
    await page.getByText(words.lead).hover()
    await expect.element(row('third line')).not.toBeInTheDocument()
  })
})

describe('the list of held lines', () => {
  it('says that it is being read', async () => {
    const answer = Promise.withResolvers<typeof emptyPage>()
    await open({ 'operations.local.held': () => answer.promise })
    await expect.element(page.getByText(reading)).toBeVisible()
    expect(page.getByText(words.none).query()).toBeNull()
    answer.resolve(emptyPage)
    await expect.element(page.getByText(words.none)).toBeVisible()
    await expect.element(page.getByText(reading)).not.toBeInTheDocument()
  })

  it('says why it could not be read, and is read again by the button', async () => {
    const { client } = await open({
      'operations.local.held': () => {
        throw failed({ kind: 'late' })
      },
    })
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    client.answer(listing(three))
    await page.getByRole('button', { name: en.word.retry }).click()
    await expect.element(row('third line')).toBeVisible()
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  })

  it('says that more are held than it lists', async () => {
    await open(listing(three, true))
    await expect.element(page.getByText(words.beyond.replace('{n}', '3'))).toBeVisible()
    await expect.element(page.getByText('3+ lines wait')).toBeInTheDocument()
  })

  it('tells a screen reader how many wait', async () => {
    const { tell } = await open(listing(three.slice(0, 2)))
    await expect.element(page.getByText('2 lines wait')).toBeInTheDocument()
    expect(page.getByText(starting(words.beyond.slice(0, 10))).query()).toBeNull()
    await tell(decided('3', true))
    await expect.element(page.getByText('1 line waits')).toBeInTheDocument()
  })

  it('is not there for a hosted service', async () => {
    await open({}, { profile: 'hosted-1', panel: { profileId: 'hosted-1' } })
    await expect.element(page.getByText(words.hosted)).toBeVisible()
    expect(page.getByText(words.lead).query()).toBeNull()
  })

  it.each([
    [true, words.late.allowedBy],
    [false, words.late.droppedBy],
  ])('says who decided a line first and how, for 10 seconds: let through %s', async (allow, says) => {
    const shown = await open({
      'rooms.act': () => {
        throw failed({ kind: 'decided' })
      },
      'rooms.actions': () => [
        roomAction({ kind: 'decideHeld', target: 'ana', msgid: '3', allow }, { operator: 'mei', operatorName: 'Mei' }),
      ],
    })
    await within('third line', words.drop).click()
    const note = page.getByText(starting(says.replace('{name}', 'Mei')))
    await expect.element(note).toBeVisible()
    await expect.element(note).toMatchTextContent('third line')
    expect(shown.client.inputs('rooms.actions')).toEqual([{ profileId: 'local', roomid: 7, target: 'ana' }])
    await shown.pass(9_999)
    await expect.element(note).toBeVisible()
    await shown.pass(1)
    await expect.element(note).not.toBeInTheDocument()
  })
})
