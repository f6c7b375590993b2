import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, type Component } from 'vue'
import type { RoomPanel } from '../../../contract/rpc/index.ts'
import { service, withParts, withProps } from '../../testing/mounted.ts'
import { emptyPage, mountedRoom, roomMember } from '../../testing/mounted-room.ts'
import { failed, type Answers } from '../../testing/memory-client.ts'
import { roomAction, saidLine } from '../../testing/room-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { roomWords } from './words.ts'
import { roomListsWords } from './words-lists.ts'
import { moderatorWords } from '../remote-rooms/words-seat.ts'
import HeldLines from './held-lines.vue'
import PersonCard from './person-card.vue'
import RoomActions from './room-actions.vue'
import RoomAsk from './room-ask.vue'
import RoomQueue from './room-queue.vue'
import RoomRow from './room-row.vue'
import { useRoomPanel } from './room-panel.ts'
import { useRoomHeld } from './room-held.ts'
import { useRoom } from './room.ts'

const en = spoken(frameWords, 'en')
const roomEn = spoken(roomWords, 'en')
const roomListsEn = spoken(roomListsWords, 'en')
const moderatorEn = spoken(moderatorWords, 'en')

const { held } = roomListsEn.roomLists
const { room: words } = roomEn
const { card } = moderatorEn.moderator
const at = { profileId: 'local', roomid: 7 }
const button = (name: string | RegExp) => page.getByRole('button', { name })
const dialog = () => page.getByRole('dialog')

describe('a line that the word list holds back', () => {
  const lines = [
    { msgid: '3', at: 3, from: 'ana', type: 0, attach: 'third line', nick: 'Ana' },
    { msgid: '2', at: 2, from: 'lee', type: 0, attach: 'second line', nick: 'Lee' },
  ]
  const open = (answers: Answers = {}, panel: Partial<RoomPanel> = {}) =>
    mountedRoom(HeldLines, {
      panel,
      answers: { 'operations.local.held': () => ({ ret: { list: lines, more: false } }), ...answers },
      before: (pinia) => void useRoomHeld(pinia).follow(),
    })
  const row = (text: string) => page.getByRole('listitem').filter({ hasText: text })
  const decided = (msgid: string, target: string, allow: boolean) => ({
    ...at,
    measure: { kind: 'decideHeld', target, msgid, allow },
    why: '',
  })

  it.each([
    ['lets it through', new RegExp(`^${held.allow}`), true],
    ['drops it', new RegExp(`^${held.drop}`), false],
  ] as const)('is decided by the mouse: the button %s', async (_case, name, allow) => {
    const { client } = await open()
    await row('second line').getByRole('button', { name }).click()
    await expect.poll(() => client.inputs('rooms.act')).toEqual([decided('2', 'lee', allow)])
    // Under the pointer it stays in its place, and can be pressed no more.
    await expect.element(row('second line')).toHaveAttribute('inert')
    await expect.element(row('third line')).toBeVisible()
  })

  it.each([
    ['A lets it through', 'a', true],
    ['D drops it', 'd', false],
  ] as const)('is decided by the key: %s', async (_case, key, allow) => {
    const { client } = await open()
    await expect.element(row('third line')).toBeVisible()
    row('third line').element().querySelector<HTMLElement>('button')?.closest('li')?.focus()
    await userEvent.keyboard(key)
    await expect.poll(() => client.inputs('rooms.act')).toEqual([decided('3', 'ana', allow)])
  })

  it.each(['a', 'd'])('is not decided by %s while the key is held down from a line before', async (key) => {
    const { client } = await open()
    await expect.element(row('third line')).toBeVisible()
    const press = (text: string, repeat: boolean): void =>
      void row(text)
        .element()
        .dispatchEvent(new KeyboardEvent('keydown', { key, repeat, bubbles: true }))
    press('second line', true)
    press('third line', false)
    await expect.poll(() => client.inputs('rooms.act').length).toBeGreaterThan(0)
    expect(client.inputs('rooms.act')).toEqual([decided('3', 'ana', key === 'a')])
  })

  it('can only be dropped while its author is muted, and says so', async () => {
    const { client } = await open({
      'operations.local.muted': () => ({ ret: { list: [{ accid: 'lee', permanent: true, seconds: 0 }], more: false } }),
      'operations.chatrooms.queryMembers': () => ({ desc: { data: [roomMember('lee')] } }),
    }).then(async (shown) => {
      await useRoom(shown.pinia).readPeople()
      return shown
    })
    const allow = row('second line').getByRole('button', { name: new RegExp(`^${held.allow}`) })
    await expect.element(allow).toHaveAttribute('title', held.why.muted)
    await allow.click({ force: true })
    await row('second line')
      .getByRole('button', { name: new RegExp(`^${held.drop}`) })
      .click()
    await expect.poll(() => client.inputs('rooms.act')).toEqual([decided('2', 'lee', false)])
  })

  it('stays where a decision was refused, with the reason', async () => {
    await open({
      'rooms.act': () => {
        throw failed({ kind: 'late' })
      },
    })
    await row('second line')
      .getByRole('button', { name: new RegExp(`^${held.drop}`) })
      .click()
    await expect.element(page.getByRole('alert')).toMatchTextContent('Lee')
    await expect.element(row('second line')).toBeVisible()
  })

  it('says that there is none, and that a hosted service has none to show', async () => {
    await open({ 'operations.local.held': () => emptyPage })
    await expect.element(page.getByText(held.none)).toBeVisible()
  })
})

