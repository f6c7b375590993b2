import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { spoken } from '../../format/languages.ts'
import { makeComputer } from '../../testing/fake-computer.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, channel, mounted, starting, tally, type MountOptions } from '../../testing/mounted.ts'
import { recordedFile } from '../../testing/recorded-values.ts'
import { frameWords } from '../frame/words.ts'
import ChannelDialogs from './channel-dialogs.vue'
import { useDialogs } from './dialogs.ts'

const en = spoken(frameWords, 'en')
const zh = spoken(frameWords, 'zh')

const { ask: words } = en
const live = channel(1, { status: 1 })
const recorded = channel(2, { status: 3, needRecord: true })
const idle = channel(3)
const other = channel(4)
const list = [live, recorded, idle, other]
const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values).reduce((said, [name, value]) => said.replaceAll(`{${name}}`, String(value)), text)
const [onePlural, manyPlural] = words.recorded.split(' | ') as [string, string]
const done =
  (...failing: readonly string[]) =>
  ({ cids }: { readonly cids: readonly string[] }) => ({
    results: cids.map((cid) => ({ cid, ok: !failing.includes(cid), code: failing.includes(cid) ? 603 : null })),
  })
/** Files of channels, as the app lists them. */
const listed = (...cids: readonly string[]) => ({
  files: cids.map((cid, index) => ({ ...recordedFile(index + 1, { cid }), channel: null, deleted: false })),
  more: false,
})
const computer = { type: 'computer', computer: makeComputer('full', began) } as const
const show = async (options: MountOptions = {}) => {
  const shown = await mounted(ChannelDialogs, {
    channels: list,
    tallies: list.map((each) => tally(each)),
    path: '/channels',
    events: [computer],
    ...options,
    answers: {
      'channels.remove': done(),
      'channels.disable': done(),
      'recordings.all': () => listed(),
      ...options.answers,
    },
  })
  return { ...shown, dialogs: useDialogs(shown.pinia) }
}
const dialog = () => page.getByRole('dialog')
const press = (name: string) => dialog().getByRole('button', { name, exact: true }).click()
const folder = '/home/ana/.local/share/sidestage/service/recordings'

