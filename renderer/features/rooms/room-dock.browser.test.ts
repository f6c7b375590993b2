import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h, reactive, type Component } from 'vue'
import { failed } from '../../testing/memory-client.ts'
import { channel, mounted, service, withParts } from '../../testing/mounted.ts'
import { quietRoom } from '../../testing/mounted-room.ts'
import { roomPanel } from '../../testing/room-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { roomPanelWords } from './words-panel.ts'
import { roomListsWords } from './words-lists.ts'
import { roomWords } from './words.ts'
import RoomDock from './room-dock.vue'
import { useRoom } from './room.ts'

const en = spoken(frameWords, 'en')
const roomPanelEn = spoken(roomPanelWords, 'en')
const roomListsEn = spoken(roomListsWords, 'en')
const roomEn = spoken(roomWords, 'en')

const { roomPanel: words } = roomPanelEn
const [one, two] = [channel(1), channel(2)]
const listed = (roomid: number, name: string) => ({ roomid, name, creator: 'host', valid: true, online: 1, cid: null })
const show = async (options: Parameters<typeof mounted>[1] = {}) => {
  const profileId = options.profile ?? 'local'
  const state = reactive({ cid: one.cid, asleep: false })
  const Dock: Component = {
    render: () => h('div', { style: 'height: 700px; display: flex' }, [h(RoomDock, { profileId, ...state })]),
  }
  const shown = await mounted(withParts(Dock), {
    channels: [one, two],
    ...options,
    answers: {
      ...quietRoom,
      'rooms.list': () => ({ complete: true, rooms: [listed(7, 'Seven'), listed(8, 'Eight')], next: null }),
      'rooms.enter': ({ roomid }) => roomPanel({ profileId, roomid }),
      'rooms.linked': ({ cid }) => ({ roomid: cid === one.cid ? 7 : null }),
      'rooms.link': () => undefined,
      ...options.answers,
    },
  })
  return { ...shown, state }
}
const tabs = () => page.getByRole('group', { name: roomEn.room.title })
const entered = (client: Awaited<ReturnType<typeof show>>['client']) =>
  client.inputs('rooms.enter').map(({ roomid }) => roomid)

describe('the chat beside a picture', () => {
  it('is the room of the channel, which the app enters', async () => {
    const { client } = await show()
    await expect.element(tabs()).toBeVisible()
    expect(client.inputs('rooms.linked')).toEqual([{ profileId: 'local', cid: one.cid }])
    expect(entered(client)).toEqual([7])
    expect(client.inputs('rooms.list')).toEqual([{ profileId: 'local' }])
  })

  it('is turned on by one press where it is off, and is the room of the channel then', async () => {
    const { client } = await show({
      answers: {
        'rooms.linked': () => ({ roomid: null }),
        'rooms.switchChat': () => ({ on: true, roomid: 7, people: 0 }),
      },
    })
    await expect.element(page.getByText(words.none)).toBeVisible()
    client.answer({ 'rooms.linked': () => ({ roomid: 7 }) })
    await page.getByRole('button', { name: words.chat.turnOn }).click()
    await expect.element(tabs()).toBeVisible()
    expect(client.inputs('rooms.switchChat')).toEqual([{ profileId: 'local', cid: one.cid, on: true }])
    expect(entered(client)).toContain(7)
  })

  it('says why it could not be turned on', async () => {
    await show({
      answers: {
        'rooms.linked': () => ({ roomid: null }),
        'rooms.switchChat': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await page.getByRole('button', { name: words.chat.turnOn }).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
  })

  it('offers to link another room where the channel has none', async () => {
    const { client } = await show({ answers: { 'rooms.linked': () => ({ roomid: null }) } })
    await page.getByRole('button', { name: words.chat.other }).click()
    await page.getByRole('combobox', { name: roomListsEn.roomLists.link.choose }).selectOptions('8')
    await page.getByRole('button', { name: roomListsEn.roomLists.link.link, exact: true }).click()
    await expect.element(tabs()).toBeVisible()
    expect(entered(client)).toEqual([8])
  })

  it('says of a hosted service where the chat will stand', async () => {
    await show({ profile: 'hosted-1', answers: { 'rooms.linked': () => ({ roomid: null }) } })
    await expect.element(page.getByText(words.noHosted)).toBeVisible()
  })

  it('says that the room is looked for', async () => {
    const answer = Promise.withResolvers<{ roomid: number }>()
    await show({ answers: { 'rooms.linked': () => answer.promise } })
    await expect.element(page.getByRole('status').filter({ hasText: words.reading })).toBeVisible()
    answer.resolve({ roomid: 7 })
    await expect.element(tabs()).toBeVisible()
  })

  it('says why the room could not be found', async () => {
    const { client } = await show({
      answers: {
        'rooms.linked': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    expect(entered(client)).toEqual([])
  })

  it('of another channel replaces it at once', async () => {
    const { client, state } = await show()
    await expect.element(tabs()).toBeVisible()
    state.cid = two.cid
    await expect.element(page.getByText(words.none)).toBeVisible()
    await expect.element(tabs()).not.toBeInTheDocument()
    client.answer({ 'rooms.linked': () => ({ roomid: 8 }) })
    state.cid = one.cid
    await expect.poll(() => entered(client).at(-1)).toBe(8)
    await expect.element(tabs()).toBeVisible()
  })

  it('of two channels with one answer is entered for each', async () => {
    const { client, state } = await show({ answers: { 'rooms.linked': () => ({ roomid: 7 }) } })
    await expect.element(tabs()).toBeVisible()
    state.cid = two.cid
    await expect.poll(() => entered(client)).toEqual([7, 7])
  })

  it('stays while the service is down, and is looked for again when it is back', async () => {
    const { client, tell } = await show()
    await expect.element(tabs()).toBeVisible()
    await tell(service('restarting'))
    await expect.element(tabs()).toBeVisible()
    expect(client.inputs('rooms.linked')).toHaveLength(1)
    await tell(service('running'))
    await expect.poll(() => client.inputs('rooms.linked').length).toBe(2)
  })

  it('asks nothing of a service that is down from the start, and says so', async () => {
    const { client, tell } = await show({ events: [service('restarting')] })
    await expect.element(page.getByRole('status').filter({ hasText: words.lostNow })).toBeVisible()
    expect(client.inputs('rooms.linked')).toEqual([])
    await tell(service('running'))
    await expect.element(tabs()).toBeVisible()
  })

  it('is no other room that is shown meanwhile', async () => {
    const { pinia } = await show()
    await expect.element(tabs()).toBeVisible()
    await useRoom(pinia).open(8)
    await expect.element(tabs()).not.toBeInTheDocument()
  })
})
