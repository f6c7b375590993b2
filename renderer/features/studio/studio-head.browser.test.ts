import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import { h, ref } from 'vue'
import type { Channel } from '../../../contract/rpc/state.ts'
import { watchPath } from '../../../contract/watch.ts'
import { spoken } from '../../format/languages.ts'
import { makeService } from '../../testing/fake-state.ts'
import { began, channel, mounted, service, type MountOptions } from '../../testing/mounted.ts'
import { reachWithoutAddress, shareAnswers } from '../../testing/share-values.ts'
import { useDialogs } from '../channels/dialogs.ts'
import { useLive } from '../channels/live.ts'
import { frameWords } from '../frame/words.ts'
import { shareWords } from '../share/words.ts'
import { roomPanelWords } from '../rooms/words-panel.ts'
import StudioHead from './studio-head.vue'
import { studioWords } from './words.ts'

const en = spoken(frameWords, 'en')
const { studio: words } = spoken(studioWords, 'en')
const { share } = spoken(shareWords, 'en')
const { roomPanel } = spoken(roomPanelWords, 'en')
const recorded = channel(1, { status: 3, needRecord: true })
const other = channel(2, { status: 3, needRecord: true })
const disabled = channel(3, { status: 2 })
const list = [recorded, other, disabled]
const show = async (
  first: Channel | null = recorded,
  { isWide = true, ...options }: MountOptions & { readonly isWide?: boolean } = {},
) => {
  const shown = ref(first)
  const chatOpen = ref(false)
  const part = {
    render: () =>
      h(StudioHead, {
        channel: shown.value ?? undefined,
        isWide,
        chatOpen: chatOpen.value,
        'onUpdate:chatOpen': (next: boolean) => (chatOpen.value = next),
      }),
  }
  const on = await mounted(part, {
    channels: list,
    ...options,
    answers: {
      ...shareAnswers(),
      ...options.answers,
    },
  })
  return { ...on, shown, chatOpen }
}
const button = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) })
const press = (init: KeyboardEventInit): KeyboardEvent => {
  const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init })
  document.body.dispatchEvent(event)
  return event
}