describe('the question before channels are deleted', () => {
  it('names the one channel, and what becomes of it', async () => {
    const { dialogs } = await show()
    dialogs.askRemove([idle.cid])
    await expect.element(dialog()).toHaveAccessibleName(filled(words.removeTitle, { name: idle.name }))
    await expect.element(dialog()).toMatchTextContent(words.removeBody)
    expect(dialog().getByRole('list').query()).toBeNull()
  })

  it.each([
    [1, onePlural],
    [2, manyPlural],
  ])('counts its recordings, and has their place on the disk: %s', async (n, text) => {
    const cids = Array.from({ length: n }, () => idle.cid)
    const { dialogs } = await show({ answers: { 'recordings.all': () => listed(other.cid, ...cids) } })
    dialogs.askRemove([idle.cid])
    await expect.element(dialog()).toMatchTextContent(filled(text, { n }))
    await expect.element(dialog()).toMatchTextContent(filled(words.recordedAt, { path: `${folder}/${idle.cid}` }))
  })

  it('has the folder of all recordings as the place of several channels', async () => {
    const { dialogs } = await show({ answers: { 'recordings.all': () => listed(idle.cid) } })
    dialogs.askRemove([idle.cid, other.cid])
    const path = dialog().getByText(filled(words.recordedAt, { path: folder }), { exact: true })
    await expect.element(path).toBeVisible()
  })

  it('has no place on the disk where nothing is recorded', async () => {
    const { dialogs } = await show()
    dialogs.askRemove([idle.cid])
    await expect.element(dialog()).toMatchTextContent(words.recordedNone)
    await expect.element(dialog()).not.toMatchTextContent(folder)
  })

  it('says that recordings stay while they are counted, and where that fails', async () => {
    const counted = Promise.withResolvers<ReturnType<typeof listed>>()
    const { dialogs } = await show({ answers: { 'recordings.all': () => counted.promise } })
    dialogs.askRemove([idle.cid])
    await expect.element(dialog()).toMatchTextContent(words.recordedSome)
    await expect.element(dialog()).toMatchTextContent(`${folder}/${idle.cid}`)
    counted.reject(failed({ kind: 'late' }))
    await expect.element(dialog()).toMatchTextContent(words.recordedSome)
  })

  it('does not count the recordings of the channel that was asked about before', async () => {
    const earlier = Promise.withResolvers<ReturnType<typeof listed>>()
    const { client, dialogs } = await show({ answers: { 'recordings.all': () => earlier.promise } })
    dialogs.askRemove([idle.cid])
    await expect.element(dialog()).toMatchTextContent(words.recordedSome)
    client.answer({ 'recordings.all': () => listed(other.cid, other.cid) })
    dialogs.askRemove([other.cid])
    await expect.element(dialog()).toMatchTextContent(filled(manyPlural, { n: 2 }))
    earlier.resolve(listed())
    await expect.poll(() => client.inputs('recordings.all').length).toBe(2)
    await expect.element(dialog()).toMatchTextContent(filled(manyPlural, { n: 2 }))
  })

  it('says that what is recorded now ends with the push', async () => {
    const { dialogs } = await show()
    dialogs.askRemove([recorded.cid])
    await expect.element(dialog()).toMatchTextContent(words.recordingNow)
    await expect.element(dialog()).toMatchTextContent(words.removeLive)
  })

  it.each([
    [[live, idle], words.removeManyLive.split(' | ')[0]!, 1],
    [[live, recorded, idle], words.removeManyLive.split(' | ')[1]!, 2],
  ])('warns of several channels how many are on air', async (channels, text, n) => {
    const { dialogs } = await show()
    dialogs.askRemove(channels.map(({ cid }) => cid))
    await expect.element(dialog()).toMatchTextContent(filled(text, { n }))
    await expect.element(dialog()).toHaveAccessibleName(filled(words.removeManyTitle, { n: channels.length }))
  })

  it('names all of eight channels, and says of no more', async () => {
    const eight = Array.from({ length: 8 }, (_, index) => channel(1, { cid: String(index).padStart(32, 'a') }))
    const { dialogs } = await show({ channels: eight, tallies: [] })
    dialogs.askRemove(eight.map(({ cid }) => cid))
    const items = dialog().getByRole('list', { name: en.channels.title }).getByRole('listitem')
    await expect.poll(() => items.elements().map(({ textContent }) => textContent?.trim())).toHaveLength(8)
    await expect.element(items.last()).toHaveTextContent(eight[7]!.name)
  })

  it('joins its sentences without a space in Chinese', async () => {
    const { dialogs } = await show({ language: 'zh' })
    dialogs.askRemove([idle.cid])
    await expect.element(dialog()).toMatchTextContent(`${zh.ask.removeBody}${zh.ask.recordedNone}${zh.ask.roomStays}`)
  })

  it('leaves the Studio of a channel that was deleted', async () => {
    const { dialogs, router } = await show({ path: `/studio/${idle.cid}` })
    dialogs.askRemove([idle.cid])
    await press(words.remove)
    await expect.poll(() => router.currentRoute.value.path).toBe('/channels')
    expect(dialogs.question).toBeNull()
  })

  it('stays in the Studio of a channel that could not be deleted, and says why', async () => {
    const { dialogs, router } = await show({
      path: `/studio/${idle.cid}`,
      answers: { 'channels.remove': done(idle.cid) },
    })
    dialogs.askRemove([idle.cid])
    await press(words.remove)
    await expect.element(dialog().getByRole('alert')).toBeVisible()
    expect(router.currentRoute.value.path).toBe(`/studio/${idle.cid}`)
  })

  it('leaves another screen as it is', async () => {
    const { dialogs, router } = await show({ path: '/recordings' })
    dialogs.askRemove([idle.cid])
    await press(words.remove)
    await expect.poll(() => dialogs.question).toBeNull()
    expect(router.currentRoute.value.path).toBe('/recordings')
  })

  it('shows the report where one of several was not deleted', async () => {
    const { dialogs } = await show({ answers: { 'channels.remove': done(other.cid) } })
    dialogs.askRemove([idle.cid, other.cid])
    await press(filled(words.removeMany, { n: 2 }))
    await expect.poll(() => dialogs.question).toEqual({ kind: 'report' })
    await expect.element(dialog()).toHaveAccessibleName(filled(en.batch.reportTitle.remove, { ok: 1, all: 2 }))
    await press(en.word.close)
    expect(dialogs.question).toBeNull()
  })

  it('cannot be left or answered again while it is under way', async () => {
    const going = Promise.withResolvers<ReturnType<ReturnType<typeof done>>>()
    const { client, dialogs } = await show({ answers: { 'channels.remove': () => going.promise } })
    dialogs.askRemove([idle.cid])
    await press(words.remove)
    await expect.element(dialog().getByRole('button', { name: en.word.cancel })).toBeDisabled()
    await expect.element(dialog().getByRole('button', { name: words.remove })).toBeDisabled()
    going.resolve(done()({ cids: [idle.cid] }))
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('channels.remove')).toEqual([{ profileId: 'local', cids: [idle.cid] }])
  })
})

