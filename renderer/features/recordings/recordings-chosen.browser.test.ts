import { describe, expect, it, onTestFinished } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { RecordedFile } from '../../../contract/rpc/index.ts'
import { channel, mounted, type MountOptions } from '../../testing/mounted.ts'
import { listedBroadcast, recordedFile } from '../../testing/recorded-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import RecordingsView from './recordings-view.vue'
import { recordingsWords } from './words.ts'

const en = spoken(frameWords, 'en')
const { files: words, merge, groups } = spoken(recordingsWords, 'en')

/** The screen of recordings, with these files whatever range is asked for. */
async function show(files: readonly RecordedFile[], { answers, ...options }: MountOptions = {}) {
  const on = await mounted(RecordingsView, {
    channels: [channel(1)],
    ...options,
    answers: {
      'recordings.list': () => ({ files: [...files] }),
      'recordings.markers': () => [],
      'recordings.merges': () => ({ tasks: [], calls: [] }),
      'recordings.deletedChannels': () => [],
      'recordings.callbacks': () => ({ list: [], waiting: 0 }),
      'receivers.deliveries': () => [],
      'operations.broadcast.broadcasts': () => ({ code: 200, ret: { list: [], more: false } }),
      'rooms.linked': () => ({ roomid: null }),
      'recordings.ticket': ({ vid }) => ({ path: `/media/${vid}.mp4` }),
      ...answers,
    },
  })
  await expect.poll(() => page.getByText(en.word.loading).elements().length).toBe(0)
  return on
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` })
const tray = () => page.getByRole('complementary', { name: merge.title })
const dialog = () => page.getByRole('dialog')
const two = [recordedFile(1), recordedFile(2)]
const chooseTwo = async (): Promise<void> => {
  await box('file-2').click()
  await box('file-1').click()
}

describe('the broadcasts of the screen', () => {
  it('are asked for with the range, and group their files', async () => {
    const { client } = await show(two, {
      answers: {
        'operations.broadcast.broadcasts': () => ({ code: 200, ret: { list: [listedBroadcast(2)], more: false } }),
      },
    })
    await expect.element(button('Show 2')).toBeVisible()
    const { call } = client.inputs('operations.broadcast.broadcasts').at(-1)!
    expect(call).toMatchObject({ cid: '1'.repeat(32), limit: 1000 })
  })

  it('are not asked of a hosted service, which has none', async () => {
    const { client } = await show(two, { profile: 'hosted-1' })
    await expect.element(box('file-1')).toBeVisible()
    expect(client.inputs('operations.broadcast.broadcasts')).toEqual([])
  })

  it('are asked for again when one changes', async () => {
    const { client, tell } = await show(two)
    const before = client.inputs('operations.broadcast.broadcasts').length
    await tell({
      type: 'broadcast',
      profileId: 'local',
      cid: '1'.repeat(32),
      at: 1,
      broadcastId: 'b2',
      change: 'changed',
    })
    await expect.poll(() => client.inputs('operations.broadcast.broadcasts').length).toBeGreaterThan(before)
  })
})

describe('what is chosen', () => {
  it('is kept when its tray is closed', async () => {
    await show(two)
    await chooseTwo()
    await button(groups.merge).click()
    await tray().getByRole('button', { name: en.word.close }).click()
    await expect.element(tray()).not.toBeInTheDocument()
    await expect.element(page.getByText('2 chosen')).toBeVisible()
    await expect.element(box('file-1')).toBeChecked()
  })

  it('is cleared by Escape, but not while a question is open', async () => {
    await show(two)
    await chooseTwo()
    await button(en.batch.remove.replace('{n}', '2')).click()
    await expect.element(dialog()).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog()).not.toBeInTheDocument()
    await expect.element(box('file-1')).toBeChecked()
    await userEvent.keyboard('{Escape}')
    await expect.element(box('file-1')).not.toBeChecked()
    expect(page.getByRole('group', { name: groups.bar }).query()).toBeNull()
  })

  it('is trimmed where it is one file that can be', async () => {
    const { router } = await show([...two, recordedFile(3, { format: 'flv' })])
    await box('file-3').click()
    await expect.element(button(words.trim)).toHaveAttribute('title', words.trimFlv)
    await box('file-1').click()
    await expect.element(button(words.trim)).toHaveAttribute('title', groups.trimOne)
    await box('file-3').click()
    await button(words.trim).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/recordings/trim/1')
  })

  it('is downloaded, one file after the other', async () => {
    const saved: string[] = []
    const { click } = HTMLAnchorElement.prototype
    HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement) {
      saved.push(this.download)
    }
    onTestFinished(() => {
      HTMLAnchorElement.prototype.click = click
    })
    const { client } = await show([...two, recordedFile(3, { missing: true })])
    await chooseTwo()
    await box('file-3').click()
    await button(words.download).click()
    await expect.poll(() => saved).toEqual(['file-2.mp4', 'file-1.mp4'])
    expect(client.inputs('recordings.ticket').map(({ vid }) => vid)).toEqual([2, 1])
  })
})

it('a missing file is forgotten after a question that says so', async () => {
  const { client } = await show([recordedFile(1, { missing: true })], {
    answers: { 'recordings.remove': ({ vids }) => ({ removed: vids }) },
  })
  await button(groups.forgetThis.replace('{name}', 'file-1')).click()
  await expect.element(dialog()).toMatchTextContent(groups.forgetTitle.replace('{name}', 'file-1'))
  await expect.element(dialog()).toMatchTextContent(groups.forgetBody)
  await dialog().getByRole('button', { name: groups.forget, exact: true }).click()
  await expect.poll(() => client.inputs('recordings.remove')).toEqual([{ profileId: 'local', vids: [1] }])
})

it('/ leads to the search, which Escape empties', async () => {
  await show(two)
  await userEvent.keyboard('/')
  const field = page.getByRole('searchbox', { name: groups.searchLabel })
  await expect.element(field).toHaveFocus()
  await userEvent.keyboard('file-2')
  await expect.element(box('file-1')).not.toBeInTheDocument()
  await expect.element(box('file-2')).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expect.element(field).toHaveValue('')
  await expect.element(box('file-1')).toBeVisible()
})
