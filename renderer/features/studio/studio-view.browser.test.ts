import { describe, expect, it, onTestFinished } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import ChannelDialogs from '../channels/channel-dialogs.vue'
import { useCompanion } from '../../data/companion.ts'
import { useChannels } from '../channels/channels.ts'
import { useDialogs } from '../channels/dialogs.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { roomPanelWords } from '../rooms/words-panel.ts'
import { studioWords } from './words.ts'
import { began, channel, figures, mounted, service, settled, tallies, tally, withParts } from '../../testing/mounted.ts'
import { failed, type Answers } from '../../testing/memory-client.ts'
import FrameNotes from '../frame/frame-notes.vue'
import StudioView from './studio-view.vue'

const en = spoken(frameWords, 'en')
const roomPanelEn = spoken(roomPanelWords, 'en')
const studioEn = spoken(studioWords, 'en')

const live = channel(1, { status: 1 })
const other = channel(2, { status: 1 })
const idle = channel(3)
const disabled = channel(4, { status: 2 })
const recorded = channel(5, { status: 3, needRecord: true })
const list = [live, other, idle, disabled, recorded]
const answers: Answers = {
  'push.card': ({ cid }) => ({ server: 'rtmp://host/live', keyStart: cid.slice(0, 4), keyEnd: '4812', expires: null }),
  'preview.open': () => ({ flv: null, hls: null }),
  'rooms.chat': () => ({ on: false, roomid: null, people: 0 }),
  'rooms.linked': () => ({ roomid: null }),
  'rooms.list': () => ({ complete: true, rooms: [], next: null }),
  'recordings.state': () => null,
  'recordings.list': () => ({ files: [] }),
  'recordings.callbacks': () => ({ list: [], waiting: 0 }),
}
const show = (shown = live, options: Parameters<typeof mounted>[1] = {}) =>
  mounted(withParts(FrameNotes, StudioView, ChannelDialogs), {
    channels: list,
    path: `/studio/${shown.cid}`,
    ...options,
    answers: { ...answers, ...options.answers },
  })
const told = (one: typeof live, kbps: number, profileId = 'local'): AppEvent => figures(one, { kbps }, profileId)
const figure = (name: string) => page.getByLabelText('Stream health').getByText(name)
const button = (name: string) => page.getByRole('button', { name })

describe('the figures in the Studio', () => {
  it('are those of the channel that is shown, whichever was told last', async () => {
    const { tell } = await show(live)
    await tell(told(live, 6_012), told(other, 3_333))
    await expect.element(figure('6,012 kbps')).toBeVisible()
    await tell(told(other, 4_444))
    expect(figure('4,444 kbps').query()).toBeNull()
  })

  it('change with the channel', async () => {
    const { tell, router } = await show(live)
    await tell(told(live, 6_012), told(other, 3_333))
    await router.push(`/studio/${other.cid}`)
    await expect.element(figure('3,333 kbps')).toBeVisible()
    expect(figure('6,012 kbps').query()).toBeNull()
  })

  it('are not those of a channel of that number in another profile', async () => {
    const { tell } = await show(live)
    await tell(told(live, 6_012), told(live, 1_111, 'hosted-1'))
    await expect.element(figure('6,012 kbps')).toBeVisible()
  })
})

