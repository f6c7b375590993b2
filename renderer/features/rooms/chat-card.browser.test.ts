import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { ViewerChat } from '../../../contract/rpc/index.ts'
import { failed } from '../../testing/memory-client.ts'
import { channel, mounted, service, withParts, withProps } from '../../testing/mounted.ts'
import { quietRoom } from '../../testing/mounted-room.ts'
import { roomPanel } from '../../testing/room-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import ChatCard from './chat-card.vue'
import RoomDock from './room-dock.vue'
import { roomPanelWords } from './words-panel.ts'

const { chat: words } = spoken(roomPanelWords, 'en').roomPanel
const { failure } = spoken(frameWords, 'en')
const one = channel(1)
const of = { profileId: 'local', cid: one.cid }
const off: ViewerChat = { on: false, roomid: 7, people: 0 }
const on: ViewerChat = { on: true, roomid: 7, people: 0 }
const show = async (begins: ViewerChat, options: Parameters<typeof mounted>[1] = {}) => {
  let now = begins
  const shown = await mounted(withParts(withProps(ChatCard, of), withProps(RoomDock, { ...of, asleep: false })), {
    channels: [one],
    ...options,
    answers: {
      ...quietRoom,
      'rooms.enter': () => roomPanel(),
      'rooms.linked': () => ({ roomid: now.roomid }),
      'rooms.chat': () => now,
      'rooms.switchChat': (asked) => (now = { on: asked.on, roomid: 7, people: 0 }),
      ...options.answers,
    },
  })
  return { ...shown, become: (next: ViewerChat) => (now = next) }
}
const toggle = () => page.getByRole('switch', { name: words.title })
const dialog = () => page.getByRole('alertdialog').or(page.getByRole('dialog'))
const lines = () => page.getByRole('log')

it('turns chat on by the keyboard, and the chat is there', async () => {
  const { client } = await show({ on: false, roomid: null, people: 0 })
  await expect.element(page.getByText(words.off)).toBeVisible()
  await expect.element(toggle()).toBeEnabled()
  ;(toggle().element() as HTMLElement).focus()
  await userEvent.keyboard(' ')
  await expect.element(toggle()).toBeChecked()
  await expect.element(page.getByText(words.on)).toBeVisible()
  await expect.element(lines()).toBeVisible()
  expect(client.inputs('rooms.switchChat')).toEqual([{ ...of, on: true }])
})

it('turns it off at once while nobody is in it, and on again into the same room', async () => {
  const { client } = await show(on)
  await expect.element(lines()).toBeVisible()
  await toggle().click()
  await expect.element(toggle()).not.toBeChecked()
  await expect.element(lines()).not.toBeInTheDocument()
  expect(dialog().query()).toBeNull()
  await page.getByRole('button', { name: words.turnOn }).click()
  await expect.element(toggle()).toBeChecked()
  await expect.element(lines()).toBeVisible()
  // The app was put out of it: it comes in again.
  expect(client.inputs('rooms.enter')).toHaveLength(2)
})

it('asks before it is taken from the people in it, as many as there are now', async () => {
  const { client, become } = await show(on)
  await expect.element(toggle()).toBeChecked()
  become({ ...on, people: 12 })
  await toggle().click()
  await expect.element(dialog()).toMatchTextContent('12 people are in it.')
  expect(client.inputs('rooms.switchChat')).toEqual([])
  await userEvent.keyboard('{Escape}')
  await expect.element(dialog()).not.toBeInTheDocument()
  await expect.element(toggle()).toBeChecked()
  await toggle().click()
  await page.getByRole('button', { name: words.offDo }).click()
  await expect.element(toggle()).not.toBeChecked()
  await expect.element(dialog()).not.toBeInTheDocument()
  expect(client.inputs('rooms.switchChat')).toEqual([{ ...of, on: false }])
})

it('follows what another window switches', async () => {
  const { become, tell } = await show(off)
  await expect.element(toggle()).not.toBeChecked()
  become(on)
  await tell({ type: 'chat', ...of })
  await expect.element(toggle()).toBeChecked()
  await expect.element(lines()).toBeVisible()
  become(off)
  await tell({ type: 'chat', ...of })
  await expect.element(lines()).not.toBeInTheDocument()
})

it('is read again when the room is closed by other ways', async () => {
  const { become, tell } = await show(on)
  await expect.element(toggle()).toBeChecked()
  become(off)
  await tell({ type: 'room', panel: roomPanel({ phase: 'refused' }) })
  await expect.element(toggle()).not.toBeChecked()
})

it('says why it could not be switched, and stays what it was', async () => {
  await show(off, {
    answers: {
      'rooms.switchChat': () => {
        throw failed({ kind: 'late' })
      },
    },
  })
  await toggle().click()
  await expect.element(page.getByRole('alert').first()).toMatchTextContent(failure.late.sentence)
  await expect.element(toggle()).not.toBeChecked()
})

it('cannot be switched while the service is down, and is read again when it is back', async () => {
  const { client, tell } = await show(on, { events: [service('restarting')] })
  await expect.element(toggle()).toBeDisabled()
  expect(client.inputs('rooms.chat')).toEqual([])
  await tell(service('running'))
  await expect.element(toggle()).toBeChecked()
})
