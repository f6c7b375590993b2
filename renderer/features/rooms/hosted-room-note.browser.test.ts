import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import type { CopyReceiver, RoomCopies } from '../../../contract/rpc/index.ts'
import { failed } from '../../testing/memory-client.ts'
import { began } from '../../testing/mounted.ts'
import { mountedRoom } from '../../testing/mounted-room.ts'
import { roomPanel } from '../../testing/room-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { copiesWords } from '../receivers/words.ts'
import { roomHostedWords } from './words-hosted.ts'
import HostedRoomNote from './hosted-room-note.vue'

const en = spoken(frameWords, 'en')
const copiesEn = spoken(copiesWords, 'en')
const roomHostedEn = spoken(roomHostedWords, 'en')

const { roomHosted: words } = roomHostedEn
const name = 'Harbour production'
const url = 'http://127.0.0.1:1/copies'
const copies = (change: Partial<RoomCopies> = {}): RoomCopies => ({
  receiver: 'listening',
  url,
  lastAt: null,
  verified: null,
  dropped: 0,
  elsewhere: 0,
  readAt: null,
  ...change,
})
const receiver: CopyReceiver = {
  profileId: 'hosted-1',
  phase: 'off',
  host: '0.0.0.0',
  port: 9123,
  url: null,
  reason: null,
  open: false,
  verification: 'unverified',
  ignored: 0,
}
const panel = (change: Partial<RoomCopies> = {}) => ({ profileId: 'hosted-1', copies: copies(change) })
const open = (change: Partial<RoomCopies> = {}, options: Parameters<typeof mountedRoom>[1] = {}) =>
  mountedRoom(HostedRoomNote, { profile: 'hosted-1', panel: panel(change), ...options })
const button = (label: string) => page.getByRole('button', { name: label })
const details = () => page.getByRole('region', { name: words.details })
const state = (ago: string) => page.getByText(words.state.receiving.replace('{ago}', ago))

describe('where lines of a hosted room come from', () => {
  it.each([
    ['off', { receiver: 'off', url: null }, words.state.off],
    ['failed', { receiver: 'failed', url: null }, words.state.failed],
    ['waiting', {}, words.state.waiting],
    ['receiving', { lastAt: began - 5_000 }, words.state.receiving.replace('{ago}', '5 s')],
    ['stale', { lastAt: began - 700_000 }, words.state.stale.replace('{ago}', '11 min')],
  ] as const)('is said: %s', async (_case, change, says) => {
    await open(change)
    await expect.element(page.getByText(says)).toBeVisible()
  })

  it('is told with how long ago the last copy came, as time goes by', async () => {
    const { pass, tell } = await open(
      { lastAt: began },
      { answers: { 'rooms.enter': () => roomPanel(panel({ lastAt: began })) } },
    )
    await expect.element(state('0 s')).toBeVisible()
    await pass(59_000)
    await expect.element(state('59 s')).toBeVisible()
    await pass(1_000)
    await expect.element(state('1 min')).toBeVisible()
    await pass(3_540_000)
    await expect.element(page.getByText(words.state.stale.replace('{ago}', '1 h'))).toBeVisible()
    await pass(82_800_000)
    await expect.element(page.getByText(words.state.stale.replace('{ago}', '1 d'))).toBeVisible()
    await tell()
  })

  it.each([
    [true, copiesEn.copies.verified, words.verified],
    [false, copiesEn.copies.unverified, words.unverified.replace('{name}', name)],
  ])('says whether copies are verified: %s', async (verified, short, long) => {
    await open({ lastAt: began, verified })
    await expect.element(page.getByText(`· ${short}`)).toBeVisible()
    await button(words.details).click()
    await expect.element(details()).toMatchTextContent(long)
  })

  it('has the receiver started by its button, where it listened last', async () => {
    const { client } = await open(
      { receiver: 'off', url: null },
      { answers: { 'copies.state': () => receiver, 'copies.start': () => receiver } },
    )
    expect(button(words.settings).query()).toBeNull()
    await button(words.start).click()
    await expect
      .poll(() => client.inputs('copies.start'))
      .toEqual([{ profileId: 'hosted-1', host: '0.0.0.0', port: 9123 }])
  })

  it('says why the receiver could not be started', async () => {
    await open(
      { receiver: 'off', url: null },
      {
        answers: {
          'copies.state': () => {
            throw failed({ kind: 'late' })
          },
        },
      },
    )
    await button(words.start).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
  })

  it('leads to the settings of a receiver that cannot listen', async () => {
    const { router } = await open({ receiver: 'failed', url: null })
    expect(button(words.start).query()).toBeNull()
    await page.getByRole('link', { name: words.settings }).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/settings/copies')
  })

  it('asks every 20 s for news of the room', async () => {
    const { client, pass } = await open({}, { answers: { 'rooms.enter': () => roomPanel(panel()) } })
    await pass(19_000)
    expect(client.inputs('rooms.enter')).toEqual([])
    await pass(1_000)
    await expect.poll(() => client.inputs('rooms.enter')).toEqual([{ profileId: 'hosted-1', roomid: 7, renew: false }])
  })

  it('asks nothing while the window is hidden', async () => {
    const { client, pass } = await open()
    const hidden = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    onTestFinished(() => hidden.mockRestore())
    await pass(30_000)
    expect(client.inputs('rooms.enter')).toEqual([])
  })

  it('is not said of a room of this computer', async () => {
    await mountedRoom(HostedRoomNote)
    expect(page.getByRole('region', { name: words.label }).query()).toBeNull()
  })
})

