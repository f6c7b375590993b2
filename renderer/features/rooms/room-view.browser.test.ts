import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { RoomPanel } from '../../../contract/rpc/index.ts'
import { failed } from '../../testing/memory-client.ts'
import { mounted, service, withParts } from '../../testing/mounted.ts'
import { quietRoom } from '../../testing/mounted-room.ts'
import { roomPanel } from '../../testing/room-values.ts'
import FrameNotes from '../frame/frame-notes.vue'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { roomPanelWords } from './words-panel.ts'
import { roomWords } from './words.ts'
import RoomView from './room-view.vue'
import { useRoomPanel } from './room-panel.ts'
import { useRoom } from './room.ts'

const en = spoken(frameWords, 'en')
const roomPanelEn = spoken(roomPanelWords, 'en')
const roomEn = spoken(roomWords, 'en')
const roomZh = spoken(roomWords, 'zh')

const { room: words } = roomEn
const listed = (roomid: number, name: string) => ({ roomid, name, creator: 'host', valid: true, online: 1, cid: null })
const seven = listed(7, 'Seven')
const eight = listed(8, 'Eight')
type Options = Parameters<typeof mounted>[1] & {
  readonly rooms?: ReturnType<typeof listed>[]
  readonly panel?: Partial<RoomPanel>
}
const show = ({ rooms = [seven, eight], panel, ...options }: Options = {}) =>
  mounted(withParts(FrameNotes, RoomView), {
    path: '/room',
    ...options,
    answers: {
      ...quietRoom,
      'rooms.list': () => ({ complete: true, rooms, next: null }),
      'rooms.enter': ({ roomid }) => roomPanel({ roomid, ...panel }),
      ...options.answers,
    },
  })
const choice = () => page.getByRole('combobox', { name: words.choose })
const tabs = () => page.getByRole('group', { name: words.title })
const button = (name: string) => page.getByRole('button', { name, exact: true })
const dialog = () => page.getByRole('dialog')
const entered = (client: Awaited<ReturnType<typeof show>>['client']) =>
  client.inputs('rooms.enter').map(({ roomid }) => roomid)

