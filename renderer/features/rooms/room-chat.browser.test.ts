import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, reactive, type Component } from 'vue'
import { failed } from '../../testing/memory-client.ts'
import { service, starting, withParts } from '../../testing/mounted.ts'
import { mountedRoom, roomMember } from '../../testing/mounted-room.ts'
import { roomAction, roomPanel, saidLine, seat } from '../../testing/room-values.ts'
import { spoken } from '../../format/languages.ts'
import { moderatorWords } from '../remote-rooms/words-seat.ts'
import { roomPanelWords } from './words-panel.ts'
import { roomListsWords } from './words-lists.ts'
import { roomMediaWords } from './words-media.ts'
import { roomWords } from './words.ts'
import RoomChat from './room-chat.vue'
import RoomSheet from './room-sheet.vue'
import { useRoomPanel } from './room-panel.ts'
import { useRoom } from './room.ts'

const moderatorEn = spoken(moderatorWords, 'en')
const roomPanelEn = spoken(roomPanelWords, 'en')
const roomListsEn = spoken(roomListsWords, 'en')
const roomMediaEn = spoken(roomMediaWords, 'en')
const roomEn = spoken(roomWords, 'en')

const { room: words } = roomEn
const { roomPanel: deskWords } = roomPanelEn
const at = { profileId: 'local', roomid: 7 }
type Layout = 'full' | 'dock' | 'popOut'
const open = async ({
  layout = 'full',
  said = true,
  ...options
}: Parameters<typeof mountedRoom>[1] & { readonly layout?: Layout; readonly said?: boolean } = {}) => {
  const state = reactive({ asleep: false })
  const Chat: Component = {
    render: () => [
      h(RoomChat, { layout, asleep: state.asleep, style: 'height: 600px' }, { sheet: () => h(RoomSheet) }),
      h('button', 'elsewhere'),
      h('input', { 'aria-label': 'a field elsewhere' }),
    ],
  }
  const shown = await mountedRoom(withParts(Chat), options)
  const panel = useRoomPanel(shown.pinia)
  if (said)
    for (const [msgid, from] of [
      ['11', 'ana'],
      ['12', 'lee'],
    ] as const) {
      await shown.tell(saidLine(msgid, from, `line of ${from}`))
      await shown.pass(1_000)
    }
  const measures = () => shown.client.inputs('rooms.act').map(({ measure }) => measure)
  return { ...shown, panel, state, measures }
}
const button = (name: string | RegExp) => page.getByRole('button', { name })
const log = () => page.getByRole('log')
const press = (keys: string): Promise<void> => userEvent.keyboard(keys)
const dialog = () => page.getByRole('dialog')

