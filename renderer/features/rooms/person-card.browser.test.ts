import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { errorTable } from '../../../contract/errors.ts'
import { began, service, starting, withParts, withProps } from '../../testing/mounted.ts'
import { emptyPage, mountedRoom, roomMember } from '../../testing/mounted-room.ts'
import { failed } from '../../testing/memory-client.ts'
import { roomAction, saidLine, seat } from '../../testing/room-values.ts'
import LinkDialog from '../../ui/link-dialog.vue'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { messagingWords } from '../messaging/words.ts'
import { moderatorWords } from '../remote-rooms/words-seat.ts'
import { roomWords } from './words.ts'
import { roomMediaWords } from './words-media.ts'
import PersonCard from './person-card.vue'
import RoomAsk from './room-ask.vue'
import { useRoomPanel } from './room-panel.ts'
import { useRoom } from './room.ts'

const en = spoken(frameWords, 'en')
const messagingEn = spoken(messagingWords, 'en')
const moderatorEn = spoken(moderatorWords, 'en')
const moderatorZh = spoken(moderatorWords, 'zh')
const roomEn = spoken(roomWords, 'en')
const roomZh = spoken(roomWords, 'zh')
const roomMediaEn = spoken(roomMediaWords, 'en')

const { room: words } = roomEn
const { card } = moderatorEn.moderator
const at = { profileId: 'local', roomid: 7 }
const hosted = { profile: 'hosted-1', panel: { profileId: 'hosted-1' } } as const
const open = ({
  accid = 'ana',
  compact = false,
  ...options
}: Parameters<typeof mountedRoom>[1] & {
  accid?: string
  compact?: boolean
} = {}) => mountedRoom(withParts(withProps(PersonCard, { accid, compact }), RoomAsk, LinkDialog), options)
const person = (change: object = {}) => ({
  'operations.chatrooms.queryMembers': () => ({ desc: { data: [{ ...roomMember('ana'), ...change }] } }),
})
const button = (name: string | RegExp) => page.getByRole('button', { name })
const tab = (name: keyof typeof card.tabs) =>
  page.getByRole('group', { name: card.history }).getByRole('button', { name: card.tabs[name] })
const region = (name: keyof typeof card.tabs) => page.getByRole('region', { name: card.tabs[name] })
/** A figure at the head of the card, by its label. */
const figure = (label: string) =>
  page.getByRole('term').filter({ hasText: label }).element().nextElementSibling?.textContent ?? ''
const said = (msgid: string, attach: string) => ({
  msgid,
  at: began - Number(msgid) * 1_000,
  from: 'ana',
  type: 0,
  attach,
  removed: false,
  nick: 'Ana',
  clientId: msgid,
})

