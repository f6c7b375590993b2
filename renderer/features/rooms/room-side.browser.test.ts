import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { service, withParts } from '../../testing/mounted.ts'
import { mountedRoom } from '../../testing/mounted-room.ts'
import { failed } from '../../testing/memory-client.ts'
import { roomAction, roomPanel, seat } from '../../testing/room-values.ts'
import LinkDialog from '../../ui/link-dialog.vue'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { roomWords } from './words.ts'
import RoomSide from './room-side.vue'
import { useRoomPanel } from './room-panel.ts'
import { useRoom } from './room.ts'

const en = spoken(frameWords, 'en')
const roomEn = spoken(roomWords, 'en')
const roomZh = spoken(roomWords, 'zh')

const { room: words } = roomEn
const at = { profileId: 'local', roomid: 7 }
const open = (options: Parameters<typeof mountedRoom>[1] = {}) => mountedRoom(withParts(RoomSide, LinkDialog), options)
const button = (name: string) => page.getByRole('button', { name, exact: true })
const measures = (client: Awaited<ReturnType<typeof open>>['client']) =>
  client.inputs('rooms.act').map(({ measure }) => measure)
const refused = () => {
  throw failed({ kind: 'code', code: 403 })
}

describe('the announcement of a room', () => {
  const field = () => page.getByRole('textbox', { name: words.announcement })
  const edit = () => button(words.edit)
  const save = () => button(words.save)

  it('stands as the text that was written, and says when there is none', async () => {
    const { tell } = await open({ panel: { announcement: 'Tonight <i>9</i> pm {name}\nsee you' } })
    await expect.element(page.getByText(/^Tonight <i>9<\/i> pm \{name\}/)).toBeVisible()
    await tell({ type: 'room', panel: roomPanel({ announcement: '' }) })
    await expect.element(page.getByText(words.noAnnouncement)).toBeVisible()
  })

  it('asks before it opens an address in it', async () => {
    const { client } = await open({ panel: { announcement: 'see https://example.com/show' } })
    await button('https://example.com/show').click()
    await expect.element(page.getByRole('dialog')).toMatchTextContent('https://example.com/show')
    expect(client.inputs('app.openLink')).toEqual([])
  })

  it('is changed from what stands there: the field has the focus, and the button saves', async () => {
    const { client } = await open({ panel: { announcement: 'before' } })
    await edit().click()
    await expect.element(field()).toHaveFocus()
    await expect.element(field()).toHaveValue('before')
    await field().fill('after {no} slots')
    await save().click()
    await expect
      .poll(() => client.inputs('rooms.act'))
      .toEqual([{ ...at, measure: { kind: 'announce', text: 'after {no} slots', was: 'before' }, why: '' }])
    await expect.element(edit()).toBeVisible()
  })

  it('is saved with Ctrl Enter, and left with Esc', async () => {
    const { client } = await open({ panel: { announcement: 'before' } })
    await edit().click()
    await field().fill('dropped')
    await userEvent.keyboard('{Escape}')
    await expect.element(field()).not.toBeInTheDocument()
    expect(measures(client)).toEqual([])
    await edit().click()
    await expect.element(field()).toHaveValue('before')
    await field().fill('after')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect.poll(() => measures(client)).toEqual([{ kind: 'announce', text: 'after', was: 'before' }])
  })

  it('is saved once, however often it is pressed before the answer', async () => {
    const answer = Promise.withResolvers<void>()
    const { client } = await open({
      panel: { announcement: 'before' },
      answers: {
        'rooms.act': async ({ measure }) => {
          await answer.promise
          return { action: roomAction(measure), taken: null }
        },
      },
    })
    await edit().click()
    await field().fill('after')
    await userEvent.keyboard('{Control>}{Enter}{Enter}{/Control}')
    await save().click({ force: true })
    answer.resolve()
    await expect.element(edit()).toBeVisible()
    expect(measures(client)).toEqual([{ kind: 'announce', text: 'after', was: 'before' }])
  })

  it('goes on being changed where something was typed while it was saved', async () => {
    const answer = Promise.withResolvers<void>()
    const { client } = await open({
      panel: { announcement: 'before' },
      answers: {
        'rooms.act': async ({ measure }) => {
          await answer.promise
          return { action: roomAction(measure), taken: null }
        },
      },
    })
    await edit().click()
    await field().fill('after')
    await save().click()
    await field().fill('after that')
    answer.resolve()
    // Only the answer makes the text that was sent the one to replace.
    await expect
      .poll(async () => {
        await save().click()
        return measures(client).at(-1)
      })
      .toEqual({ kind: 'announce', text: 'after that', was: 'after' })
  })

  it('that is refused stays in the field', async () => {
    const { pinia } = await open({ answers: { 'rooms.act': refused } })
    await edit().click()
    await field().fill('mine')
    await save().click()
    await expect.poll(() => useRoom(pinia).refusals.length).toBe(1)
    await expect.element(field()).toHaveValue('mine')
  })

  it('that somebody else has changed meanwhile is shown, and replaced only by a press of its own', async () => {
    const { client, tell } = await open({ panel: { announcement: 'before' } })
    await edit().click()
    await field().fill('mine')
    await tell({ type: 'room', panel: roomPanel({ announcement: 'theirs' }) })
    await expect.element(page.getByRole('alert')).toMatchTextContent('theirs')
    await expect.element(save()).not.toBeInTheDocument()
    await field().click()
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    expect(measures(client)).toEqual([])
    await button(words.replaceIt).click()
    await expect.poll(() => measures(client)).toEqual([{ kind: 'announce', text: 'mine', was: 'theirs' }])
  })

  it('that somebody else has changed is kept by the other button', async () => {
    const { client, tell } = await open({ panel: { announcement: 'before' } })
    await edit().click()
    await field().fill('mine')
    await tell({ type: 'room', panel: roomPanel({ announcement: 'theirs' }) })
    await button(words.keepIt).click()
    await expect.element(page.getByText('theirs', { exact: true })).toBeVisible()
    expect(measures(client)).toEqual([])
  })

  it('is edited on the key, and is not saved while the service is down', async () => {
    const { client, pinia, tell } = await open()
    useRoomPanel(pinia).editing = true
    await expect.element(field()).toHaveFocus()
    await field().fill('mine')
    await tell(service('restarting'))
    await expect.element(save()).toHaveAttribute('title', en.blocker.down)
    await save().click({ force: true })
    expect(measures(client)).toEqual([])
    await expect.element(field()).toHaveValue('mine')
  })
})

