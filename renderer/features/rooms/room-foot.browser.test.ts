import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { service, withProps } from '../../testing/mounted.ts'
import { mountedRoom } from '../../testing/mounted-room.ts'
import { failed } from '../../testing/memory-client.ts'
import { roomAction, roomPanel, saidLine } from '../../testing/room-values.ts'
import RoomFoot from './room-foot.vue'
import { useRoomPanel } from './room-panel.ts'
import { spoken } from '../../format/languages.ts'
import { roomWords } from './words.ts'
import { roomPanelWords } from './words-panel.ts'

const roomEn = spoken(roomWords, 'en')
const roomZh = spoken(roomWords, 'zh')
const roomPanelEn = spoken(roomPanelWords, 'en')
const roomPanelZh = spoken(roomPanelWords, 'zh')

const { room: words } = roomEn
const at = { profileId: 'local', roomid: 7 }
const said = () => ({ msgid: '9', at: Date.now() })
const open = ({
  layout = 'full',
  ...options
}: Parameters<typeof mountedRoom>[1] & { layout?: 'full' | 'dock' | 'popOut' } = {}) =>
  mountedRoom(withProps(RoomFoot, { layout }), options)
const field = (name = words.say.replace('{name}', 'host')) => page.getByRole('textbox', { name })
const send = () => page.getByRole('button', { name: words.send })
const panic = () => page.getByRole('button', { name: new RegExp(`^${words.muteRoom}`) })

describe('what is said into a room', () => {
  it.each([
    ['Enter', () => userEvent.keyboard('{Enter}')],
    ['the button', () => send().click()],
  ] as const)('is sent by %s, without spaces around it, and the field is empty then', async (_case, press) => {
    const { client } = await open({ answers: { 'rooms.say': said } })
    await field().fill('  hello <b>all</b> ')
    await press()
    await expect.poll(() => client.inputs('rooms.say')).toEqual([{ ...at, text: 'hello <b>all</b>' }])
    await expect.element(field()).toHaveValue('')
  })

  it('is not sent while there is nothing to read in it', async () => {
    const { client } = await open()
    await field().fill('   ')
    await userEvent.keyboard('{Enter}')
    await send().click()
    expect(client.inputs('rooms.say')).toEqual([])
  })

  it('is sent once, however often it is pressed before the answer; what is typed meanwhile stays', async () => {
    const answer = Promise.withResolvers<ReturnType<typeof said>>()
    const { client } = await open({ answers: { 'rooms.say': () => answer.promise } })
    await field().fill('one')
    await userEvent.keyboard('{Enter}{Enter}')
    await send().click({ force: true })
    await field().fill('two')
    answer.resolve(said())
    await expect.element(send()).toBeEnabled()
    await expect.element(field()).toHaveValue('two')
    expect(client.inputs('rooms.say').map(({ text }) => text)).toEqual(['one'])
  })

  it('stays in the field when the service refuses it, with the reason kept for the notes', async () => {
    const { pinia } = await open({
      answers: {
        'rooms.say': () => {
          throw failed({ kind: 'code', code: 403 })
        },
      },
    })
    await field().fill('hello')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => useRoomPanel(pinia).sayFailure?.code).toBe(403)
    await expect.element(field()).toHaveValue('hello')
    await expect.element(send()).toBeEnabled()
  })

  it('lets the lines go on that were frozen', async () => {
    const { pinia } = await open({
      answers: { 'rooms.say': said },
      before: (stores) => void (useRoomPanel(stores).frozen = true),
    })
    await field().fill('hello')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => useRoomPanel(pinia).frozen).toBe(false)
  })

  it('is said after the app has gone into a room that it is not in', async () => {
    const { client } = await open({
      panel: { phase: 'refused', reason: { code: 'closed', params: {} } },
      answers: { 'rooms.say': said, 'rooms.enter': () => roomPanel() },
    })
    await field().fill('hello')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => client.inputs('rooms.say').length).toBe(1)
    expect(
      client.calls.map(({ path }) => path).filter((path) => path === 'rooms.enter' || path === 'rooms.say'),
    ).toEqual(['rooms.enter', 'rooms.say'])
  })

  it('waits while the service is down: the field keeps it and says so, and neither Enter nor the button sends', async () => {
    const { client, tell } = await open()
    await tell(service('restarting'))
    await expect.element(field()).toHaveAttribute('placeholder', roomPanelEn.roomPanel.sayLater)
    await expect.element(send()).toHaveAttribute('aria-disabled', 'true')
    await expect.element(send()).toHaveAttribute('title', roomPanelEn.roomPanel.sayLater)
    await field().fill('later')
    await userEvent.keyboard('{Enter}')
    await send().click({ force: true })
    expect(client.inputs('rooms.say')).toEqual([])
    await expect.element(field()).toHaveValue('later')
    client.answer({ 'rooms.say': said })
    await tell(service('running'))
    await field().click()
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => client.inputs('rooms.say').map(({ text }) => text)).toEqual(['later'])
  })

  it('is written by the moderator of the page, or by the host', async () => {
    await open({ about: { seat: { ...at, cid: null, accid: 'mei', name: '小梅' } } })
    await expect.element(field(words.say.replace('{name}', '小梅'))).toBeVisible()
  })

  it('gets the focus when the key asks for it, and gives it back with Esc', async () => {
    const { pinia } = await open()
    useRoomPanel(pinia).wish = { field: 'composer' }
    await expect.element(field()).toHaveFocus()
    await userEvent.keyboard('x{Escape}')
    await expect.element(field()).not.toHaveFocus()
    await expect.element(field()).toHaveValue('x')
  })
})