describe('a key in the window of a room', () => {
  it('marks the newest line and those before it, with the focus in the log', async () => {
    const { panel } = await open()
    await press('k')
    expect(panel.focused).toBe('12')
    await expect.element(log()).toHaveFocus()
    await press('{ArrowUp}')
    expect(panel.focused).toBe('11')
    await press('{ArrowDown}')
    expect(panel.focused).toBe('12')
    await press('{Home}')
    expect(panel.focused).toBe('11')
    await press('{Escape}')
    expect(panel.focused).toBeNull()
  })

  it.each([
    ['m', { kind: 'temporaryMute', target: 'lee', seconds: 600 }],
    ['3', { kind: 'temporaryMute', target: 'lee', seconds: 3_600 }],
    ['6', { kind: 'mute', target: 'lee', on: true }],
    ['d', { kind: 'removeLine', target: 'lee', msgid: '12' }],
  ] as const)('acts on the marked line: %s', async (key, measure) => {
    const { client } = await open()
    await press(`k${key}`)
    await expect
      .poll(() => client.inputs('rooms.act'))
      .toEqual([{ ...at, measure, why: '', ...(key !== 'd' && { upon: '12' }) }])
  })

  it.each(['m', '1', 'd', 'x', 'u', 't'])('does nothing about a person while none is marked: %s', async (key) => {
    const { client, panel, measures } = await open()
    await press(key)
    expect(measures()).toEqual([])
    expect([panel.asked, panel.shown]).toEqual([null, null])
    expect(client.inputs('rooms.second')).toEqual([])
  })

  it('asks before it puts the person of the marked line on the blacklist', async () => {
    const { client, measures } = await open()
    await press('kx')
    await expect.element(dialog()).toMatchTextContent(words.blacklistAsk.replace('{name}', 'lee'))
    await press('{F9}')
    expect(measures()).toEqual([])
    await dialog().getByRole('button', { name: words.blacklistDo }).click()
    await expect
      .poll(() => client.inputs('rooms.act'))
      .toEqual([{ ...at, measure: { kind: 'blacklist', target: 'lee', on: true }, why: '', upon: '12' }])
  })

  it('opens the card of the marked line above the composer, and Escape closes it before it unmarks', async () => {
    const { panel } = await open()
    await press('ku')
    await expect.element(page.getByRole('heading', { name: 'lee' })).toBeVisible()
    await press('{Escape}')
    await expect.element(page.getByRole('heading', { name: 'lee' })).not.toBeInTheDocument()
    expect(panel.focused).toBe('12')
    await press('{Escape}')
    expect(panel.focused).toBeNull()
  })

  it('acts on the marked line again once Escape closed the card that had the focus', async () => {
    const { panel, measures } = await open()
    await press('ku')
    button(words.copy).element().focus()
    await press('{Escape}')
    await expect.element(page.getByRole('heading', { name: 'lee' })).not.toBeInTheDocument()
    expect(panel.focused).toBe('12')
    await press('m')
    await expect.poll(measures).toEqual([{ kind: 'temporaryMute', target: 'lee', seconds: 600 }])
  })

  it('asks for the second of the marked line', async () => {
    const { client, panel } = await open({ answers: { 'rooms.second': () => ({ found: 'unlinked' }) } })
    const line = useRoom().log.at(-1)
    await press('kt')
    await expect.poll(() => client.inputs('rooms.second')).toEqual([{ ...at, at: line?.at }])
    await expect.element(dialog()).toMatchTextContent(roomMediaEn.roomMedia.unlinked)
    expect(panel.second).toBeNull()
  })

  it('asks for no second of a moderator at another computer', async () => {
    const { client } = await open({ about: { seat } })
    await press('kt')
    expect(client.inputs('rooms.second')).toEqual([])
  })

  it('opens the search, the composer, the announcement and the list of keys', async () => {
    await open()
    await press('/')
    await expect.element(page.getByRole('textbox', { name: words.search })).toHaveFocus()
    await press('{Escape}')
    await expect.element(page.getByRole('textbox', { name: words.search })).not.toBeInTheDocument()
    await press('c')
    const composer = page.getByRole('textbox', { name: words.say.replace('{name}', 'host') })
    await expect.element(composer).toHaveFocus()
    await press('{Escape}')
    await press('a')
    await expect.element(page.getByRole('textbox', { name: words.announcement })).toHaveFocus()
    await press('{Escape}')
    await expect.element(page.getByRole('textbox', { name: words.announcement })).not.toBeInTheDocument()
    await press('?')
    await expect.element(dialog()).toMatchTextContent(moderatorEn.moderator.keys.help)
  })

  it('shows the queue, and takes the first one then', async () => {
    const { measures } = await open({
      answers: { 'operations.queue.list': () => ({ desc: { list: [{ zoe: 'a song' }] } }) },
    })
    await useRoom().readPeople()
    await press('q')
    await expect.element(page.getByText('zoe', { exact: true }).first()).toBeVisible()
    expect(measures()).toEqual([])
    await press('q')
    await expect.poll(measures).toEqual([{ kind: 'queueTake', key: 'zoe' }])
  })

  it('mutes the room and lifts that, from a field as well', async () => {
    const { measures, tell } = await open()
    await press('c')
    await press('m{F9}')
    await expect.poll(measures).toEqual([{ kind: 'muteRoom', on: true }])
    await tell({ type: 'room', panel: roomPanel({ muted: true }) })
    await press('{Shift>}{F9}{/Shift}')
    await expect.poll(measures).toEqual([
      { kind: 'muteRoom', on: true },
      { kind: 'muteRoom', on: false },
    ])
    await expect.element(page.getByRole('textbox', { name: words.say.replace('{name}', 'host') })).toHaveValue('m')
  })

  it.each(['k', 'm', 'd', 'f', 'q', '/'])('is only written in a field: %s', async (key) => {
    const { panel, measures } = await open()
    await press('k')
    const field = page.getByRole('textbox', { name: 'a field elsewhere' })
    await field.click()
    await press(key)
    await expect.element(field).toHaveValue(key)
    expect(measures()).toEqual([])
    expect([panel.focused, panel.tab, panel.frozen, panel.searching]).toEqual(['12', 'chat', false, false])
  })

  it('freezes the log and lets it go on, and does so only where the log is seen', async () => {
    const { panel } = await open()
    await press('f')
    expect(panel.frozen).toBe(true)
    await press('f')
    expect(panel.frozen).toBe(false)
    panel.tab = 'actions'
    await expect.element(log()).not.toBeInTheDocument()
    await press('f')
    expect(panel.frozen).toBe(false)
  })

  it('was used already by something else and does nothing here', async () => {
    const { measures } = await open()
    const used = (event: Event): void => event.preventDefault()
    window.addEventListener('keydown', used, { capture: true })
    onTestFinished(() => window.removeEventListener('keydown', used, { capture: true }))
    await press('{F9}')
    expect(measures()).toEqual([])
  })

  it('does nothing while a menu is open', async () => {
    const { panel, measures } = await open({
      answers: {
        'operations.chatrooms.membersByPage': ({ call }) => ({
          desc: { data: call.type === 1 ? [roomMember('ana', 3)] : [] },
        }),
      },
    })
    panel.tab = 'people'
    await button(roomListsEn.roomLists.people.menu.replace('{name}', 'ana')).click()
    await expect.element(page.getByRole('menu')).toBeVisible()
    await press('{F9}')
    expect(measures()).toEqual([])
  })

  it('is of the tab of the chat no longer once the chat is left', async () => {
    const { measures } = await open()
    await button(starting(words.actions)).click()
    await press('k')
    await press('m')
    expect(measures()).toEqual([])
  })
})