describe('who somebody in a room is', () => {
  it.each([
    [-1, words.role.limited],
    [0, words.role.ordinary],
    [2, words.role.admin],
    [3, words.role.viewer],
  ] as const)('is told with their role: %s', async (type, role) => {
    await open({ answers: person({ type }) })
    await expect.element(page.getByText(role, { exact: true })).toBeVisible()
  })

  it('is a robot where it is one, who is no moderator to be', async () => {
    await open({ answers: person({ isRobot: true }) })
    await expect.element(page.getByText(card.robot)).toBeVisible()
    expect(button(words.setAdmin).query()).toBeNull()
  })

  it('has the name that they have there, as it was written, and their accid', async () => {
    await open({ answers: person({ nick: '<b>Ana</b> {name} | 安娜' }) })
    await expect.element(page.getByRole('heading', { name: '<b>Ana</b> {name} | 安娜' })).toBeVisible()
    await expect.element(page.getByText('accid ana')).toBeVisible()
  })

  it('is not known before the service answers', async () => {
    const answer = Promise.withResolvers<void>()
    await open({
      answers: {
        'operations.chatrooms.queryMembers': async () => {
          await answer.promise
          return { desc: { data: [{ ...roomMember('ana'), enterTime: began - 90_000 }] } }
        },
      },
    })
    expect(figure(card.inRoom)).toBe('–')
    answer.resolve()
    await expect.poll(() => figure(card.inRoom)).toContain('1 min')
  })

  it('is there, or is not', async () => {
    await open({ answers: { 'operations.chatrooms.queryMembers': () => ({ desc: { data: [] } }) } })
    await expect.poll(() => figure(card.inRoom)).toContain(card.away)
  })

  it('is copied by their accid', async () => {
    await open()
    await button(words.copy).click()
    await expect.element(button(en.word.copied)).toBeVisible()
    expect(await navigator.clipboard.readText()).toBe('ana')
    // Said for some seconds.
    await expect.element(button(words.copy)).toBeVisible()
  })

  it('is not said to be copied where the browser refuses', async () => {
    await open()
    const refused = vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('refused'))
    onTestFinished(() => refused.mockRestore())
    await button(words.copy).click()
    await expect.poll(() => refused.mock.calls).toEqual([['ana']])
    await expect.element(button(words.copy)).toBeVisible()
    expect(button(en.word.copied).query()).toBeNull()
  })

  it('has the time at which they came with how long they are there', async () => {
    const { pass } = await open({ answers: person({ enterTime: began - 90_000 }) })
    await expect.poll(() => figure(card.inRoom)).toContain('1 min')
    await expect
      .element(page.getByTitle(card.since.replace('{time}', '2026-11-26 15:58')))
      .toMatchTextContent(card.inRoom)
    await pass(60_000)
    await expect.poll(() => figure(card.inRoom)).toContain('2 min')
  })

  it('has the first letter of their name, also of one beyond the usual signs', async () => {
    await open({ answers: person({ nick: '𝒶na' }) })
    await expect.element(page.getByText('𝒶', { exact: true })).toBeVisible()
  })

  it('is asked for in this room, with what was said and done', async () => {
    const { client } = await open()
    await expect.poll(() => client.inputs('rooms.note')).toEqual([{ profileId: 'local', accid: 'ana' }])
    expect(client.inputs('operations.chatrooms.queryMembers')).toEqual([
      { profileId: 'local', call: { roomid: 7, accids: ['ana'] } },
    ])
    expect(client.inputs('rooms.actions')).toEqual([{ profileId: 'local', target: 'ana' }])
    expect(client.inputs('rooms.history')).toEqual([
      { profileId: 'local', call: { roomid: 7, accid: 'ana', limit: 50 } },
    ])
  })
})

