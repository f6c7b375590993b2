import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { RoomPanel } from '../../../contract/rpc/index.ts'
import { channel, mounted, service, withParts } from '../../testing/mounted.ts'
import { quietRoom } from '../../testing/mounted-room.ts'
import { roomPanel, seat } from '../../testing/room-values.ts'
import FrameNotes from '../frame/frame-notes.vue'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { seatsWords } from '../moderators/words.ts'
import { roomWords } from '../rooms/words.ts'
import { useRoomPanel } from '../rooms/room-panel.ts'
import SeatRoom from './seat-room.vue'

const en = spoken(frameWords, 'en')
const seatsEn = spoken(seatsWords, 'en')
const roomEn = spoken(roomWords, 'en')

const { seatPage: words } = seatsEn
const { room: inRoom } = roomEn
const linked = channel(1, { name: 'Studio one' })
const listed = (cid: string | null = linked.cid) => ({
  roomid: 7,
  name: 'Seven',
  creator: 'host',
  valid: true,
  online: 1,
  cid,
})
const rooms = (...list: ReturnType<typeof listed>[]) => ({ complete: true, rooms: list, next: null })
const show = (options: Parameters<typeof mounted>[1] = {}, panel: Partial<RoomPanel> = {}) =>
  mounted(withParts(FrameNotes, SeatRoom), {
    about: { seat },
    channels: [linked],
    ...options,
    answers: {
      ...quietRoom,
      'rooms.list': () => rooms(listed()),
      'rooms.enter': () => roomPanel(panel),
      ...options.answers,
    },
  })
const heading = () => page.getByRole('heading', { level: 1 })
const tabs = () => page.getByRole('group', { name: inRoom.title })
const entered = { profileId: 'local', roomid: 7, renew: false }
const lamp = () => document.querySelector('header [data-figure="lamp"]')?.getAttribute('data-state')

describe("the room on a moderator's page", () => {
  it('is the room of the seat, with picture, chat, and a place for a person', async () => {
    const { client } = await show({
      answers: { 'rooms.list': () => rooms({ ...listed(null), roomid: 8, name: 'Eight' }, listed()) },
    })
    await expect.element(heading()).toHaveTextContent('Seven')
    await expect.element(tabs()).toBeVisible()
    await expect.element(page.getByText(inRoom.noCard)).toBeVisible()
    expect(client.inputs('rooms.enter')).toEqual([entered])
    await expect.element(page.getByText(inRoom.announcement, { exact: true })).toBeVisible()
  })

  it('shows the card of a person in place of the hint', async () => {
    const { pinia } = await show()
    await expect.element(tabs()).toBeVisible()
    useRoomPanel(pinia).shown = 'lee'
    await expect.element(page.getByText(inRoom.noCard)).not.toBeInTheDocument()
    await expect.element(page.getByRole('heading', { name: 'lee' })).toBeVisible()
  })

  it('says that it connects until the rooms are there', async () => {
    await show({ answers: { 'rooms.list': () => new Promise(() => undefined) } })
    await expect.element(page.getByRole('status').filter({ hasText: en.line.connecting })).toBeVisible()
    await expect.element(heading()).toHaveTextContent(inRoom.title)
    expect(page.getByText(words.noRoom).query()).toBeNull()
  })

  it('says that the room was not found', async () => {
    await show({ answers: { 'rooms.list': () => rooms({ ...listed(), roomid: 8 }) } })
    await expect.element(page.getByRole('alert').filter({ hasText: words.noRoom })).toBeVisible()
  })

  it("says that the streamer's service is away, asks it nothing, and goes into the room when it is back", async () => {
    const { client, tell } = await show({ events: [service('restarting')] })
    await expect.element(page.getByText(words.fault)).toBeVisible()
    await expect.element(tabs()).toBeVisible()
    expect(client.inputs('rooms.list')).toEqual([])
    expect(client.inputs('rooms.enter')).toEqual([])
    await tell(service('running'))
    await expect.poll(() => client.inputs('rooms.enter')).toEqual([entered])
    await expect.element(page.getByText(words.fault)).not.toBeInTheDocument()
  })

  it('keeps what is shown while the line is lost, and says so', async () => {
    const { lose } = await show()
    await expect.element(tabs()).toBeVisible()
    await lose()
    await expect.element(page.getByText(en.line.lostNext)).toBeVisible()
    await expect.element(tabs()).toBeVisible()
    await expect.poll(lamp).toBe('fault')
  })

  it.each([
    [0, 'idle', 'Seven – Sidestage'],
    [1, 'live', '● Seven – Sidestage'],
    [2, 'disabled', 'Seven – Sidestage'],
    [3, 'recording', '● Seven – Sidestage'],
  ] as const)(
    'has the lamp of its channel, and names it in the title of the page: status %i',
    async (status, state, title) => {
      await show({ channels: [{ ...linked, status }] })
      await expect.element(tabs()).toBeVisible()
      await expect.poll(lamp).toBe(state)
      await expect.poll(() => document.title).toBe(title)
      expect(document.querySelector(`.bar .fill-${state}`)).not.toBeNull()
    },
  )

  it('has no lamp where it belongs to no channel', async () => {
    await show({ answers: { 'rooms.list': () => rooms(listed(null)) } })
    await expect.element(tabs()).toBeVisible()
    expect(lamp()).toBeUndefined()
  })
})
