import { describe, expect, it, onTestFinished } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { MergeBoard, RecordedFile } from '../../../contract/rpc/index.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, channel, mounted, service, type MountOptions } from '../../testing/mounted.ts'
import { marker, recordedFile, sentCallback } from '../../testing/recorded-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { channelsWords } from '../channels/words.ts'
import { recordingsWords } from './words.ts'
import RecordingsView from './recordings-view.vue'
import { useRecordingPosition } from './recording-position.ts'

const en = spoken(frameWords, 'en')
const channelsEn = spoken(channelsWords, 'en')
const recordingsEn = spoken(recordingsWords, 'en')

const { files: words, merge, callbacks } = recordingsEn
const channels = [channel(1), channel(2)]
const hour = 3_600_000
const midnight = Date.UTC(2026, 10, 25, 16)
const empty: MergeBoard = { tasks: [], calls: [] }

/** The screen of recordings, with these files whatever range is asked for. */
async function show(files: readonly RecordedFile[], { answers, ...options }: MountOptions = {}) {
  const on = await mounted(RecordingsView, {
    channels,
    ...options,
    answers: {
      'recordings.list': () => ({ files: [...files] }),
      'recordings.markers': () => [],
      'recordings.merges': () => empty,
      'recordings.deletedChannels': () => [],
      'recordings.callbacks': () => ({ list: [], waiting: 0 }),
      'receivers.deliveries': () => [],
      'operations.broadcast.broadcasts': () => ({ code: 200, ret: { list: [], more: false } }),
      'rooms.linked': () => ({ roomid: null }),
      'recordings.ticket': () => ({ path: '/media/none.mp4' }),
      ...answers,
    },
  })
  await expect.poll(() => page.getByText(en.word.loading).elements().length).toBe(0)
  return on
}
const two = [recordedFile(1), recordedFile(2)]
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const row = (name: string) => page.getByRole('row').filter({ hasText: name })
const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` })
const tray = () => page.getByRole('complementary', { name: merge.title })
const dialog = () => page.getByRole('dialog')
const item = async (name: string, what: string): Promise<void> => {
  await button(`Actions for ${name}`).click()
  await page.getByRole('menuitem', { name: what, exact: true }).click()
}
const openTray = (): Promise<void> => button(recordingsEn.groups.merge).click()
const refused = (): never => {
  throw failed({ kind: 'code', code: 501 })
}

describe('the screen of recordings', () => {
  it('asks for the files and markers of all channels of the week that ends today', async () => {
    const { client } = await show(two)
    const asked = {
      profileId: 'local',
      cids: channels.map(({ cid }) => cid),
      beginTime: midnight - 6 * 24 * hour,
      endTime: midnight + 24 * hour - 1,
    }
    expect(client.inputs('recordings.list').at(-1)).toEqual(asked)
    expect(client.inputs('recordings.markers').at(-1)).toEqual(asked)
    await expect.element(row('file-1')).toMatchTextContent('Channel 1')
  })

  it('asks again for the day, the channel and the days before that are chosen', async () => {
    const { client } = await show(two)
    const last = () => {
      const { beginTime, endTime, cids } = client.inputs('recordings.list').at(-1)!
      return [beginTime, endTime, ...cids]
    }
    await page.getByRole('radio', { name: words.spans.day }).click()
    await expect.poll(last).toEqual([midnight, midnight + 24 * hour - 1, ...channels.map(({ cid }) => cid)])
    await button(words.earlier).click()
    await expect.poll(() => last()[0]).toBe(midnight - 24 * hour)
    await button(words.whichChannel.replace('{name}', words.allChannels)).click()
    await page.getByRole('option', { name: 'Channel 2' }).click()
    await expect.poll(() => last().slice(2)).toEqual([channels[1]!.cid])
    // With one lane, rows do not repeat its name.
    await expect.element(row('file-1')).not.toMatchTextContent('Channel')
  })

  it('shows the week of one channel of a hosted service, says what is missing there', async () => {
    const { client } = await show(two, { profile: 'hosted-1' })
    await expect.element(page.getByText(words.hosted, { exact: true })).toBeVisible()
    expect(client.inputs('recordings.list').at(-1)?.cids).toEqual([channels[0]!.cid])
    expect(client.inputs('recordings.deletedChannels')).toEqual([])
  })

  it('lists the files of deleted channels with a lane of their own', async () => {
    const gone = '9'.repeat(32)
    const { client } = await show([recordedFile(1, { cid: gone })], {
      answers: {
        'recordings.deletedChannels': () => [{ cid: gone, name: 'Old one', deleted: began }],
      },
    })
    await expect.poll(() => client.inputs('recordings.list').at(-1)?.cids).toContain(gone)
    await expect.element(row('file-1')).toMatchTextContent('Deleted: Old one')
  })

  it('says that there is no channel, and leads to the channels', async () => {
    const { router } = await show([], { channels: [] })
    await expect.element(page.getByText(words.noChannel)).toBeVisible()
    expect(page.getByRole('region', { name: words.timeLine }).query()).toBeNull()
    await page.getByRole('link').click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/channels')
  })

  it('says why files could not be read, and reads them again on request', async () => {
    const { client } = await show(two, { answers: { 'recordings.list': refused } })
    await expect.element(page.getByRole('alert')).toMatchTextContent('The live service had a fault')
    client.answer({ 'recordings.list': () => ({ files: two }) })
    await button(en.word.retry).click()
    await expect.element(row('file-1')).toBeVisible()
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  })

  it('says why deleted channels could not be read, and reads them again on request', async () => {
    const { client } = await show(two, { answers: { 'recordings.deletedChannels': refused } })
    await expect.element(page.getByRole('alert')).toBeVisible()
    const before = client.inputs('recordings.deletedChannels').length
    client.answer({ 'recordings.deletedChannels': () => [] })
    await button(en.word.retry).click()
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
    expect(client.inputs('recordings.deletedChannels')).toHaveLength(before + 1)
  })

  it('says why a callback could not be sent again', async () => {
    await show([recordedFile(1)], {
      answers: {
        'recordings.callbacks': () => ({ list: [sentCallback(1, { state: 'failed' })], waiting: 0 }),
        'recordings.resend': refused,
      },
    })
    await button(callbacks.retryThis.replace('{name}', 'file-1')).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent('The live service had a fault')
  })

  it('opens the delivery log of the profile', async () => {
    await show(two)
    await button(callbacks.title).click()
    await expect.element(page.getByRole('dialog', { name: callbacks.title })).toBeVisible()
  })
})

describe('the merge of chosen files', () => {
  it('has the files in the order in which they were chosen, and is sent so', async () => {
    const { client } = await show(two, { answers: { 'recordings.merge': () => undefined } })
    await box('file-2').click()
    await box('file-1').click()
    expect(tray().query()).toBeNull()
    await openTray()
    await expect.element(row('file-2')).toMatchTextContent(/^1file-2/)
    await tray().getByRole('textbox', { name: merge.name }).fill('evening')
    await tray().getByRole('button', { name: 'Merge 2 files' }).click()
    await expect
      .poll(() => client.inputs('recordings.merge'))
      .toEqual([{ profileId: 'local', outputName: 'evening', vids: [2, 1] }])
    await expect.element(box('file-1')).not.toBeChecked()
    await expect.element(tray()).not.toBeInTheDocument()
  })

  it('leaves a file that is chosen no more', async () => {
    await show(two)
    await box('file-2').click()
    await box('file-1').click()
    await openTray()
    await box('file-2').click()
    await expect.element(row('file-1')).toMatchTextContent(/^1file-1/)
    await expect.element(tray()).toMatchTextContent('1 file')
  })

  it('says why it was refused until the choice changes', async () => {
    await show(two, { answers: { 'recordings.merge': refused } })
    await box('file-2').click()
    await box('file-1').click()
    await openTray()
    await tray().getByRole('textbox', { name: merge.name }).fill('evening')
    await tray().getByRole('button', { name: 'Merge 2 files' }).click()
    await expect.element(tray().getByRole('alert')).toBeVisible()
    await box('file-1').click()
    await expect.element(tray().getByRole('alert')).not.toBeInTheDocument()
  })

  it('keeps the chosen files where another time without them is shown', async () => {
    const { client } = await show(two)
    await box('file-2').click()
    await box('file-1').click()
    await openTray()
    client.answer({ 'recordings.list': () => ({ files: [recordedFile(3)] }) })
    await button(words.earlier).click()
    await expect.element(row('file-3')).toBeVisible()
    await expect.element(tray()).toMatchTextContent('File 2')
  })

  it('begins anew in another profile', async () => {
    const { pinia } = await show(two)
    await box('file-2').click()
    await box('file-1').click()
    await openTray()
    await expect.element(tray()).toBeVisible()
    const { useCompanion } = await import('../../data/companion.ts')
    useCompanion(pinia).choose('hosted-1')
    await expect.element(tray()).not.toBeInTheDocument()
  })

  it('is shown while merges are listed, can be put away with what is chosen, and comes back on request', async () => {
    const { client } = await show(two, {
      answers: {
        'recordings.merges': () => ({
          tasks: [{ taskId: 4, outputName: 'show', state: 'running', reason: null, done: 1, total: 4 }],
          calls: [],
        }),
        'recordings.cancelMerge': () => undefined,
      },
    })
    await button('Cancel show').click()
    await expect.poll(() => client.inputs('recordings.cancelMerge')).toEqual([{ profileId: 'local', taskId: 4 }])
    await box('file-2').click()
    await box('file-1').click()
    await tray().getByRole('button', { name: en.word.close }).click()
    await expect.element(tray()).not.toBeInTheDocument()
    await expect.element(box('file-2')).toBeChecked()
    await openTray()
    await expect.element(tray()).toMatchTextContent('2 files')
    await button('Clear').click()
    await expect.element(tray()).toMatchTextContent(merge.empty)
  })

  it('says why a merge could not be cancelled', async () => {
    await show(two, {
      answers: {
        'recordings.merges': () => ({
          tasks: [{ taskId: 4, outputName: 'show', state: 'running', reason: null, done: 1, total: 4 }],
          calls: [],
        }),
        'recordings.cancelMerge': refused,
      },
    })
    await button('Cancel show').click()
    await expect.element(page.getByRole('alert')).toMatchTextContent('The live service had a fault')
  })
})

describe('the deletion of files', () => {
  it('is asked for one file by its name, and says what was deleted', async () => {
    const { client } = await show(two, { answers: { 'recordings.remove': ({ vids }) => ({ removed: vids }) } })
    await item('file-2', en.word.removeAsk)
    await expect.element(dialog()).toMatchTextContent('file-2')
    await expect.element(dialog()).toMatchTextContent(words.removeOneBody)
    expect(client.inputs('recordings.remove')).toEqual([])
    await dialog().getByRole('button', { name: channelsEn.ask.remove, exact: true }).click()
    await expect.poll(() => client.inputs('recordings.remove')).toEqual([{ profileId: 'local', vids: [2] }])
    await expect.element(dialog()).not.toBeInTheDocument()
    await expect.element(page.getByText('1 deleted', { exact: true })).toBeVisible()
    // A new question forgets the report before.
    await item('file-1', en.word.removeAsk)
    await expect.element(page.getByText('1 deleted', { exact: true })).not.toBeInTheDocument()
  })

  it('of the chosen files says how many of them remain', async () => {
    const { client } = await show(two, { answers: { 'recordings.remove': () => ({ removed: [2] }) } })
    await box('file-2').click()
    await box('file-1').click()
    await button(en.batch.remove.replace('{n}', '2')).click()
    await expect.element(dialog()).toMatchTextContent(words.removeTitle.replace('{n}', '2'))
    await expect.element(dialog()).toMatchTextContent(words.removeBody)
    await dialog().getByRole('button', { name: channelsEn.ask.remove, exact: true }).click()
    await expect.poll(() => client.inputs('recordings.remove')).toEqual([{ profileId: 'local', vids: [2, 1] }])
    await expect.element(page.getByText(words.removedSome.replace('{n}', '1').replace('{all}', '2'))).toBeVisible()
    await expect.element(box('file-1')).toBeChecked()
    await expect.element(box('file-2')).not.toBeChecked()
  })

  it('that is refused keeps the question open and says why, which the next question does not say', async () => {
    await show(two, { answers: { 'recordings.remove': refused } })
    await item('file-2', en.word.removeAsk)
    await dialog().getByRole('button', { name: channelsEn.ask.remove, exact: true }).click()
    await expect.element(dialog().getByRole('alert')).toMatchTextContent('The live service had a fault')
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    await item('file-1', en.word.removeAsk)
    await expect.element(dialog()).toMatchTextContent('file-1')
    await expect.element(dialog().getByRole('alert')).not.toBeInTheDocument()
  })

  it('cannot be cancelled while it runs', async () => {
    const gate = Promise.withResolvers<{ removed: number[] }>()
    await show(two, { answers: { 'recordings.remove': () => gate.promise } })
    await item('file-2', en.word.removeAsk)
    await dialog().getByRole('button', { name: channelsEn.ask.remove, exact: true }).click()
    await expect.element(dialog().getByRole('button', { name: en.word.cancel })).toBeDisabled()
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog()).toBeVisible()
    gate.resolve({ removed: [2] })
    await expect.element(dialog()).not.toBeInTheDocument()
  })
})

describe('the actions of a file', () => {
  it('download it from a ticket, under its own name', async () => {
    const saved: (string | null)[][] = []
    const note = (event: MouseEvent): void => {
      const { target } = event
      if (!(target instanceof HTMLAnchorElement) || !target.download) return
      event.preventDefault()
      saved.push([target.getAttribute('href'), target.download])
    }
    const { click } = HTMLAnchorElement.prototype
    HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement) {
      this.addEventListener('click', note, { once: true })
      click.call(this)
    }
    onTestFinished(() => {
      HTMLAnchorElement.prototype.click = click
    })
    const { client } = await show([recordedFile(2, { format: 'flv' })])
    await item('file-2', words.download)
    await expect.poll(() => saved).toEqual([['/media/none.mp4', 'file-2.flv']])
    expect(client.inputs('recordings.ticket')).toEqual([{ profileId: 'local', vid: 2 }])
  })

  it('show it in its folder', async () => {
    const { client } = await show(two, {
      about: { capabilities: ['showInFolder'] },
      answers: { 'recordings.show': () => undefined },
    })
    await item('file-2', words.show)
    await expect.poll(() => client.inputs('recordings.show')).toEqual([{ profileId: 'local', vid: 2 }])
  })

  it('play it from its begin, and end with the dialog', async () => {
    const { client } = await show(two)
    await button(words.playThis.replace('{name}', 'file-2')).click()
    await expect.element(page.getByRole('dialog', { name: 'file-2' })).toBeVisible()
    await expect.poll(() => client.inputs('recordings.ticket')).toEqual([{ profileId: 'local', vid: 2 }])
    await dialog().getByRole('button', { name: en.word.close }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
  })
})

describe('a marker on the screen of recordings', () => {
  const marked = recordedFile(2)
  // Ten minutes into the file.
  const mark = marker(7, 110, 'Guest')
  const open = async (options: MountOptions = {}, files: readonly RecordedFile[] = [marked]) => {
    const on = await show(files, {
      ...options,
      answers: { 'recordings.markers': () => [mark], ...options.answers },
    })
    await button(words.marker.replace('{time}', '14:10:00').replace('{label}', 'Guest')).click()
    await expect.element(dialog()).toBeVisible()
    return on
  }
  const field = () => dialog().getByRole('textbox', { name: en.name.label })

  it('is renamed, and its dialog closes', async () => {
    const { client } = await open({ answers: { 'recordings.renameMarker': () => undefined } })
    await field().fill('Guests')
    await userEvent.keyboard('{Enter}')
    await expect
      .poll(() => client.inputs('recordings.renameMarker'))
      .toEqual([{ profileId: 'local', markerId: 7, label: 'Guests' }])
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it('that could not be renamed keeps its dialog, which says why until it is opened again', async () => {
    await open({ answers: { 'recordings.renameMarker': refused } })
    await field().fill('Guests')
    await userEvent.keyboard('{Enter}')
    await expect.element(dialog().getByRole('alert')).toBeVisible()
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await button(words.marker.replace('{time}', '14:10:00').replace('{label}', 'Guest')).click()
    await expect.element(dialog()).toBeVisible()
    expect(dialog().getByRole('alert').query()).toBeNull()
  })

  it('is removed, and its dialog closes', async () => {
    const { client } = await open({ answers: { 'recordings.removeMarker': () => undefined } })
    await dialog().getByRole('button', { name: words.markerRemove }).click()
    await expect.poll(() => client.inputs('recordings.removeMarker')).toEqual([{ profileId: 'local', markerId: 7 }])
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it('is named before the file is played from it', async () => {
    const { client } = await open({ answers: { 'recordings.renameMarker': () => undefined } })
    await field().fill('Guests')
    await dialog().getByRole('button', { name: words.markerPlay }).click()
    await expect.element(page.getByRole('dialog', { name: 'file-2' })).toBeVisible()
    expect(client.inputs('recordings.renameMarker')).toHaveLength(1)
  })

  it('plays nothing where it could not be named', async () => {
    const { client } = await open({ answers: { 'recordings.renameMarker': refused } })
    await field().fill('Guests')
    await dialog().getByRole('button', { name: words.markerPlay }).click()
    await expect.element(dialog().getByRole('alert')).toBeVisible()
    expect(client.inputs('recordings.ticket')).toEqual([])
  })

  it('offers no play where no file has its moment', async () => {
    await open({}, [recordedFile(6)])
    expect(dialog().getByRole('button', { name: words.markerPlay }).query()).toBeNull()
  })
})

describe('a second of a room', () => {
  it('opens its file, on the day of the second', async () => {
    const file = recordedFile(30)
    const { client } = await show([file], {
      before: (pinia) => {
        useRecordingPosition(pinia).opening = { profileId: 'local', file, seconds: 600 }
      },
    })
    await expect.element(page.getByRole('dialog', { name: 'file-30' })).toBeVisible()
    await expect.poll(() => client.inputs('recordings.list').at(-1)?.beginTime).toBe(midnight - 24 * hour)
    expect(client.inputs('recordings.list').at(-1)?.endTime).toBe(midnight - 1)
  })

  it('of another profile plays nothing', async () => {
    const file = recordedFile(1)
    const { pinia } = await show([file], {
      before: (stores) => {
        useRecordingPosition(stores).opening = { profileId: 'hosted-1', file, seconds: 600 }
      },
    })
    await expect.element(row('file-1')).toBeVisible()
    expect(dialog().query()).toBeNull()
    expect(useRecordingPosition(pinia).opening).toBeNull()
  })

  it('plays nothing while the service is down', async () => {
    const file = recordedFile(1)
    const { pinia, tell } = await show([file])
    await tell(service('restarting'))
    useRecordingPosition(pinia).opening = { profileId: 'local', file, seconds: 600 }
    await expect.element(page.getByRole('radio', { name: words.spans.day })).toBeChecked()
    expect(dialog().query()).toBeNull()
  })
})