describe('measures on the card of a person', () => {
  const mutes = () => page.getByRole('group', { name: card.mute }).getByRole('button')

  it('are taken with the keyboard, and the focus stays on the button', async () => {
    const { client, pinia } = await open()
    const [, second] = useRoomPanel(pinia).presets
    mutes().first().element().focus()
    await userEvent.keyboard('{Tab}{Enter}')
    await expect
      .poll(() => client.inputs('rooms.act'))
      .toEqual([{ ...at, measure: { kind: 'temporaryMute', target: 'ana', seconds: second }, why: '' }])
    await expect.element(mutes().nth(1)).toHaveFocus()
  })

  it('say that they are possible when the service is back, and send nothing before', async () => {
    const { client, tell } = await open()
    await tell(service('restarting'))
    for (const measure of [mutes().first(), button(starting(words.blacklist)), button(words.setAdmin)]) {
      await expect.element(measure).toHaveAttribute('aria-disabled', 'true')
      await expect.element(measure).toHaveAttribute('title', en.blocker.down)
      await measure.click({ force: true })
    }
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
    expect(client.inputs('rooms.act')).toEqual([])
    await tell(service('running'))
    await mutes().first().click()
    await expect.poll(() => client.inputs('rooms.act').length).toBe(1)
  })

  it('tell what others read of them, which differs at a hosted service', async () => {
    await open(hosted)
    await expect.element(page.getByText(card.seenHosted)).toBeVisible()
    expect(page.getByText(card.seen).query()).toBeNull()
  })

  it('against a moderator are refused with the reason; the role can be taken back', async () => {
    await open({ answers: person({ type: 2 }) })
    await expect.element(page.getByRole('note')).toMatchTextContent(words.guard.admin)
    expect(mutes().query()).toBeNull()
    await expect.element(button(words.unsetAdmin)).toBeVisible()
  })

  it('keep the reason in its field when the service refuses', async () => {
    const { client } = await open({
      before: (pinia) => useRoomPanel(pinia).show('ana'),
      answers: {
        'rooms.act': () => {
          throw failed({ kind: 'code', code: 403 })
        },
      },
    })
    const reason = page.getByRole('textbox', { name: words.reason })
    await reason.fill('spam <b>')
    await mutes().first().click()
    await expect.poll(() => client.inputs('rooms.act').map(({ why }) => why)).toEqual(['spam <b>'])
    await expect.element(reason).toHaveValue('spam <b>')
    client.answer({ 'rooms.act': ({ measure }) => ({ action: roomAction(measure), taken: null }) })
    await mutes().first().click()
    await expect.element(reason).toHaveValue('')
  })

  it('ask with the reason that was typed, put it once, and give the question’s answer to that person', async () => {
    const answer = Promise.withResolvers<void>()
    const { client } = await open({
      answers: {
        'rooms.act': async ({ measure }) => {
          await answer.promise
          return { action: roomAction(measure), taken: null }
        },
      },
    })
    await page.getByRole('textbox', { name: words.reason }).fill('spam')
    await button(starting(words.blacklist)).click()
    const dialog = page.getByRole('dialog')
    await expect.element(dialog.getByRole('textbox', { name: words.reason })).toHaveValue('spam')
    await dialog.getByRole('button').last().click()
    await dialog.getByRole('button').last().click({ force: true })
    answer.resolve()
    await expect.element(dialog).not.toBeInTheDocument()
    expect(client.inputs('rooms.act')).toEqual([
      { ...at, measure: { kind: 'blacklist', target: 'ana', on: true }, why: 'spam' },
    ])
  })

  it('in force are told with the time that is left, as it goes by', async () => {
    const { pass } = await open({
      ...hosted,
      answers: person({ tempMuted: true, tempMuteTtl: 3_600 }),
    })
    const force = page.getByRole('list', { name: card.now })
    await expect.element(force).toMatchTextContent(card.force.temporary.replace('{time}', '1 h'))
    await pass(1_800_000)
    await expect.element(force).toMatchTextContent(card.force.temporary.replace('{time}', '30 min'))
    await pass(1_800_000)
    await expect.element(force).not.toBeInTheDocument()
  })

  it('in force are not known of somebody who is away from a hosted room', async () => {
    await open({ ...hosted, answers: { 'operations.chatrooms.queryMembers': () => ({ desc: { data: [] } }) } })
    await expect.element(page.getByText(card.notGiven.replace('{name}', 'Harbour production'))).toBeVisible()
  })
})