describe('the screen of a room', () => {
  it('begins with the first room, with its chat and a place for a person', async () => {
    const { client } = await show()
    await expect.element(choice()).toHaveValue('7')
    await expect.element(tabs()).toBeVisible()
    await expect.element(page.getByText(words.noCard)).toBeVisible()
    expect(entered(client)).toEqual([7])
  })

  it('begins with the room that was shown last', async () => {
    const { client } = await show({ memory: new Map([['sidestage.room.local', '8']]) })
    await expect.element(choice()).toHaveValue('8')
    expect(entered(client)).toEqual([8])
  })

  it('begins with the room that its address asks for, once', async () => {
    const { client, router } = await show({ path: '/room?open=8' })
    await expect.element(choice()).toHaveValue('8')
    expect(entered(client)).toEqual([8])
    await expect.poll(() => router.currentRoute.value.fullPath).toBe('/room')
  })

  it('goes to a room that is asked for while it is shown', async () => {
    const { client, router } = await show()
    await expect.element(choice()).toHaveValue('7')
    await router.push('/room?open=8')
    await expect.element(choice()).toHaveValue('8')
    await expect.poll(() => entered(client)).toEqual([7, 8])
  })

  it('goes to the room that is chosen', async () => {
    const { client } = await show()
    await choice().selectOptions('8')
    await expect.poll(() => entered(client)).toEqual([7, 8])
    await expect.element(choice()).toHaveValue('8')
  })

  it('offers to make one more room, and shows that one', async () => {
    const { client } = await show({
      answers: {
        'rooms.list': () => ({ complete: true, rooms: [listed(9, 'Nine'), seven, eight], next: null }),
        'rooms.create': () => roomPanel({ roomid: 9 }),
      },
      memory: new Map([['sidestage.room.local', '7']]),
    })
    await expect.element(tabs()).toBeVisible()
    await choice().selectOptions(words.other)
    await expect.element(tabs()).not.toBeInTheDocument()
    await page.getByLabelText(words.name, { exact: true }).fill('Nine')
    await button(words.create).click()
    await expect.poll(() => client.inputs('rooms.create').map(({ name }) => name)).toEqual(['Nine'])
    await expect.element(tabs()).toBeVisible()
    await expect.element(choice()).toHaveValue('9')
  })

  it.each([
    ['en', words],
    ['zh', roomZh.room],
  ] as const)('says that there is no room yet, and makes the first one, in %s', async (language, each) => {
    await show({ rooms: [], language })
    await expect.element(page.getByText(each.none)).toBeVisible()
    await expect.element(button(each.create)).toBeVisible()
    expect(page.getByRole('combobox', { name: each.choose }).query()).toBeNull()
    expect(button(each.closeRoom).query()).toBeNull()
  })

  it('reads more rooms where there are more', async () => {
    const { client } = await show({
      answers: {
        'rooms.list': ({ before }) => ({ complete: true, rooms: before ? [eight] : [seven], next: before ? null : 7 }),
      },
    })
    const more = button(words.moreRooms.replace('{n}', '1'))
    await more.click()
    await expect.poll(() => choice().element().querySelectorAll('option')).toHaveLength(3)
    expect(client.inputs('rooms.list').at(-1)).toEqual({ profileId: 'local', before: 7 })
    await expect.element(more).not.toBeInTheDocument()
  })

  it('says why the rooms could not be read', async () => {
    await show({
      answers: {
        'rooms.list': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    expect(tabs().query()).toBeNull()
  })

  it('counts who is inside, only while the app is in the room', async () => {
    const { tell } = await show({ panel: { online: 1284 } })
    await expect.element(page.getByText(`${words.online} 1,284`)).toBeVisible()
    await tell({ type: 'room', panel: roomPanel({ phase: 'connecting', online: 1284 }) })
    await expect.element(page.getByText(`${words.online} 1,284`)).not.toBeInTheDocument()
  })

  it('is closed only after a question', async () => {
    const { client } = await show()
    await button(words.closeRoom).click()
    await expect.element(dialog()).toMatchTextContent(words.closeAsk)
    expect(client.inputs('rooms.act')).toEqual([])
    await dialog()
      .getByRole('button', { name: words.closeRoom.replace('…', '') })
      .click()
    await expect
      .poll(() => client.inputs('rooms.act').map(({ measure }) => measure))
      .toEqual([{ kind: 'openRoom', on: false }])
  })

  it('is opened again by its button where it is closed', async () => {
    const { client } = await show({ panel: { phase: 'refused', reason: { code: 'closed', params: {} } } })
    expect(button(words.closeRoom).query()).toBeNull()
    await button(words.openRoom).first().click()
    await expect
      .poll(() => client.inputs('rooms.act').map(({ measure }) => measure))
      .toEqual([{ kind: 'openRoom', on: true }])
  })

  it('shows the card of a person in place of the hint', async () => {
    const { pinia } = await show()
    await expect.element(tabs()).toBeVisible()
    useRoomPanel(pinia).shown = 'lee'
    await expect.element(page.getByRole('heading', { name: 'lee' })).toBeVisible()
    await expect.element(page.getByText(words.noCard)).not.toBeInTheDocument()
  })

  it('asks nothing of a service that is down, says so, and goes into the room when it is back', async () => {
    const { client, tell } = await show({ events: [service('restarting')] })
    await expect.element(page.getByText(roomPanelEn.roomPanel.lostNow)).toBeVisible()
    expect(client.inputs('rooms.list')).toEqual([])
    await tell(service('running'))
    await expect.poll(() => entered(client)).toEqual([7])
    await expect.element(tabs()).toBeVisible()
  })

  it('keeps the room that was shown last while the service is down', async () => {
    const { client, pinia } = await show({
      events: [service('restarting')],
      memory: new Map([['sidestage.room.local', '8']]),
    })
    await expect.element(tabs()).toBeVisible()
    expect(useRoom(pinia).roomid).toBe(8)
    expect(client.inputs('rooms.enter')).toEqual([])
  })
})