describe('the Studio', () => {
  it('asks for the push address of its channel again when another is chosen, and shows no late answer of the one before', async () => {
    const { client, router } = await show(live)
    const late = Promise.withResolvers<{ server: string; keyStart: string; keyEnd: string; expires: null }>()
    client.answer({
      'push.card': ({ cid }) => (cid === other.cid ? late.promise : answers['push.card']!({ profileId: 'local', cid })),
    })
    await router.push(`/studio/${other.cid}`)
    await expect.poll(() => client.inputs('push.card').at(-1)?.cid).toBe(other.cid)
    await router.push(`/studio/${idle.cid}`)
    await expect.element(page.getByText(/^3333•+4812$/)).toBeVisible()
    late.resolve({ server: 'rtmp://late/live', keyStart: '2222', keyEnd: '4812', expires: null })
    await settled()
    await expect.element(page.getByText(/^3333•+4812$/)).toBeVisible()
    expect(page.getByText(/^2222•+4812$/).query()).toBeNull()
  })

  it('asks before it disables a channel on air, and disables that one', async () => {
    const { client } = await show(live, {
      answers: { 'channels.disable': ({ cids }) => ({ results: cids.map((cid) => ({ cid, ok: true, code: null })) }) },
    })
    await button(studioEn.studio.disable).click()
    const dialog = page.getByRole('dialog')
    await expect.element(dialog).toMatchTextContent(en.ask.disableLive)
    expect(client.inputs('channels.disable')).toEqual([])
    await dialog.getByRole('button', { name: en.ask.disable }).click()
    await expect.poll(() => client.inputs('channels.disable')).toEqual([{ profileId: 'local', cids: [live.cid] }])
  })

  it('resumes a disabled channel at once, and asks before it deletes it', async () => {
    const { client } = await show(disabled, {
      answers: {
        'channels.resume': ({ cids }) => ({ results: cids.map((cid) => ({ cid, ok: true, code: null })) }),
        'recordings.all': () => ({ files: [], more: false }),
      },
    })
    await expect.element(page.getByText(studioEn.studio.disabledBanner)).toBeVisible()
    await button(studioEn.studio.resume).click()
    await expect.poll(() => client.inputs('channels.resume')).toEqual([{ profileId: 'local', cids: [disabled.cid] }])
    await button(studioEn.studio.remove).click()
    await expect.element(page.getByRole('dialog')).toMatchTextContent(`Delete ${disabled.name}?`)
    expect(client.inputs('channels.remove')).toEqual([])
  })

  it.each([
    ['disable', live, studioEn.studio.disable],
    ['resume', disabled, studioEn.studio.resume],
    ['delete', disabled, studioEn.studio.remove],
  ] as const)('does not %s a channel while the service is down, and says why', async (_case, shown, name) => {
    const { client, tell, pinia } = await show(shown)
    await tell(service('restarting'))
    await expect.element(button(name)).toHaveAttribute('aria-disabled', 'true')
    await expect.element(button(name)).toHaveAttribute('title', en.blocker.down)
    await button(name).click({ force: true })
    expect(useDialogs(pinia).question).toBeNull()
    expect(client.calls.filter(({ path }) => /^channels\.(disable|resume|remove)$/.test(path))).toEqual([])
  })

  it('marks this second of a channel that is recorded, and says when', async () => {
    const at = Date.UTC(2026, 10, 26, 8, 0, 0)
    const { client } = await show(recorded, {
      answers: { 'recordings.mark': ({ cid, label }) => ({ markerId: 1, cid, at, label }) },
    })
    await page.getByRole('button', { name: new RegExp(studioEn.studio.mark) }).click()
    await expect.element(page.getByRole('status').filter({ hasText: 'Marked 16:00:00' })).toBeInTheDocument()
    expect(client.inputs('recordings.mark')).toEqual([{ profileId: 'local', cid: recorded.cid, label: '' }])
  })

  it.each([
    ['not recorded', live],
    ['off the air', idle],
  ] as const)('marks nothing of a channel that is %s', async (_case, shown) => {
    await show(shown)
    await expect.element(button(studioEn.studio.disable)).toBeVisible()
    expect(page.getByRole('button', { name: new RegExp(studioEn.studio.mark) }).query()).toBeNull()
  })

  it('tells the tray which channel is shown', async () => {
    const { client, router } = await show(live)
    await router.push(`/studio/${other.cid}`)
    await expect.poll(() => client.inputs('app.open')).toEqual([{ cid: live.cid }, { cid: other.cid }])
  })

  it('says that a channel is gone, and goes to the list', async () => {
    const { router } = await show(channel(9))
    await expect.element(page.getByText(studioEn.studio.gone)).toBeVisible()
    await button(studioEn.studio.toChannels).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/channels')
  })

  it('says why the list could not be read, and reads it again', async () => {
    const { client, pinia } = await show(live, {
      answers: {
        'channels.list': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await expect.element(page.getByText(en.channels.loadFailed)).toBeVisible()
    client.answer({ 'channels.list': () => ({ channels: list, total: list.length }) })
    await button(en.word.retry).click()
    await expect.poll(() => useChannels(pinia).slice.channels?.length).toBe(list.length)
  })

  it('says that a host does not answer, and how old the tally is', async () => {
    const { tell, pass } = await show(idle, { profile: 'hosted-1' })
    const fault = { kind: 'refused', code: null, skewSeconds: null, detail: 'ECONNREFUSED' } as const
    await tell({ ...tallies([tally(idle)], 'hosted-1'), fault: 'poll', failure: fault } as AppEvent)
    await pass(12_000)
    await expect.element(page.getByText(/The tally shown is 12 s old/)).toBeVisible()
    await expect.element(button(studioEn.studio.disable)).toHaveAttribute('title', en.blocker.host)
  })

  it('goes to the first channel when another profile is chosen', async () => {
    const { router, pinia } = await show(other)
    useCompanion(pinia).choose('hosted-1')
    await expect.poll(() => router.currentRoute.value.path).toBe('/studio')
  })

  it('marks this second under its key, but not while something is typed or asked', async () => {
    const { client, pinia } = await show(recorded, {
      answers: { 'recordings.mark': ({ cid, label }) => ({ markerId: 1, cid, at: began, label }) },
    })
    await expect.element(page.getByRole('button', { name: new RegExp(studioEn.studio.mark) })).toBeVisible()
    const field = document.createElement('input')
    document.body.append(field)
    field.focus()
    await userEvent.keyboard('b')
    field.remove()
    useDialogs(pinia).askCreate()
    await expect.element(page.getByRole('dialog')).toBeVisible()
    useDialogs(pinia).close()
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
    expect(client.inputs('recordings.mark')).toEqual([])
    ;(document.activeElement as HTMLElement | null)?.blur()
    await userEvent.keyboard('b')
    await expect.poll(() => client.inputs('recordings.mark').length).toBe(1)
  })

  it('writes a mark into the log, and says for 4 s that it is made', async () => {
    const { pass } = await show(recorded, {
      answers: { 'recordings.mark': ({ cid, label }) => ({ markerId: 1, cid, at: began, label }) },
    })
    await page.getByRole('button', { name: new RegExp(studioEn.studio.mark) }).click()
    await expect.element(page.getByRole('button', { name: /Marked 16:00:00/ })).toBeVisible()
    await expect.poll(() => document.querySelector('[data-figure=logLine][data-of=marked]')).not.toBeNull()
    await pass(4_000)
    await expect.element(page.getByRole('button', { name: new RegExp(studioEn.studio.mark) })).toBeVisible()
  })

  it('says why a second could not be marked', async () => {
    await show(recorded, {
      answers: {
        'recordings.mark': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await page.getByRole('button', { name: new RegExp(studioEn.studio.mark) }).click()
    await expect.element(page.getByRole('alert').first()).toMatchTextContent(en.failure.late.sentence)
  })

  it('marks nothing of a hosted service, nor while the service is down', async () => {
    const { tell } = await show(recorded)
    const mark = page.getByRole('button', { name: new RegExp(studioEn.studio.mark) })
    await expect.element(mark).toBeVisible()
    await tell(service('restarting'))
    await expect.element(mark).not.toBeInTheDocument()
  })

  it('shows the channel opened last without one in its address', async () => {
    const { router, pinia } = await show(other)
    await router.push('/studio')
    await settled()
    await expect.element(page.getByRole('heading', { name: other.name })).toBeVisible()
    expect(useChannels(pinia).opened).toBe(other.cid)
  })

  it('says that there is no channel yet', async () => {
    await show(live, { channels: [], path: '/studio' })
    await expect.element(page.getByText(studioEn.studio.noChannel)).toBeVisible()
    await expect.element(page.getByText(studioEn.studio.noChannelNext)).toBeVisible()
  })

  it('says at the head why the channel could not be resumed', async () => {
    await show(disabled, {
      answers: { 'channels.resume': ({ cids }) => ({ results: [{ cid: cids[0]!, ok: false, code: 630 }] }) },
    })
    await button(studioEn.studio.resume).click()
    await expect.element(page.getByRole('alert').first()).toBeVisible()
  })

  it('opens the watch page of its channel, which a hosted service does not have', async () => {
    await show(live, { profile: 'hosted-1' })
    await expect.element(button(studioEn.studio.disable)).toBeVisible()
    expect(button(studioEn.studio.watchPage).query()).toBeNull()
  })

  it('has the chat over it in a narrow window, opened and closed by its button and closed by Escape', async () => {
    await page.viewport(1100, 900)
    onTestFinished(() => page.viewport(1440, 900))
    await show(live)
    const chat = button(roomPanelEn.roomPanel.open)
    await expect.element(chat).toHaveAttribute('aria-expanded', 'false')
    const isShown = () => document.querySelector('#studio-chat')?.checkVisibility()
    expect(isShown()).toBe(false)
    await chat.click()
    await expect.element(chat).toHaveAttribute('aria-expanded', 'true')
    await expect.poll(isShown).toBe(true)
    await userEvent.keyboard('{Escape}')
    await expect.element(chat).toHaveAttribute('aria-expanded', 'false')
    expect(isShown()).toBe(false)
  })

  it('has the chat beside it in a wide window', async () => {
    await show(live)
    await expect.poll(() => document.querySelector('#studio-chat')?.checkVisibility()).toBe(true)
    expect(button(roomPanelEn.roomPanel.open).query()).toBeNull()
  })
})