describe('the mute of a whole room', () => {
  it('is taken by the button, of this room', async () => {
    const { client } = await open()
    await panic().click()
    await expect
      .poll(() => client.inputs('rooms.act'))
      .toEqual([{ ...at, measure: { kind: 'muteRoom', on: true }, why: '' }])
  })

  it('cannot be pressed while the room is muted: its place stays, without a button', async () => {
    const { client, tell } = await open()
    await expect.element(panic()).toBeVisible()
    const { left } = send().element().getBoundingClientRect()
    await tell({ type: 'room', panel: roomPanel({ muted: true }) })
    await expect.element(panic()).not.toBeInTheDocument()
    expect(send().element().getBoundingClientRect().left).toBe(left)
    await userEvent.click(send())
    await userEvent.keyboard('{Tab}{Enter}')
    expect(client.inputs('rooms.act')).toEqual([])
  })

  it('is not sent while the service is down', async () => {
    const { client, tell } = await open()
    await tell(service('restarting'))
    await expect.element(panic()).toHaveAttribute('aria-disabled', 'true')
    await panic().click({ force: true })
    expect(client.inputs('rooms.act')).toEqual([])
  })

  it('that is refused stays to be pressed again', async () => {
    const { client } = await open({
      answers: {
        'rooms.act': () => {
          throw failed({ kind: 'code', code: 403 })
        },
      },
    })
    await panic().click()
    await expect.poll(() => client.inputs('rooms.act').length).toBe(1)
    client.answer({ 'rooms.act': ({ measure }) => ({ action: roomAction(measure), taken: null }) })
    await panic().click()
    await expect.poll(() => client.inputs('rooms.act').length).toBe(2)
  })
})

describe('the lines a minute beside a picture', () => {
  const rate = (n: number | string) => page.getByText(new RegExp(`^${n} lines? a minute`))

  it('counts those of the last minute, and not while the service is down', async () => {
    const { tell, pass } = await open({ layout: 'dock' })
    await expect.element(rate(0)).toBeVisible()
    await tell(saidLine('1', 'ana', 'one'), saidLine('2', 'lee', 'two'))
    await pass(1_000)
    await expect.element(rate(2)).toBeVisible()
    await tell(service('restarting'))
    await expect.element(rate('–')).toBeVisible()
  })

  it('is told beside a picture only', async () => {
    await open({ layout: 'popOut' })
    await expect.element(panic()).toBeVisible()
    expect(page.getByText(/a minute/).query()).toBeNull()
  })
})

it('the foot of a room has its words in Chinese', async () => {
  const { tell } = await open({ language: 'zh' })
  await expect.element(field(roomZh.room.say.replace('{name}', 'host'))).toBeVisible()
  await expect.element(page.getByRole('button', { name: new RegExp(`^${roomZh.room.muteRoom}`) })).toBeVisible()
  await tell(service('restarting'))
  await expect.element(page.getByPlaceholder(roomPanelZh.roomPanel.sayLater)).toBeVisible()
})