describe('the past on the card of a person', () => {
  it('has what they said, the newest first, as it was written', async () => {
    await open({
      answers: {
        'rooms.history': () => ({ ret: { list: [said('1', '<i>last</i> {n}'), said('2', 'first')], more: false } }),
      },
    })
    await expect.element(region('lines')).toMatchTextContent(/<i>last<\/i> \{n\}.*first/s)
    expect(figure(card.lines)).toBe('2')
  })

  it('goes on with what they say now, and says what was removed', async () => {
    const { tell } = await open({
      answers: { 'rooms.history': () => ({ ret: { list: [{ ...said('1', 'bad'), removed: true }], more: false } }) },
    })
    await expect.element(region('lines')).toMatchTextContent(card.gone)
    await tell(saidLine('99', 'ana', 'good'), saidLine('100', 'lee', 'of another'))
    await expect.element(region('lines')).toMatchTextContent('good')
    expect(region('lines').element().textContent).not.toContain('of another')
  })

  it('is read further back from the oldest line, as often as there is more', async () => {
    const { client } = await open({
      answers: {
        'rooms.history': ({ call }) => ({
          ret:
            call.before === undefined
              ? { list: [said('1', 'new'), said('2', 'old')], more: true }
              : { list: [said('3', 'oldest')], more: false },
        }),
      },
    })
    await expect.element(region('lines')).toMatchTextContent('old')
    expect(figure(card.lines)).toBe('2+')
    await button(card.more).click()
    await expect.element(region('lines')).toMatchTextContent('oldest')
    expect(client.inputs('rooms.history')[1]).toEqual({
      profileId: 'local',
      call: { roomid: 7, accid: 'ana', limit: 50, before: '2' },
    })
    await expect.element(button(card.more)).not.toBeInTheDocument()
  })

  it('says that nothing was said and nothing was done', async () => {
    await open()
    await expect.element(page.getByText(card.noLines)).toBeVisible()
    await tab('actions').click()
    await expect.element(page.getByText(card.noActions)).toBeVisible()
    await expect.element(tab('actions')).toHaveAttribute('aria-pressed', 'true')
  })

  it('has what was done to them, by whom, why and with what result', async () => {
    await open({
      answers: {
        'rooms.actions': () => [
          roomAction({ kind: 'mute', target: 'ana', on: true }, { why: 'b<d', operator: 'mei', result: 'failed' }),
        ],
      },
    })
    await tab('actions').click()
    for (const text of ['Mute set', 'b<d', 'mei', words.result.failed])
      await expect.element(region('actions')).toMatchTextContent(text)
    expect(figure(card.past)).toBe('1')
  })

  it('has what was done before by its button, from the oldest entry on', async () => {
    const { client } = await open({
      answers: {
        'rooms.actions': ({ before = 131 }) =>
          Array.from({ length: Math.min(100, before - 1) }, (_, n) =>
            roomAction({ kind: 'mute', target: 'ana', on: true }, { id: before - 1 - n }),
          ),
      },
    })
    await expect.poll(() => figure(card.past)).toBe('100+')
    await tab('actions').click()
    await button(card.more).click()
    await expect.poll(() => figure(card.past)).toBe('130')
    expect(client.inputs('rooms.actions').at(-1)).toEqual({ profileId: 'local', target: 'ana', before: 31 })
    await expect.element(button(card.more)).not.toBeInTheDocument()
  })

  it('has 100 lines at once, and more by the button without asking for what is known', async () => {
    const { client } = await open({
      answers: {
        'rooms.history': () => ({
          ret: { list: Array.from({ length: 230 }, (_, n) => said(String(n + 1), `said ${n}.`)), more: false },
        }),
      },
    })
    const drawn = () => region('lines').element().querySelectorAll('[dir="auto"]').length
    await expect.poll(drawn).toBe(100)
    expect(region('lines').element().textContent).toContain('said 0.')
    await button(card.more).click()
    await expect.poll(drawn).toBe(200)
    await button(card.more).click()
    await expect.poll(drawn).toBe(230)
    expect(client.inputs('rooms.history')).toHaveLength(1)
    await expect.element(button(card.more)).not.toBeInTheDocument()
  })

  it('is asked for again after a measure of this page', async () => {
    const { client, pinia } = await open()
    await expect.poll(() => client.inputs('rooms.actions').length).toBe(1)
    await useRoom(pinia).act({ kind: 'mute', target: 'ana', on: true })
    await expect.poll(() => client.inputs('rooms.actions').length).toBe(2)
  })

  it('says what could not be read', async () => {
    await open({
      answers: {
        'rooms.history': () => {
          throw failed({ kind: 'code', code: 403 })
        },
      },
    })
    await expect.element(page.getByRole('alert')).toMatchTextContent(errorTable[403].sentence.en)
  })

  it('has their sign-ins, asked for only when they are looked at', async () => {
    const { client } = await open({ answers: { 'operations.history.userEvents': () => ({ size: 0, events: [] }) } })
    await expect.element(tab('signIns')).toBeVisible()
    expect(client.inputs('operations.history.userEvents')).toEqual([])
    await tab('signIns').click()
    await expect
      .poll(() => client.inputs('operations.history.userEvents'))
      .toEqual([{ profileId: 'local', call: { accid: 'ana', limit: 50, reverse: 2 } }])
    await expect.element(page.getByText(messagingEn.messaging.events.none)).toBeVisible()
  })

  it('has no sign-ins of a robot', async () => {
    const { client } = await open({ answers: person({ isRobot: true }) })
    await tab('signIns').click()
    await expect.element(page.getByText(card.noSignIns)).toBeVisible()
    expect(client.inputs('operations.history.userEvents')).toEqual([])
  })

  it('leads from a line to its second of the recording', async () => {
    const { pinia } = await open({
      answers: { 'rooms.history': () => ({ ret: { list: [said('5', 'here')], more: false } }) },
    })
    await region('lines').getByRole('button', { name: roomMediaEn.roomMedia.open }).click()
    expect(useRoomPanel(pinia).second?.msgid).toBe('5')
  })

  it('asks before it opens an address that they wrote', async () => {
    const { client } = await open({
      answers: { 'rooms.history': () => ({ ret: { list: [said('5', 'see https://example.com/x')], more: false } }) },
    })
    await button('https://example.com/x').click()
    await expect.element(page.getByRole('dialog')).toMatchTextContent('https://example.com/x')
    expect(client.inputs('app.openLink')).toEqual([])
  })

  it('says that a hosted service does not give what was said before', async () => {
    await open(hosted)
    await expect.element(page.getByText(card.noHistory.replace('{name}', 'Harbour production'))).toBeVisible()
  })
})

