import { describe, expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import { h, nextTick, ref } from 'vue'
import type { RoomPanel } from '../../../contract/rpc/index.ts'
import { useCompanion } from '../../data/companion.ts'
import { pictureKey } from '../../ui/layout.ts'
import { makeProfiles } from '../../testing/fake-state.ts'
import { began, channel, mounted, service, tally } from '../../testing/mounted.ts'
import { quietRoom } from '../../testing/mounted-room.ts'
import { roomPanel } from '../../testing/room-values.ts'
import { spoken } from '../../format/languages.ts'
import { desktopWords } from '../desktop/words.ts'
import { roomPanelWords } from './words-panel.ts'
import { roomWords } from './words.ts'
import PopOutView from './pop-out-view.vue'

const desktopEn = spoken(desktopWords, 'en')
const roomPanelEn = spoken(roomPanelWords, 'en')
const roomEn = spoken(roomWords, 'en')

const { desktop } = desktopEn
const linked = channel(1, { name: 'Studio one' })
const listed = (cid: string | null) => ({ roomid: 7, name: 'Seven', creator: 'host', valid: true, online: 1, cid })
type Options = Parameters<typeof mounted>[1] & { readonly cid?: string | null }
const show = async ({ cid = linked.cid, ...options }: Options = {}, panel: Partial<RoomPanel> = {}) => {
  const isOpen = ref(true)
  const shown = await mounted(
    { render: () => (isOpen.value ? h(PopOutView) : null) },
    {
      path: '/pop-out/room/7/local',
      channels: [linked],
      ...options,
      answers: {
        ...quietRoom,
        'rooms.list': () => ({ complete: true, rooms: [listed(cid)], next: null }),
        'rooms.enter': () => roomPanel(panel),
        ...options.answers,
      },
    },
  )
  // Before the page ends, and its address with it, which this window follows.
  onTestFinished(async () => {
    isOpen.value = false
    await nextTick()
  })
  return shown
}
const heading = () => page.getByRole('heading', { level: 1 })
const tabs = () => page.getByRole('group', { name: roomEn.room.title })
const picture = () => page.getByRole('button', { name: desktop.picture, exact: true })
const player = () => document.querySelector('video')
const entered = (profileId = 'local') => ({ profileId, roomid: 7, renew: false })

describe('a room in a window of its own', () => {
  it('is the room of its address, by the name of its channel', async () => {
    const { client } = await show()
    await expect.element(heading()).toHaveTextContent('Studio one')
    await expect.element(tabs()).toBeVisible()
    expect(client.inputs('rooms.enter')).toEqual([entered()])
    await expect.poll(() => document.title).toBe(`Studio one – ${roomEn.room.title} – Sidestage`)
  })

  it('has its own name where it belongs to no channel, and no picture', async () => {
    await show({ cid: null })
    await expect.element(heading()).toHaveTextContent('Seven')
    expect(picture().query()).toBeNull()
  })

  it('says in the title of the page that it is on air, with the time it has been', async () => {
    const live = { ...linked, status: 1 }
    const { pass } = await show({ channels: [live], tallies: [tally(live, { since: began - 61_000 })] })
    await expect.poll(() => document.title).toBe(`● Studio one – ${roomEn.room.title} – Sidestage`)
    await expect.element(page.getByRole('timer')).toHaveTextContent('00:01:01')
    await pass(9_000)
    await expect.element(page.getByRole('timer')).toHaveTextContent('00:01:10')
  })

  it('has no running time while it is not on air', async () => {
    await show()
    await expect.element(tabs()).toBeVisible()
    expect(page.getByRole('timer').query()).toBeNull()
  })

  it('shows the picture when it is asked for, and remembers that', async () => {
    const memory = new Map<string, string>()
    await show({ memory })
    await expect.element(picture()).toBeVisible()
    expect(player()).toBeNull()
    await picture().click()
    await expect.poll(player).not.toBeNull()
    expect(memory.get(pictureKey)).toBe('shown')
    await picture().click()
    await expect.poll(player).toBeNull()
    expect(memory.get(pictureKey)).toBe('')
  })

  it('shows the picture from the start where it did before', async () => {
    await show({ memory: new Map([[pictureKey, 'shown']]) })
    await expect.poll(player).not.toBeNull()
  })

  it('stays with the profile of its address, whatever is chosen elsewhere, and does not choose it for others', async () => {
    const memory = new Map<string, string>()
    const { client, pinia } = await show({ path: '/pop-out/room/7/hosted-1', memory })
    await expect.poll(() => client.inputs('rooms.enter')).toEqual([entered('hosted-1')])
    expect(useCompanion(pinia).profile?.id).toBe('hosted-1')
    expect(memory.get('sidestage.profile')).toBe('local')
  })

  it('takes the chosen profile into an address that has none, so that it is the same when loaded anew', async () => {
    const { router } = await show({ path: '/pop-out/room/7' })
    await expect.poll(() => router.currentRoute.value.fullPath).toBe('/pop-out/room/7/local')
  })

  it('says that its profile was removed, and shows no other room in its place', async () => {
    const { client, tell } = await show({ path: '/pop-out/room/7/hosted-1' })
    await expect.element(tabs()).toBeVisible()
    await tell({ type: 'profiles', profiles: makeProfiles('full').filter(({ id }) => id !== 'hosted-1') })
    await expect.element(page.getByRole('alert')).toHaveTextContent(roomPanelEn.roomPanel.profileGone)
    await expect.element(tabs()).not.toBeInTheDocument()
    expect(client.inputs('rooms.enter')).toEqual([entered('hosted-1')])
  })

  it('asks nothing of a service that is down, and goes into the room when it is back', async () => {
    const { client, tell } = await show({ events: [service('restarting')] })
    await expect.element(tabs()).toBeVisible()
    expect(client.inputs('rooms.enter')).toEqual([])
    await tell(service('running'))
    await expect.poll(() => client.inputs('rooms.enter')).toEqual([entered()])
  })
})