describe('Escape in a room', () => {
  it('closes refused measures first, then what could not be read, then the mark', async () => {
    const { panel, pinia } = await open({
      answers: {
        'rooms.act': () => {
          throw failed({ kind: 'code', code: 403 })
        },
        'operations.chatrooms.membersByPage': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    const room = useRoom(pinia)
    await press('km')
    await expect.poll(() => room.refusals.length).toBe(1)
    const alerts = () =>
      page
        .getByRole('alert')
        .elements()
        .filter((each) => each.textContent.trim() !== '')
    await expect.poll(() => alerts().length).toBe(2)
    await press('{Escape}')
    await expect.poll(() => alerts().length).toBe(1)
    expect(room.refusals).toEqual([])
    expect(panel.focused).toBe('12')
    await press('{Escape}')
    await expect.poll(() => alerts().length).toBe(0)
    expect(panel.focused).toBe('12')
    await press('{Escape}')
    expect(panel.focused).toBeNull()
  })
})

describe('a key among other tabs', () => {
  const crowd = {
    'operations.chatrooms.membersByPage': ({ call }: { readonly call: { readonly type: number } }) => ({
      desc: { data: call.type === 1 ? [roomMember('ana', 3), roomMember('lee', 3)] : [] },
    }),
  }
  const person = (name: string) => page.getByRole('listitem').filter({ hasText: name }).getByRole('button').first()

  it('moves between people, opens the card of the focused one, and acts on them', async () => {
    const { panel, measures } = await open({ answers: crowd })
    panel.tab = 'people'
    await expect.element(person('lee')).toBeVisible()
    await press('{Home}')
    await expect.element(person('ana')).toHaveFocus()
    await press('j')
    await expect.element(person('lee')).toHaveFocus()
    await press('m')
    await expect.poll(measures).toEqual([{ kind: 'temporaryMute', target: 'lee', seconds: 600 }])
    await press('u')
    await expect.element(page.getByRole('heading', { name: 'lee' })).toBeVisible()
  })

  it('acts on nobody after Escape, until somebody is chosen again', async () => {
    const { panel, measures } = await open({ answers: crowd })
    panel.tab = 'people'
    await expect.element(person('lee')).toBeVisible()
    await press('{End}')
    await expect.element(person('lee')).toHaveFocus()
    await press('{Escape}')
    await expect.element(person('lee')).not.toHaveFocus()
    await press('m')
    expect(measures()).toEqual([])
  })

  it('focuses the first held line, and decides no line that has no focus', async () => {
    const held = [{ msgid: '3', at: 3, from: 'ana', type: 0, attach: 'third line', nick: 'Ana' }]
    const { panel, measures } = await open({
      answers: { 'operations.local.held': () => ({ ret: { list: held, more: false } }) },
    })
    panel.tab = 'held'
    const line = page.getByRole('listitem').filter({ hasText: 'third line' })
    await expect.element(line).toBeVisible()
    await press('ad')
    expect(measures()).toEqual([])
    expect(panel.editing).toBe(false)
    await press('j')
    await expect.element(line).toHaveFocus()
    await press('d')
    await expect.poll(measures).toEqual([{ kind: 'decideHeld', target: 'ana', msgid: '3', allow: false }])
  })
})

describe('a key beside a picture', () => {
  it('is of the chat only after the chat was used', async () => {
    const { panel } = await open({ layout: 'dock' })
    await button('elsewhere').click()
    await press('k')
    expect(panel.focused).toBeNull()
    await log().click({ position: { x: 5, y: 5 } })
    await press('{Home}')
    expect(panel.focused).toBe('11')
    await button('elsewhere').click()
    await press('f')
    expect(panel.frozen).toBe(false)
  })

  it('mutes the room, opens the search and the composer without that', async () => {
    const { measures } = await open({ layout: 'dock' })
    await button('elsewhere').click()
    await press('{F9}')
    await expect.poll(measures).toEqual([{ kind: 'muteRoom', on: true }])
    await press('c')
    await expect.element(page.getByRole('textbox', { name: words.say.replace('{name}', 'host') })).toHaveFocus()
    await button('elsewhere').click()
    await press('/')
    await expect.element(page.getByRole('textbox', { name: words.search })).toHaveFocus()
  })

  it('only mutes the room while the chat is hidden', async () => {
    const { panel, measures, state, tell } = await open({ layout: 'dock' })
    await log().click({ position: { x: 5, y: 5 } })
    state.asleep = true
    await tell()
    await press('kcf/')
    expect([panel.focused, panel.frozen, panel.searching]).toEqual([null, false, false])
    await press('{F9}')
    await expect.poll(measures).toEqual([{ kind: 'muteRoom', on: true }])
  })
})

describe('a key after its element was removed', () => {
  it('acts on nobody where a focused row of the list went away', async () => {
    const { client, panel, measures, pinia } = await open({
      answers: {
        'operations.local.muted': () => ({
          ret: {
            list: [
              { accid: 'ana', permanent: true, seconds: 0 },
              { accid: 'zoe', permanent: true, seconds: 0 },
            ],
            more: false,
          },
        }),
      },
    })
    await useRoom(pinia).readForce()
    panel.tab = 'restricted'
    const lift = button(`${roomListsEn.roomLists.people.liftMute}: ana`)
    await expect.element(lift).toBeVisible()
    lift.element().focus()
    client.answer({
      'operations.local.muted': () => ({ ret: { list: [{ accid: 'zoe', permanent: true, seconds: 0 }], more: false } }),
    })
    await useRoom(pinia).readForce()
    await expect.element(lift).not.toBeInTheDocument()
    await press('x6')
    expect(panel.asked).toBeNull()
    expect(measures()).toEqual([])
  })

  it('is no command where it was meant for a field that closed by itself', async () => {
    const { panel, measures } = await open()
    await press('a')
    await expect.element(page.getByRole('textbox', { name: words.announcement })).toHaveFocus()
    panel.editing = false
    await expect.element(page.getByRole('textbox', { name: words.announcement })).not.toBeInTheDocument()
    await press('qf/')
    expect([panel.tab, panel.frozen, panel.searching]).toEqual(['chat', false, false])
    expect(measures()).toEqual([])
    await press('{F9}')
    await expect.poll(measures).toEqual([{ kind: 'muteRoom', on: true }])
  })
})

describe('the tabs of the chat', () => {
  it.each([
    ['actions', words.noActions],
    ['queue', words.queueEmpty],
    ['held', roomListsEn.roomLists.held.none],
    ['people', roomListsEn.roomLists.people.none.temporary],
    ['restricted', words.nobodyRestricted],
  ] as const)('show what they name: %s', async (tab, says) => {
    const { panel } = await open()
    panel.tab = tab
    await expect.element(page.getByText(says).first()).toBeVisible()
    await expect.element(log()).not.toBeInTheDocument()
  })

  it('show the statistics', async () => {
    const { panel } = await open({ answers: { 'operations.statistics.topn': () => ({ data: [] }) } })
    panel.tab = 'statistics'
    await expect.element(page.getByRole('region', { name: roomListsEn.roomLists.statistics.title })).toBeVisible()
  })

  it('have the search only in the chat and only while it is open', async () => {
    const { panel } = await open()
    expect(page.getByRole('textbox', { name: words.search }).query()).toBeNull()
    panel.searching = true
    await expect.element(page.getByRole('textbox', { name: words.search })).toBeVisible()
    panel.tab = 'actions'
    await expect.element(page.getByRole('textbox', { name: words.search })).not.toBeInTheDocument()
  })
})

describe('the window of its own', () => {
  const inWindow = async (options: { readonly opens: boolean }) => {
    const opened = vi.spyOn(window, 'open').mockImplementation(() => (options.opens ? window : null))
    onTestFinished(() => opened.mockRestore())
    return { opened, ...(await open()) }
  }

  it('is opened by the button, with this room', async () => {
    const { opened } = await inWindow({ opens: true })
    await button(deskWords.popOut).click()
    await expect.poll(() => opened.mock.calls.length).toBe(1)
    expect(opened.mock.calls[0]?.[0]).toContain('#/pop-out/room/7/local')
    expect(page.getByText(deskWords.popOutAnswer.blocked).query()).toBeNull()
  })

  it('is opened by its key', async () => {
    const { opened } = await inWindow({ opens: true })
    await press('{Control>}{Shift>}p{/Shift}{/Control}')
    await expect.poll(() => opened.mock.calls.length).toBe(1)
  })

  it('says why it could not be opened', async () => {
    await inWindow({ opens: false })
    await button(deskWords.popOut).click()
    await expect.element(page.getByText(deskWords.popOutAnswer.blocked)).toBeVisible()
  })

  it('has no button to open itself again', async () => {
    await open({ layout: 'popOut' })
    await expect.element(log()).toBeVisible()
    expect(button(deskWords.popOut).query()).toBeNull()
  })
})

describe('the sheet above the composer', () => {
  it('has the card of a person until it is closed', async () => {
    const { panel } = await open({ layout: 'dock' })
    panel.show('ana')
    await expect.element(page.getByRole('heading', { name: 'ana' })).toBeVisible()
    await button(deskWords.card).click()
    expect(panel.shown).toBeNull()
    await expect.element(page.getByRole('heading', { name: 'ana' })).not.toBeInTheDocument()
  })

  it('has the announcement in place of the card while it is edited', async () => {
    const { panel } = await open({ layout: 'dock' })
    panel.show('ana')
    panel.editing = true
    await expect.element(page.getByRole('textbox', { name: words.announcement })).toBeVisible()
    await expect.element(page.getByRole('heading', { name: 'ana' })).not.toBeInTheDocument()
  })
})

describe('what a screen reader is told in a room', () => {
  const spoken = () =>
    page
      .getByRole('status')
      .elements()
      .map((each) => each.textContent.trim())
  const alerts = () =>
    page
      .getByRole('alert')
      .elements()
      .map((each) => each.textContent.trim())

  it('has new lines with who said them, and only the number of many', async () => {
    const { tell, pass } = await open()
    await pass(2_000)
    await tell(saidLine('13', 'mei', 'good evening'))
    await pass(2_000)
    await expect.poll(spoken).toContain('mei: good evening')
    await tell(saidLine('14', 'mei', 'one'), saidLine('15', 'mei', 'two'), saidLine('16', 'mei', 'three'))
    await expect.element(page.getByRole('log').getByText('three')).toBeVisible()
    await pass(2_000)
    await expect.poll(spoken).toContain(deskWords.newLines.split(' | ')[1]!.replace('{n}', '3'))
  })

  it('has the line that is marked', async () => {
    await open()
    await press('k')
    await expect.poll(() => spoken().find((text) => text.includes('line of lee'))).toBeDefined()
  })

  it('has the mute of the room and its end', async () => {
    const { tell } = await open()
    expect(alerts()).toEqual([''])
    await tell({ type: 'room', panel: roomPanel({ muted: true }) })
    await expect.poll(alerts).toEqual([words.mutedNow])
    await tell({ type: 'room', panel: roomPanel() })
    await expect.poll(alerts).toEqual([deskWords.lifted])
  })

  it('has no end of a mute that was of another room', async () => {
    const { tell, pinia } = await open({
      panel: { muted: true },
      answers: { 'rooms.enter': () => roomPanel({ roomid: 8 }) },
    })
    await expect.poll(alerts).toEqual([words.mutedNow])
    await useRoom(pinia).open(8)
    await tell()
    await expect.poll(alerts).toEqual([''])
  })
})

it('the notes of a room stand below its lines, with a measure to undo', async () => {
  const { pinia } = await open({
    answers: { 'rooms.act': ({ measure }) => ({ action: roomAction(measure), taken: null }) },
  })
  await useRoom(pinia).act({ kind: 'mute', target: 'ana', on: true })
  await button(words.undo).click()
  await expect.element(button(words.undo)).not.toBeInTheDocument()
})

it('the chat of a room says where its lines come from at a hosted service', async () => {
  const { tell } = await open({
    said: false,
    profile: 'hosted-1',
    panel: {
      profileId: 'hosted-1',
      copies: { receiver: 'off', url: null, lastAt: null, verified: null, dropped: 0, elsewhere: 0, readAt: null },
    },
  })
  await expect.element(page.getByRole('region', { name: 'Where lines come from' })).toBeVisible()
  await tell(service('running'))
})
