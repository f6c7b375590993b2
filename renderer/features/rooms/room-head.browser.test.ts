import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { service, withProps } from '../../testing/mounted.ts'
import { mountedRoom, roomMember } from '../../testing/mounted-room.ts'
import { seat } from '../../testing/room-values.ts'
import RoomHead from './room-head.vue'
import { useRoomPanel } from './room-panel.ts'
import { useRoom } from './room.ts'
import { spoken } from '../../format/languages.ts'
import { roomWords } from './words.ts'
import { roomListsWords } from './words-lists.ts'

const roomEn = spoken(roomWords, 'en')
const roomZh = spoken(roomWords, 'zh')
const roomListsEn = spoken(roomListsWords, 'en')
const roomListsZh = spoken(roomListsWords, 'zh')

const { room: words } = roomEn
const { tab: tabWords } = roomListsEn.roomLists
const open = ({ narrow = false, ...options }: Parameters<typeof mountedRoom>[1] & { narrow?: boolean } = {}) =>
  mountedRoom(withProps(RoomHead, { narrow }), options)
const tabs = () => page.getByRole('group', { name: words.title })
const tab = (name: string) => tabs().getByRole('button', { name, exact: true })
const names = () =>
  tabs()
    .getByRole('button')
    .elements()
    .map((each) => each.textContent.trim())
const counted = (word: string, n: number | string) => word.replace('{n}', String(n))
const line = { msgid: '1', at: 1, from: 'lee', type: 0, attach: 'caught', nick: 'Lee' }

describe('the tabs of a room', () => {
  it('count who is inside, who is held back, and what waits for a decision', async () => {
    const { pinia } = await open({
      panel: { online: 1284 },
      answers: {
        'operations.local.muted': () => ({
          ret: { list: [{ accid: 'ana', permanent: true, seconds: 0 }], more: false },
        }),
        'operations.local.held': () => ({ ret: { list: [line], more: false } }),
      },
    })
    await useRoom(pinia).readPeople()
    await expect
      .poll(names)
      .toEqual([
        words.chat,
        counted(words.people, '1,284'),
        counted(words.restricted, 1),
        counted(tabWords.held, 1),
        words.actions,
        tabWords.statistics,
      ])
  })

  it('count those that were read where the service tells no figure', async () => {
    const { pinia } = await open({
      panel: { online: null },
      answers: {
        'operations.chatrooms.membersByPage': ({ call }) => ({
          desc: { data: call.type === 0 ? [roomMember('ana'), roomMember('lee')] : [] },
        }),
      },
    })
    await useRoom(pinia).readPeople()
    await expect.element(tab(counted(words.people, 2))).toBeVisible()
  })

  it('count nothing while the service is down', async () => {
    const { tell } = await open({ panel: { online: 12 } })
    await expect.element(tab(counted(words.people, 12))).toBeVisible()
    await tell(service('restarting'))
    await expect.element(tab(counted(words.people, '–'))).toBeVisible()
    await expect.element(tab(counted(tabWords.held, '–'))).toBeVisible()
    await tell(service('running'))
    await expect.element(tab(counted(words.people, 12))).toBeVisible()
  })

  it('count nothing while the page has no line to the app', async () => {
    const { lose } = await open({ panel: { online: 12 } })
    await lose()
    await expect.element(tab(counted(words.people, '–'))).toBeVisible()
  })

  it('are fewer beside a picture, and begin with the chat where the one that was open is not among them', async () => {
    const { pinia } = await open({
      narrow: true,
      panel: { online: 3 },
      before: (stores) => void (useRoomPanel(stores).tab = 'actions'),
    })
    expect(names()).toEqual([words.chat, counted(words.queue, 0), counted(words.people, 3)])
    await expect.element(tab(words.chat)).toHaveAttribute('aria-pressed', 'true')
    expect(useRoomPanel(pinia).tab).toBe('chat')
  })

  it('have no held lines of a hosted service', async () => {
    const { client } = await open({ profile: 'hosted-1', panel: { profileId: 'hosted-1' } })
    await expect.element(tab(words.actions)).toBeVisible()
    expect(names()).not.toContain(counted(tabWords.held, 0))
    expect(client.inputs('operations.local.held')).toEqual([])
  })

  it('have no statistics for a moderator at another computer', async () => {
    await open({ about: { seat } })
    await expect.element(tab(words.actions)).toBeVisible()
    expect(names()).not.toContain(tabWords.statistics)
  })

  it('have their names in Chinese', async () => {
    await open({ language: 'zh', panel: { online: 12 } })
    const group = page.getByRole('group', { name: roomZh.room.title })
    for (const name of [
      roomZh.room.chat,
      counted(roomZh.room.people, 12),
      counted(roomListsZh.roomLists.tab.held, 0),
      roomListsZh.roomLists.tab.statistics,
    ])
      await expect.element(group.getByRole('button', { name, exact: true })).toBeVisible()
  })

  it('open what they name, by the mouse and by the keyboard', async () => {
    const { pinia } = await open()
    await tab(words.actions).click()
    expect(useRoomPanel(pinia).tab).toBe('actions')
    await expect.element(tab(words.actions)).toHaveAttribute('aria-pressed', 'true')
    await expect.element(tab(words.chat)).toHaveAttribute('aria-pressed', 'false')
    await userEvent.keyboard('{Tab}{Enter}')
    expect(useRoomPanel(pinia).tab).toBe('statistics')
    // Whoever goes on with the keyboard is still where they pressed.
    await expect.element(tab(tabWords.statistics)).toHaveFocus()
  })

  it('count a held line as soon as it comes, and not once it is decided', async () => {
    const { client, tell } = await open()
    await expect.element(tab(counted(tabWords.held, 0))).toBeVisible()
    expect(client.inputs('operations.local.held')[0]).toEqual({ profileId: 'local', call: { roomid: 7, limit: 200 } })
    const push = { roomid: 7, msgid: '1', at: 1, from: 'lee' }
    const told = { type: 'roomPush' as const, profileId: 'local', roomid: 7 }
    await tell({
      ...told,
      push: { ...push, t: 'roomHeld', fromNick: 'Lee', fromClientType: 'WEB', type: 0, attach: 'caught' },
    })
    await expect.element(tab(counted(tabWords.held, 1))).toBeVisible()
    await tell({ ...told, push: { ...push, t: 'roomDecided', allow: false } })
    await expect.element(tab(counted(tabWords.held, 0))).toBeVisible()
  })
})