describe('the question before channels are disabled', () => {
  it('says what is refused then, and counts no recordings', async () => {
    const { client, dialogs } = await show()
    dialogs.askDisable([live.cid])
    await expect.element(dialog()).toHaveAccessibleName(filled(words.disableTitle, { name: live.name }))
    await expect.element(dialog()).toMatchTextContent(words.disableBody)
    await expect.element(dialog()).toMatchTextContent(words.disableLive)
    await expect.element(dialog()).not.toMatchTextContent(folder)
    expect(client.inputs('recordings.all')).toEqual([])
  })

  it('warns of nothing where none of them is on air any more', async () => {
    const { dialogs } = await show()
    dialogs.askDisable([idle.cid])
    await expect.element(dialog()).toMatchTextContent(words.disableBody)
    await expect.element(dialog()).not.toMatchTextContent(words.disableLive)
  })

  it('stays in the Studio of the channel', async () => {
    const { dialogs, router } = await show({ path: `/studio/${live.cid}` })
    dialogs.askDisable([live.cid])
    await press(words.disable)
    await expect.poll(() => dialogs.question).toBeNull()
    expect(router.currentRoute.value.path).toBe(`/studio/${live.cid}`)
  })
})

describe('the dialogs of a name', () => {
  it('of a new channel is left by Cancel', async () => {
    const { client, dialogs } = await show()
    dialogs.askCreate()
    await expect.element(dialog()).toHaveAccessibleName(en.create.title)
    await press(en.word.cancel)
    await expect.element(dialog()).not.toBeInTheDocument()
    expect([dialogs.question, client.inputs('channels.create')]).toEqual([null, []])
  })

  it('have what they do at the right, behind Cancel', async () => {
    const { dialogs } = await show()
    for (const [ask, name] of [
      [dialogs.askCreate, en.create.title],
      [() => dialogs.askRename(idle.cid), en.word.renameNow],
    ] as const) {
      ask()
      const primary = dialog().getByRole('button', { name: starting(name) })
      await expect.element(primary).toBeVisible()
      const [cancel, does, form] = [
        dialog().getByRole('button', { name: en.word.cancel, exact: true }).element(),
        primary.element(),
        dialog().element().querySelector('form')!,
      ].map((each) => each.getBoundingClientRect())
      expect(cancel!.right).toBeLessThan(does!.left)
      expect(Math.abs(form!.right - does!.right)).toBeLessThan(1)
      dialogs.close()
      await expect.element(dialog()).not.toBeInTheDocument()
    }
  })

  it('of another channel begins with the name of that one', async () => {
    const { dialogs } = await show()
    dialogs.askRename(idle.cid)
    await dialog().getByRole('textbox').fill('Typed')
    dialogs.askRename(other.cid)
    await expect.element(dialog().getByRole('textbox')).toHaveValue(other.name)
    await expect.element(dialog()).toHaveAccessibleName(filled(words.renameTitle, { name: other.name }))
  })

  it('are closed by Escape, one and the other', async () => {
    const { dialogs } = await show()
    for (const ask of [dialogs.askCreate, () => dialogs.askRename(idle.cid)]) {
      ask()
      await expect.element(dialog()).toBeVisible()
      await userEvent.keyboard('{Escape}')
      await expect.poll(() => dialogs.question).toBeNull()
    }
  })
})