describe('the card of a person', () => {
  const Card = (accid: string): Component => withParts(withProps(PersonCard, { accid }), RoomAsk)

  it('mutes for the length of the button, that person', async () => {
    const { client, pinia } = await mountedRoom(Card('ana'))
    const [first] = useRoomPanel(pinia).presets
    await page.getByRole('group', { name: card.mute }).getByRole('button').first().click()
    await expect
      .poll(() => client.inputs('rooms.act').map(({ measure }) => measure))
      .toEqual([{ kind: 'temporaryMute', target: 'ana', seconds: first }])
  })

  it('gives the reason that was typed with the mute', async () => {
    const { client } = await mountedRoom(Card('ana'), { before: (pinia) => useRoomPanel(pinia).show('ana') })
    await page.getByRole('textbox', { name: words.reason }).fill('spoilers')
    await page.getByRole('group', { name: card.mute }).getByRole('button').first().click()
    await expect.poll(() => client.inputs('rooms.act').map(({ why }) => why)).toEqual(['spoilers'])
  })

  it('asks before it puts somebody on the blacklist', async () => {
    const { client } = await mountedRoom(Card('ana'))
    await button(new RegExp(`^${words.blacklist}`)).click()
    await expect.element(dialog()).toBeVisible()
    expect(client.inputs('rooms.act')).toEqual([])
    await dialog().getByRole('button').last().click()
    await expect
      .poll(() => client.inputs('rooms.act').map(({ measure }) => measure))
      .toEqual([{ kind: 'blacklist', target: 'ana', on: true }])
  })

  it('puts nobody on the blacklist when the question is cancelled', async () => {
    const { client } = await mountedRoom(Card('ana'))
    await button(new RegExp(`^${words.blacklist}`)).click()
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('rooms.act')).toEqual([])
  })

  it.each([
    ['makes somebody a moderator', 0, words.setAdmin, true],
    ['takes it back', 2, words.unsetAdmin, false],
  ] as const)('%s', async (_case, type, name, on) => {
    const { client } = await mountedRoom(Card('ana'), {
      answers: { 'operations.chatrooms.queryMembers': () => ({ desc: { data: [roomMember('ana', type)] } }) },
    })
    await button(name).click()
    await expect
      .poll(() => client.inputs('rooms.act').map(({ measure }) => measure))
      .toEqual([{ kind: 'admin', target: 'ana', on }])
  })

  it('has no measures against the creator', async () => {
    await mountedRoom(Card('host'))
    await expect.element(page.getByRole('note')).toBeVisible()
    expect(page.getByRole('group', { name: card.mute }).query()).toBeNull()
    expect(button(new RegExp(`^${words.blacklist}`)).query()).toBeNull()
  })

  it.each([
    [
      'mute',
      {
        'operations.local.muted': () => ({
          ret: { list: [{ accid: 'ana', permanent: true, seconds: 0 }], more: false },
        }),
      },
      { kind: 'mute', target: 'ana', on: false },
    ],
    [
      'temporary',
      {
        'operations.local.muted': () => ({
          ret: { list: [{ accid: 'ana', permanent: false, seconds: 90 }], more: false },
        }),
      },
      { kind: 'temporaryMute', target: 'ana', seconds: 0 },
    ],
    [
      'blacklist',
      { 'operations.local.blacklisted': () => ({ ret: { list: [{ accid: 'ana', at: 1 }], more: false } }) },
      { kind: 'blacklist', target: 'ana', on: false },
    ],
  ] as const)('lifts what is in force, that only: %s', async (kind, answers, measure) => {
    const { client, pinia } = await mountedRoom(Card('ana'), { answers })
    await useRoom(pinia).readPeople()
    await button(card.liftNamed[kind]).click()
    await expect.poll(() => client.inputs('rooms.act').map((each) => each.measure)).toEqual([measure])
  })

  it('keeps the private note of that person', async () => {
    const { client } = await mountedRoom(Card('ana'), { answers: { 'rooms.setNote': () => undefined } })
    const field = page.getByRole('textbox', { name: words.note })
    await field.fill('friendly')
    await userEvent.keyboard('{Tab}')
    await expect
      .poll(() => client.inputs('rooms.setNote'))
      .toEqual([{ profileId: 'local', accid: 'ana', text: 'friendly' }])
  })
})