describe('search and freeze beside the tabs', () => {
  const search = () => page.getByRole('button', { name: words.search })
  const freeze = () => page.getByRole('button', { name: words.freeze })
  const frozen = () => page.getByRole('button', { name: words.frozen })

  it('opens the search and closes it again, without what was searched for', async () => {
    const { pinia } = await open()
    const panel = useRoomPanel(pinia)
    await expect.element(search()).toHaveAttribute('aria-pressed', 'false')
    await search().click()
    await expect.element(search()).toHaveAttribute('aria-pressed', 'true')
    expect(panel.searching).toBe(true)
    panel.search = 'spam'
    await search().click()
    await expect.element(search()).toHaveAttribute('aria-pressed', 'false')
    expect([panel.searching, panel.search]).toEqual([false, ''])
  })

  it.each([false, true])('freezes the lines and lets them go on, narrow: %s', async (narrow) => {
    const { pinia } = await open({ narrow })
    await freeze().click()
    await expect.element(frozen()).toHaveAttribute('aria-pressed', 'true')
    expect(useRoomPanel(pinia).frozen).toBe(true)
    await frozen().click()
    await expect.element(freeze()).toHaveAttribute('aria-pressed', 'false')
    expect(useRoomPanel(pinia).frozen).toBe(false)
  })

  it('are there for the chat only', async () => {
    await open()
    await expect.element(search()).toBeVisible()
    await tab(words.actions).click()
    await expect.element(search()).not.toBeInTheDocument()
    await expect.element(freeze()).not.toBeInTheDocument()
  })
})