describe('the slow mode of a room', () => {
  const field = () => page.getByRole('textbox', { name: words.slow })
  const save = () => page.getByRole('button', { name: words.save })

  it('is set in seconds by the button that comes with a change', async () => {
    const { client, tell } = await open({ panel: { slow: 5 } })
    await expect.element(field()).toHaveValue('5')
    expect(save().query()).toBeNull()
    await field().fill('30')
    await save().click()
    await expect
      .poll(() => client.inputs('rooms.act'))
      .toEqual([{ ...at, measure: { kind: 'slowMode', seconds: 30 }, why: '' }])
    await tell({ type: 'room', panel: roomPanel({ slow: 30 }) })
    await expect.element(save()).not.toBeInTheDocument()
  })

  it('is set with Enter, and goes back to what holds with Esc', async () => {
    const { client } = await open({ panel: { slow: 5 } })
    await field().fill('30')
    await userEvent.keyboard('{Escape}')
    await expect.element(field()).toHaveValue('5')
    await field().fill('60')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => measures(client)).toEqual([{ kind: 'slowMode', seconds: 60 }])
  })

  it.each(['-1', '1.5', '3601', 'abc', ''])('refuses what is no number of seconds: “%s”', async (typed) => {
    const { client } = await open()
    await field().fill(typed)
    await expect.element(page.getByText(words.slowFault)).toBeVisible()
    await userEvent.keyboard('{Enter}')
    expect(measures(client)).toEqual([])
  })

  it('follows the room, but not over what is being entered', async () => {
    const { tell } = await open({ panel: { slow: 5 } })
    await tell({ type: 'room', panel: roomPanel({ slow: 10 }) })
    await expect.element(field()).toHaveValue('10')
    await field().fill('45')
    await tell({ type: 'room', panel: roomPanel({ slow: 20 }) })
    await expect.element(field()).toHaveValue('45')
  })

  it('is not offered for a hosted room', async () => {
    await open({ profile: 'hosted-1', panel: { profileId: 'hosted-1' } })
    await expect.element(page.getByRole('heading', { name: words.rules })).toBeVisible()
    expect(field().query()).toBeNull()
  })

  it('is not set while the service is down', async () => {
    const { client, tell } = await open()
    await field().fill('30')
    await tell(service('restarting'))
    await save().click({ force: true })
    expect(measures(client)).toEqual([])
    await expect.element(field()).toHaveValue('30')
  })
})

