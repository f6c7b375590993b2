import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { spoken } from '../../format/languages.ts'
import { broadcastFiles, broadcastId, makeBroadcast, type BroadcastChange } from '../../testing/broadcast-values.ts'
import { failed, type Answers } from '../../testing/memory-client.ts'
import { began, channel, mounted, type MountOptions } from '../../testing/mounted.ts'
import { useChannels } from '../channels/channels.ts'
import type { Broadcast } from './broadcast.ts'
import BroadcastsView from './broadcasts-view.vue'
import { broadcastsWords } from './words.ts'

const { broadcast: words } = spoken(broadcastsWords, 'en')
const minute = 60_000
const show = channel(1, { name: 'live_main', needRecord: true })
const begin = began - 150 * minute
const made = (change: BroadcastChange = {}): Broadcast => makeBroadcast(begin, show.cid, change)

/** The page of a broadcast, with these files. */
async function open(
  change: BroadcastChange = {},
  { answers, ...options }: MountOptions = {},
  files = broadcastFiles(begin, show.cid),
) {
  const usual: Answers = {
    'operations.broadcast.broadcast': () => ({ code: 200, ret: made(change) }),
    'operations.broadcast.broadcasts': () => ({ code: 200, ret: { list: [made(change)], more: false } }),
    'recordings.list': () => ({ files: [...files] }),
    'recordings.markers': () => [],
    'recordings.merges': () => ({ tasks: [], calls: [] }),
    'receivers.deliveries': () => [],
    'rooms.linked': () => ({ roomid: null }),
    'recordings.ticket': () => ({ path: '/media/none.mp4' }),
  }
  return mounted(BroadcastsView, {
    channels: [show],
    path: `/broadcasts/${broadcastId}`,
    ...options,
    answers: { ...usual, ...answers },
  })
}
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })

const item = async (name: string): Promise<void> => {
  await button(words.menu).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}
const row = (name: string) => page.getByRole('listitem').filter({ hasText: name })
const figure = (name: string) => page.getByRole('term').filter({ hasText: name }).element().parentElement?.textContent
const heading = () => page.getByRole('heading', { level: 1 })