describe('the set-up of a hosted room', () => {
  it('is open while the first copy is waited for, and closed otherwise, until somebody chooses', async () => {
    const { tell } = await open()
    await expect.element(details()).toBeVisible()
    await expect.element(button(words.details)).toHaveAttribute('aria-expanded', 'true')
    await tell({ type: 'room', panel: roomPanel(panel({ lastAt: began })) })
    await expect.element(button(words.details)).toHaveAttribute('aria-expanded', 'false')
    await button(words.details).click()
    await tell({ type: 'room', panel: roomPanel(panel({ lastAt: began - 700_000 })) })
    await expect.element(details()).toBeVisible()
  })

  it('has the address to enter, which is copied', async () => {
    await open()
    await expect.element(page.getByText(words.how.replace('{name}', name))).toBeVisible()
    await expect.element(page.getByText(url)).toBeVisible()
    await button(words.copyAddress).click()
    await expect.element(page.getByText(words.copied, { exact: true })).toBeVisible()
    expect(await navigator.clipboard.readText()).toBe(url)
    // Said for some seconds.
    await expect.element(page.getByText(words.copied, { exact: true })).not.toBeInTheDocument()
  })

  it('says that the address was not copied, until it is another one', async () => {
    const { tell } = await open()
    const refused = vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('refused'))
    onTestFinished(() => refused.mockRestore())
    await button(words.copyAddress).click()
    await expect.element(page.getByText(words.notCopied)).toBeVisible()
    await tell({ type: 'room', panel: roomPanel(panel({ url: `${url}/2` })) })
    await expect.element(page.getByText(words.notCopied)).not.toBeInTheDocument()
  })

  it('has no address while there is none', async () => {
    await open({ receiver: 'off', url: null })
    await button(words.details).click()
    await expect.element(details()).toMatchTextContent(words.missing.replace('{name}', name))
    expect(button(words.copyAddress).query()).toBeNull()
  })

  it('counts the copies that were of other rooms and those that could not be read', async () => {
    const { tell } = await open()
    const elsewhere = words.elsewhere.split(' | ')
    const dropped = words.dropped.split(' | ')
    for (const text of [...elsewhere, ...dropped]) expect(details().element().textContent).not.toContain(text.slice(4))
    await tell({ type: 'room', panel: roomPanel(panel({ elsewhere: 2, dropped: 1 })) })
    await expect.element(details()).toMatchTextContent(elsewhere[1]!.replace('{n}', '2'))
    await expect.element(details()).toMatchTextContent(dropped[0]!.replace('{n}', '1'))
  })

  it('says what the service does not give', async () => {
    await open()
    for (const text of Object.values(words.missingList)) await expect.element(details()).toMatchTextContent(text)
  })
})