describe('the actions in the head of the Studio', () => {
  it('ask before they disable or delete its channel', async () => {
    const { pinia, shown } = await show()
    const dialogs = useDialogs(pinia)
    await button(words.disable).click()
    expect(dialogs.question).toEqual({ kind: 'disable', cids: [recorded.cid] })
    shown.value = disabled
    await button(words.remove).click()
    expect(dialogs.question).toEqual({ kind: 'remove', cids: [disabled.cid] })
    expect(button(words.disable).query()).toBeNull()
  })

  it('delete no channel that is not disabled', async () => {
    await show()
    await expect.element(button(words.disable)).toBeVisible()
    expect([button(words.remove).query(), button(words.resume).query()]).toEqual([null, null])
  })

  it('resume a disabled channel once while that is under way', async () => {
    const going = Promise.withResolvers<{ results: { cid: string; ok: boolean; code: null }[] }>()
    const { client } = await show(disabled, { answers: { 'channels.resume': () => going.promise } })
    await button(words.resume).click()
    await expect.element(button(words.resume)).toBeDisabled()
    going.resolve({ results: [{ cid: disabled.cid, ok: true, code: null }] })
    await expect.element(button(words.resume)).toBeEnabled()
    expect(client.inputs('channels.resume')).toEqual([{ profileId: 'local', cids: [disabled.cid] }])
  })

  it('show the chat where it is not beside, and hide it again', async () => {
    const { chatOpen } = await show(recorded, { isWide: false })
    const chat = button(roomPanel.open)
    await expect.element(chat).toHaveAttribute('aria-controls', 'studio-chat')
    await chat.click()
    expect(chatOpen.value).toBe(true)
    await expect.element(chat).toHaveAttribute('aria-expanded', 'true')
    await chat.click()
    expect(chatOpen.value).toBe(false)
    await expect.element(chat).toHaveAttribute('aria-expanded', 'false')
  })

  it('open the watch page of the channel on this computer, not while the service is down', async () => {
    const opened: unknown[] = []
    const open = vi.spyOn(window, 'open').mockImplementation((...given) => {
      opened.push(given)
      return null
    })
    onTestFinished(() => open.mockRestore())
    const { tell } = await show()
    await button(words.watchPage).click()
    await expect
      .poll(() => opened)
      .toEqual([[`http://127.0.0.1:8711${watchPath}${recorded.cid}`, '_blank', 'noopener,noreferrer']])
    await tell(service('restarting'))
    await expect.element(button(words.watchPage)).not.toBeInTheDocument()
  })

  it('open the watch page by its public address where there is one', async () => {
    const opened: unknown[] = []
    const open = vi.spyOn(window, 'open').mockImplementation((url) => {
      opened.push(url)
      return null
    })
    onTestFinished(() => open.mockRestore())
    const running = makeService(began, 'full')
    const addresses = { ...running.addresses!, publicMedia: 'https://media.example.com' }
    await show(recorded, { events: [{ type: 'service', service: { ...running, addresses } }] })
    await button(words.watchPage).click()
    await expect.poll(() => opened).toEqual([`https://media.example.com${watchPath}${recorded.cid}`])
  })

  it('copy the watch link by Ctrl+L, but in a field and beside a dialog', async () => {
    const written = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    onTestFinished(() => written.mockRestore())
    await show()
    const field = document.createElement('input')
    const dialog = document.createElement('div')
    dialog.role = 'dialog'
    onTestFinished(() => {
      field.remove()
      dialog.remove()
    })
    document.body.append(field)
    const inField = new KeyboardEvent('keydown', { key: 'l', ctrlKey: true, bubbles: true, cancelable: true })
    field.dispatchEvent(inField)
    document.body.append(dialog)
    expect([inField.defaultPrevented, press({ key: 'l', ctrlKey: true }).defaultPrevented]).toEqual([false, false])
    dialog.remove()
    expect(press({ key: 'l', ctrlKey: true }).defaultPrevented).toBe(true)
    await expect.poll(() => written.mock.calls).toEqual([[expect.stringMatching(`${watchPath}${recorded.cid}$`)]])
    await expect.element(page.getByText(share.link.copiedWhole)).toBeVisible()
  })

  it.each([
    ['it is turned off for everybody', shareAnswers({ closed: true }), share.link.offHere],
    ['only named links get in', shareAnswers({ mode: 'links' }), share.link.alone],
    [
      'it would lead nowhere',
      shareAnswers({}, reachWithoutAddress),
      share.link.missing.replace('{why}', share.why.noAddress),
    ],
  ])('refuse Ctrl+L in the words of the sheet where %s', async (_case, answers, why) => {
    const written = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    onTestFinished(() => written.mockRestore())
    await show(recorded, { answers })
    expect(press({ key: 'l', ctrlKey: true }).defaultPrevented).toBe(true)
    await expect.element(page.getByText(share.link.refused)).toBeVisible()
    await expect.element(page.getByText(why)).toBeVisible()
    expect(written).not.toHaveBeenCalled()
  })

  it('open the sheet of who can watch where it was asked for, once', async () => {
    const { pinia } = await show(recorded, {
      before: (stores) => {
        useDialogs(stores).shareAsked = 'begin'
      },
    })
    await expect.element(page.getByRole('dialog', { name: share.title })).toBeVisible()
    expect(useDialogs(pinia).shareAsked).toBe(null)
  })

  it('are none without a channel, and the title is that of the screen', async () => {
    await show(null, { channels: [] })
    await expect.element(page.getByRole('heading', { name: en.nav.studio })).toBeVisible()
    expect(page.getByRole('button').query()).toBeNull()
  })
})

it('says that it is turned off for everybody, and the log has when', async () => {
  const access = { mode: 'everybody', passphrase: false, embedOrigins: [], viewers: 0, links: [] }
  let closed = false
  const { tell, pinia } = await show(recorded, {
    answers: { 'operations.access.access': () => ({ ret: { ...access, closed } }) },
  })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await expect.element(button(share.open)).toBeVisible()
  closed = true
  await tell({ type: 'access', profileId: 'local', cid: recorded.cid })
  await expect.element(button(share.head.closed)).toBeVisible()
  closed = false
  await tell({ type: 'access', profileId: 'local', cid: recorded.cid })
  await expect.element(button(share.open)).toBeVisible()
  const kinds = useLive(pinia)
    .logOf('local', recorded.cid)
    .map(({ kind }) => kind)
  expect(kinds.toSorted()).toEqual(['turnedOff', 'turnedOn'])
})