describe('the private note about a person', () => {
  const field = () => page.getByRole('textbox', { name: words.note })

  it('is kept once, however the field is left, and said to be', async () => {
    const { client } = await open({
      answers: { 'rooms.note': () => ({ text: 'before' }), 'rooms.setNote': () => undefined },
    })
    await expect.element(field()).toHaveValue('before')
    await field().fill('after <b>')
    await userEvent.keyboard('{Enter}{Tab}')
    await expect.element(page.getByText(card.noteSaved)).toBeInTheDocument()
    expect(client.inputs('rooms.setNote')).toEqual([{ profileId: 'local', accid: 'ana', text: 'after <b>' }])
  })

  it('that was not changed is not sent', async () => {
    const { client } = await open({ answers: { 'rooms.note': () => ({ text: 'before' }) } })
    await expect.element(field()).toHaveValue('before')
    await field().click()
    await userEvent.keyboard('{Tab}')
    expect(client.inputs('rooms.setNote')).toEqual([])
  })

  it('that could not be kept stays in the field, with the reason', async () => {
    await open({
      answers: {
        'rooms.setNote': () => {
          throw failed({ kind: 'full' })
        },
      },
    })
    await field().fill('kept')
    await userEvent.keyboard('{Tab}')
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
    await expect.element(field()).toHaveValue('kept')
  })
})

describe('the card of a person at another computer', () => {
  it('has no note, no role to give, no recording and no sign-ins', async () => {
    const { client } = await open({
      about: { seat },
      answers: { 'rooms.history': () => ({ ret: { list: [said('5', 'here')], more: false } }) },
    })
    await expect.element(region('lines')).toMatchTextContent('here')
    expect(page.getByRole('textbox', { name: words.note }).query()).toBeNull()
    expect(button(words.setAdmin).query()).toBeNull()
    expect(button(roomMediaEn.roomMedia.open).query()).toBeNull()
    expect(tab('signIns').query()).toBeNull()
    expect(client.inputs('rooms.note')).toEqual([])
    expect(client.inputs('rooms.actions')).toEqual([{ ...at, target: 'ana' }])
  })
})

describe('the card of a person above a composer', () => {
  it('has the past in the place of the measures, and back again', async () => {
    await open({ compact: true })
    const look = button(card.history)
    await expect.element(look).toHaveAttribute('aria-expanded', 'false')
    expect(region('lines').query()).toBeNull()
    await look.click()
    await expect.element(region('lines')).toBeVisible()
    expect(page.getByRole('group', { name: card.mute }).query()).toBeNull()
    await button(card.back).click()
    await expect.element(page.getByRole('group', { name: card.mute })).toBeVisible()
  })
})

it('the card of a person has its words in Chinese', async () => {
  await open({ language: 'zh', answers: { ...person({ type: 0 }), 'rooms.history': () => emptyPage } })
  const { card: zh } = moderatorZh.moderator
  await expect.element(page.getByText(roomZh.room.role.ordinary, { exact: true })).toBeVisible()
  await expect.element(page.getByRole('group', { name: zh.mute })).toBeVisible()
  await expect.element(page.getByText(zh.noLines)).toBeVisible()
  await expect.element(button(starting(roomZh.room.blacklist))).toBeVisible()
})