describe('the page of a broadcast', () => {
  it('says when it was, how it ended and whether somebody ended it', async () => {
    await open()
    await expect.element(heading()).toHaveTextContent('Night Radio 214 has ended')
    await expect.element(page.getByText(/13:30 to 15:23 · ended by the encoder, clean/)).toBeVisible()
  })

  it.each([
    [{ how: 'lost', clean: false }, 'connection to the encoder lost, not clean'],
    [{ how: 'restarted', clean: false }, 'the service was cut off, not clean'],
    [{ how: 'disabled', clean: true }, 'ended by disabling the channel, clean'],
  ])('says of another end what it was: %s', async (change, said) => {
    await open(change)
    await expect.element(page.getByText(new RegExp(said))).toBeVisible()
  })

  it('has figures that were measured, and none that were not', async () => {
    await open()
    await expect.element(row('Part 1')).toBeVisible()
    expect(figure(words.figure.length)).toContain('01:53:00')
    expect(figure(words.figure.length)).toContain('9 s of it held, 1 min without a push, 2 pushes')
    expect(figure(words.figure.peak)).toContain('318at 14:40')
    expect(figure(words.figure.viewers)).toContain('151')
    expect(figure(words.figure.kbps)).toContain('lowest 180')
    expect(figure(words.figure.fps)).toContain('30.0fpslowest 29.9')
    expect(figure(words.figure.files)).toContain('3 files, 01:53:00')
    await expect.element(page.getByText('In range 95.5 % of the time')).toBeVisible()
  })

  it('shows no graph of a push below a minute, and dashes for what nobody measured', async () => {
    await open({ ended: begin + 59_000, samples: [], events: [], peak: 0, pushList: [], pushes: 1 }, {}, [])
    await expect.element(page.getByText(words.figure.nobody)).toBeVisible()
    expect(figure(words.figure.kbps)).toContain('–')
    expect(page.getByText(words.graph.title).query()).toBeNull()
  })

  it('says that nobody watched only when nobody did', async () => {
    await open({ peak: 5, samples: [] })
    await expect.poll(() => figure(words.figure.peak)).toContain('5')
    expect(page.getByText(words.figure.nobody).query()).toBeNull()
  })

  it('leads to the Studio of its channel, unless that is deleted', async () => {
    const { router } = await open()
    await button(words.again).click()
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${show.cid}`)
  })

  it('says that its channel is deleted', async () => {
    await open({ cid: 'f'.repeat(32) })
    await expect.element(page.getByText(/its channel is deleted/)).toBeVisible()
    expect(button(words.again).query()).toBeNull()
  })

  it('of one on air says so, leads to the Studio and cannot be deleted', async () => {
    const recorded = { state: 'recording', reason: null, since: begin, bytes: 1, cut: null } as const
    const { router } = await open(
      { ended: undefined, how: undefined, clean: undefined },
      {
        events: [{ type: 'recording', profileId: 'local', cid: show.cid, at: began, recording: recorded }],
      },
    )
    await expect.element(heading()).toHaveTextContent('Night Radio 214 is on air')
    await expect.element(row(words.kept.writing)).toBeVisible()
    expect(row(words.kept.writing).getByRole('button').query()).toBeNull()
    await button(words.menu).click()
    await expect.element(page.getByRole('menuitem', { name: words.details })).toBeVisible()
    expect(page.getByRole('menuitem', { name: words.remove }).query()).toBeNull()
    await userEvent.keyboard('{Escape}')
    await page.getByRole('link', { name: words.studio }).click()
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${show.cid}`)
  })

  it('is read again when it changed', async () => {
    const { client, tell } = await open()
    await expect.element(heading()).toHaveTextContent('Night Radio 214 has ended')
    client.answer({ 'operations.broadcast.broadcast': () => ({ code: 200, ret: made({ title: 'Harbour Tapes' }) }) })
    const { cid } = show
    await tell({ type: 'broadcast', profileId: 'local', cid, broadcastId, change: 'changed', at: began })
    await expect.element(heading()).toHaveTextContent('Harbour Tapes has ended')
  })

  it('says why it cannot be read, and reads again', async () => {
    const { client } = await open(
      {},
      {
        answers: {
          'operations.broadcast.broadcast': () => {
            throw failed({ kind: 'code', code: 501 })
          },
        },
      },
    )
    await expect.element(page.getByText(words.failed)).toBeVisible()
    client.answer({ 'operations.broadcast.broadcast': () => ({ code: 200, ret: made() }) })
    await button('Try again').click()
    await expect.element(heading()).toHaveTextContent('Night Radio 214 has ended')
  })

  it('is renamed and deleted from its menu, and tells its ids there alone', async () => {
    const { client, router } = await open(
      {},
      {
        answers: {
          'operations.broadcast.setBroadcastTitle': () => ({ code: 200 }),
          'operations.broadcast.removeBroadcast': () => ({ code: 200 }),
        },
      },
    )
    await expect.element(heading()).toHaveTextContent('Night Radio 214 has ended')
    expect(document.body.textContent).not.toContain(broadcastId)
    await item(words.details)
    await expect.element(page.getByText(broadcastId)).toBeVisible()
    await button(/^Copy: Channel/).click()
    await expect.poll(() => navigator.clipboard.readText()).toBe(show.cid)
    await button('Close').click()
    await item(words.rename)
    await page.getByRole('textbox', { name: words.name }).fill(' Harbour Tapes ')
    await button(words.save).click()
    await expect
      .poll(() => client.inputs('operations.broadcast.setBroadcastTitle'))
      .toEqual([{ profileId: 'local', call: { broadcastId, title: 'Harbour Tapes' } }])
    await expect.poll(() => page.getByRole('dialog').query()).toBeNull()
    await item(words.remove)
    await button(words.removeNow).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/broadcasts')
    expect(client.inputs('operations.broadcast.removeBroadcast')).toEqual([
      { profileId: 'local', call: { broadcastId } },
    ])
  })

  it('sums up the chat and leads to its room, or says that there is none', async () => {
    const { router } = await open()
    expect(page.getByText(words.chat.none).query()).toBeNull()
    await expect.element(page.getByText('4,870')).toBeVisible()
    await page.getByRole('link', { name: words.chat.open }).click()
    await expect.poll(() => router.currentRoute.value.fullPath).toBe('/room?open=7')
  })

  it('says that there was no room', async () => {
    await open({ chat: undefined })
    await expect.element(page.getByText(words.chat.none)).toBeVisible()
  })
})

describe('where a broadcast is found', () => {
  it('the newest one of the channel of the Studio is asked for by its own address', async () => {
    const { client, router } = await open(
      {},
      { path: '/broadcasts/last', before: (pinia) => useChannels(pinia).open(show.cid) },
    )
    await expect.poll(() => router.currentRoute.value.path).toBe(`/broadcasts/${broadcastId}`)
    expect(client.inputs('operations.broadcast.broadcasts')[0]).toEqual({
      profileId: 'local',
      call: { cid: show.cid, limit: 1 },
    })
  })

  it('and where there is none the page says so', async () => {
    const none = () => ({ code: 200 as const, ret: { list: [], more: false } })
    await open({}, { path: '/broadcasts/last', answers: { 'operations.broadcast.broadcasts': none } })
    await expect.element(page.getByText(words.noneLast)).toBeVisible()
  })

  it('all are in a list, each with its title, begin, length and most viewers', async () => {
    const { router } = await open({}, { path: '/broadcasts' })
    const line = page.getByRole('row').filter({ hasText: 'Night Radio 214' })
    await expect.element(line).toHaveTextContent('Night Radio 214live_main2026-11-26 13:3001:53:00318')
    await line.getByRole('link').click()
    await expect.poll(() => router.currentRoute.value.path).toBe(`/broadcasts/${broadcastId}`)
  })

  it('a hosted service of another make keeps none', async () => {
    await open({}, { profile: 'hosted-1' })
    await expect.element(page.getByText(words.hosted)).toBeVisible()
  })
})