describe('a row of the chat', () => {
  const open = async (from: string) => {
    const events: string[] = []
    const { pinia, ...shown } = await mountedRoom(
      {
        setup: () => {
          const panel = useRoomPanel()
          const on = Object.fromEntries(
            ['onChoose', 'onRemove', 'onMute', 'onCard'].map((name) => [name, () => events.push(name)]),
          )
          return () => panel.rows.map((row) => h(RoomRow, { row, focused: true, preset: 600, ...on }))
        },
      },
      {
        answers: {
          'operations.chatrooms.membersByPage': ({ call }) => ({
            desc: { data: call.type === 0 ? [roomMember('mei', 2)] : [] },
          }),
        },
      },
    )
    const room = useRoom(pinia)
    await room.readPeople()
    room.apply(saidLine('11', from, 'hello there'))
    await shown.tell()
    return { ...shown, pinia, events }
  }

  it.each([
    ['the creator', 'host', words.badge.host],
    ['a moderator', 'mei', words.badge.mod],
  ] as const)('has the badge of %s', async (_case, from, badge) => {
    await open(from)
    await expect.element(page.getByText(badge)).toBeVisible()
  })

  it('has no badge of somebody else', async () => {
    await open('ana')
    await expect.element(page.getByText('hello there')).toBeVisible()
    for (const badge of Object.values(words.badge)) expect(page.getByText(badge).query()).toBeNull()
  })

  it.each([
    ['onRemove', words.remove],
    ['onCard', words.card],
  ] as const)('asks for what its button says: %s', async (event, name) => {
    const { events } = await open('ana')
    await button(new RegExp(`^${name}`)).click()
    expect(events).toEqual([event])
  })

  it('asks for a mute of the length that the button shows', async () => {
    const { events } = await open('ana')
    await button(new RegExp(`^${words.mute}`)).click()
    expect(events).toEqual(['onMute'])
  })

  it('says that the creator cannot be muted', async () => {
    await open('host')
    await expect.element(button(new RegExp(`^${words.mute}`))).toHaveAttribute('aria-disabled', 'true')
    await expect.element(button(new RegExp(`^${words.mute}`))).toHaveAttribute('title')
  })
})

describe('the queue', () => {
  const open = (options: Parameters<typeof mountedRoom>[1] = {}) =>
    mountedRoom(withProps(RoomQueue, { tab: false }), {
      ...options,
      answers: {
        'operations.queue.list': () => ({ desc: { list: [{ ana: 'first song' }, { lee: 'second song' }] } }),
        ...options.answers,
      },
    }).then(async (shown) => {
      await useRoom(shown.pinia).readPeople()
      return shown
    })

  it('takes the one that is shown first', async () => {
    const { client } = await open()
    await button(new RegExp(`^${words.take}`)).click()
    await expect
      .poll(() => client.inputs('rooms.act').map(({ measure }) => measure))
      .toEqual([{ kind: 'queueTake', key: 'ana' }])
  })

  it('takes nobody when nobody waits', async () => {
    const { client } = await open({ answers: { 'operations.queue.list': () => ({ desc: { list: [] } }) } })
    await expect.element(page.getByText(words.queueEmpty)).toBeVisible()
    await button(new RegExp(`^${words.take}`)).click({ force: true })
    expect(client.inputs('rooms.act')).toEqual([])
  })

  it('counts nobody while the service is down', async () => {
    const { tell } = await open()
    await expect.element(page.getByRole('heading', { name: /2/ })).toBeVisible()
    await tell(service('restarting'))
    await expect.element(page.getByRole('heading', { name: /–/ })).toBeVisible()
  })
})

describe('the log of actions', () => {
  it.each([
    ['done', {}, words.result.done],
    ['failed', { result: 'failed', failure: 'late', code: null }, words.result.failed],
    ['unknown', { result: 'unknown' }, words.result.unknown],
  ] as const)('says what came of an action: %s', async (_case, change, says) => {
    await mountedRoom(RoomActions, {
      answers: { 'rooms.actions': () => [roomAction({ kind: 'mute', target: 'ana', on: true }, change)] },
    })
    await expect.element(page.getByRole('row').last()).toMatchTextContent(says)
  })

  it('asks for older entries of this room from the last one on', async () => {
    const { client } = await mountedRoom(RoomActions, {
      answers: {
        'rooms.actions': ({ before = 131 }) =>
          Array.from({ length: Math.min(100, before - 1) }, (_, index) =>
            roomAction({ kind: 'mute', target: 'ana', on: true }, { id: before - 1 - index }),
          ),
      },
    })
    await button(roomListsEn.roomLists.more).click()
    await expect
      .poll(() => client.inputs('rooms.actions').find(({ before }) => before !== undefined))
      .toEqual({
        ...at,
        before: 31,
      })
    await expect.element(button(roomListsEn.roomLists.more)).not.toBeInTheDocument()
  })
})