describe('the robots of a room', () => {
  const field = () => page.getByRole('textbox', { name: words.robots })
  const add = () => button(words.robotsAdd)

  it.each([
    ['put in', words.robotsAdd, true],
    ['taken out', words.robotsRemove, false],
  ] as const)('are %s by their accids, in any case and with any commas', async (_case, name, on) => {
    const { client } = await open()
    await field().fill('Bot_1, bot.2，bot-3  bot@4')
    await button(name).click()
    await expect
      .poll(() => client.inputs('rooms.act'))
      .toEqual([{ ...at, measure: { kind: 'robots', accids: ['bot_1', 'bot.2', 'bot-3', 'bot@4'], on }, why: '' }])
    await expect.element(field()).toHaveValue('')
  })

  it('that are no accids are named, and nothing is sent', async () => {
    const { client } = await open()
    await field().fill('fine, b<d, 机器人')
    await expect.element(page.getByText(words.robotsFault.replace('{names}', 'b<d, 机器人'))).toBeVisible()
    await add().click()
    expect(client.inputs('rooms.act')).toEqual([])
  })

  it('are at most 100 at once', async () => {
    const { client } = await open()
    await field().fill(Array.from({ length: 101 }, (_, n) => `b${n}`).join(' '))
    await expect.element(page.getByText(words.maxRobots.replace('{n}', '100'))).toBeVisible()
    await add().click()
    expect(client.inputs('rooms.act')).toEqual([])
  })

  it('are not sent when none is named', async () => {
    const { client } = await open()
    await field().fill(' , ')
    await add().click()
    expect(client.inputs('rooms.act')).toEqual([])
  })

  it('stay in the field when they are refused', async () => {
    const { client } = await open({ answers: { 'rooms.act': refused } })
    await field().fill('bot_1')
    await add().click()
    await expect.poll(() => client.inputs('rooms.act').length).toBe(1)
    await expect.element(field()).toHaveValue('bot_1')
  })
})

describe('what stands beside the chat', () => {
  it('has no robots for a moderator at another computer, and no rules of a hosted room for them', async () => {
    await open({ about: { seat } })
    await expect.element(page.getByRole('textbox', { name: words.slow })).toBeVisible()
    expect(page.getByRole('textbox', { name: words.robots }).query()).toBeNull()
  })

  it('has its words in Chinese', async () => {
    await open({ language: 'zh' })
    await expect.element(page.getByRole('heading', { name: roomZh.room.rules })).toBeVisible()
    await expect.element(page.getByRole('heading', { name: roomZh.room.announcement })).toBeVisible()
    await page.getByRole('textbox', { name: roomZh.room.slow }).fill('x')
    await expect.element(page.getByText(roomZh.room.slowFault)).toBeVisible()
  })
})
