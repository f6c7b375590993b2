import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h } from 'vue'
import { began, channel, service, tally } from '../../testing/mounted.ts'
import { mountedRoom } from '../../testing/mounted-room.ts'
import { saidLine, seat } from '../../testing/room-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { roomPanelWords } from './words-panel.ts'
import { roomWords } from './words.ts'
import RoomPicture from './room-picture.vue'
import { useRoom } from './room.ts'

const en = spoken(frameWords, 'en')
const roomPanelEn = spoken(roomPanelWords, 'en')
const roomPanelZh = spoken(roomPanelWords, 'zh')
const roomEn = spoken(roomWords, 'en')

const { roomPanel: words } = roomPanelEn
const linked = channel(1, { name: 'Studio one' })
const show = ({ cid = linked.cid, ...options }: Parameters<typeof mountedRoom>[1] & { cid?: string | null } = {}) =>
  mountedRoom(RoomPicture, {
    channels: [linked],
    ...options,
    before: (pinia) => {
      const room = useRoom(pinia)
      room.rooms = room.rooms!.map((each) => ({ ...each, cid }))
      options.before?.(pinia)
    },
  })
const lamp = () => document.querySelector('[data-figure="lamp"]')
const figure = (name: string) =>
  [...document.querySelectorAll('dl > div')].find((each) => each.querySelector('dt')?.textContent === name)
const valueOf = (name: string) => figure(name)?.querySelector('dd')?.textContent

describe('the picture beside a room', () => {
  it('is that of the channel of the room, and leads to it in Studio', async () => {
    const { router } = await show()
    const link = page.getByRole('link', { name: /Studio one/ })
    await expect.element(link).toHaveAttribute('title', en.title.openStudio.replace('{name}', linked.name))
    await link.click()
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${linked.cid}`)
    expect(page.getByText(words.noPicture).query()).toBeNull()
  })

  it('leads nowhere for a moderator at another computer', async () => {
    await show({ about: { seat } })
    await expect.poll(lamp).not.toBeNull()
    expect(page.getByRole('link').elements()).toEqual([])
  })

  it.each([
    ['en', words.noPicture],
    ['zh', roomPanelZh.roomPanel.noPicture],
  ] as const)('says that the room belongs to no channel, in %s', async (language, text) => {
    await show({ cid: null, language })
    await expect.element(page.getByText(text)).toBeVisible()
    expect(lamp()).toBeNull()
  })

  it('says that the channel was deleted', async () => {
    await show({ cid: 'f'.repeat(32) })
    await expect.element(page.getByText(words.channelDeleted)).toBeVisible()
    expect(page.getByText(words.noPicture).query()).toBeNull()
  })

  it.each([
    [0, 'idle'],
    [1, 'live'],
    [2, 'disabled'],
    [3, 'recording'],
  ] as const)('has the lamp of the channel: status %i', async (status, state) => {
    await show({ channels: [{ ...linked, status }] })
    await expect.poll(() => lamp()?.getAttribute('data-state')).toBe(state)
  })

  it('has the running time while live, which stops counting once nothing is known of it', async () => {
    const live = { ...linked, status: 1 }
    const { pass, tell } = await show({ channels: [live], tallies: [tally(live, { since: began - 61_000 })] })
    await expect.poll(() => lamp()?.textContent).toContain('00:01:01')
    await pass(9_000)
    await expect.poll(() => lamp()?.textContent).toContain('00:01:10')
    await tell(service('restarting'))
    await expect.poll(() => lamp()?.getAttribute('data-state')).toBe('fault')
    expect(lamp()?.textContent).not.toContain('00:01')
  })
})

describe('how lively a room is', () => {
  it('counts who is inside, the lines of the last minute, and who spoke within the hour', async () => {
    const { tell, pass } = await show({ panel: { online: 1284 } })
    await tell(saidLine('1', 'lee', 'one'), saidLine('2', 'lee', 'two'), saidLine('3', 'ana', 'three'))
    await expect.poll(() => valueOf(roomEn.room.online)).toBe('1,284')
    await expect.poll(() => valueOf(words.perMinute)).toBe('3')
    await expect.poll(() => valueOf(words.active)).toMatch(/^2/)
    await pass(60_000)
    await expect.poll(() => valueOf(words.perMinute)).toBe('0')
    await expect.poll(() => valueOf(words.active)).toMatch(/^2/)
  })

  it('says nothing of now while the line is lost', async () => {
    const { lose } = await show()
    await expect.poll(() => valueOf(words.perMinute)).toBe('0')
    await lose()
    await expect.poll(() => valueOf(words.perMinute)).toBe('–')
    await expect.poll(() => valueOf(words.active)).toBe('–')
  })
})

it('the picture of a room has what stands between it and the figures', async () => {
  await mountedRoom({ render: () => h(RoomPicture, null, () => h('p', 'between')) })
  await expect.element(page.getByText('between')).toBeVisible()
})
