import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref, type Component } from 'vue'
import type { Delivery, Marker, OutgoingCallback, RecordedFile } from '../../../contract/rpc/index.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { makeComputer } from '../../testing/fake-computer.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted, service, type MountOptions } from '../../testing/mounted.ts'
import { receivedCallback, recordedFile, sentCallback } from '../../testing/recorded-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { channelsWords } from '../channels/words.ts'
import { recordingsWords } from './words.ts'
import type { Broadcast } from './broadcast-groups.ts'
import FilesCard from './files-card.vue'

const en = spoken(frameWords, 'en')
const channelsEn = spoken(channelsWords, 'en')
const recordingsEn = spoken(recordingsWords, 'en')
const recordingsZh = spoken(recordingsWords, 'zh')

const { files: words, callbacks } = recordingsEn

interface Shown extends MountOptions {
  readonly files?: readonly RecordedFile[] | null
  readonly broadcasts?: readonly Broadcast[]
  readonly markers?: readonly Marker[]
  readonly query?: string
  readonly chosen?: readonly number[]
  readonly ordered?: boolean
  readonly received?: ReadonlyMap<number, Delivery>
  readonly former?: ReadonlyMap<string, string>
  readonly names?: ReadonlyMap<string, string>
  readonly failure?: Failure
  readonly loading?: boolean
  readonly report?: string
  readonly sent?: readonly OutgoingCallback[]
}

/** The table of files with what it tells. */
async function show({ files = [recordedFile(1), recordedFile(2)], sent = [], ...options }: Shown = {}) {
  const chosen = ref<readonly number[]>(options.chosen ?? [])
  const about = ref('this week')
  const told: unknown[] = []
  const part: Component = {
    render: () =>
      h('div', { style: 'display: grid; width: 1200px; height: 700px' }, [
        h(FilesCard, {
          files,
          broadcasts: options.broadcasts ?? [],
          range: { begin: began - 7 * 86_400_000, end: began + 86_400_000 },
          markers: options.markers ?? [],
          query: options.query ?? '',
          chosen: chosen.value,
          chosenFiles: (files ?? []).filter(({ vid }) => chosen.value.includes(vid)),
          ordered: options.ordered ?? false,
          received: options.received ?? new Map(),
          former: options.former ?? new Map(),
          channels: options.names ?? null,
          failure: options.failure ?? null,
          loading: options.loading ?? false,
          report: options.report ?? null,
          about: about.value,
          onChoose: (vid: number, on: boolean) => told.push(['choose', vid, on]),
          onPlay: (file: RecordedFile) => told.push(['play', file.vid]),
          onDownload: (file: RecordedFile) => told.push(['download', file.vid]),
          onShow: (file: RecordedFile) => told.push(['show', file.vid]),
          onRemove: (list: readonly RecordedFile[]) => told.push(['remove', list.map(({ vid }) => vid)]),
          onClear: () => told.push(['clear']),
          onMergeChosen: () => told.push(['mergeChosen']),
          onDownloadChosen: () => told.push(['downloadChosen']),
          onRemoveChosen: () => told.push(['removeChosen']),
          onRetry: () => told.push(['retry']),
        }),
      ]),
  }
  const on = await mounted(part, {
    ...options,
    answers: {
      'recordings.callbacks': () => ({ list: [...sent], waiting: 0 }),
      ...options.answers,
    },
  })
  return { ...on, chosen, about, told }
}
const row = (name: string) => page.getByRole('row').filter({ hasText: name })
const button = (name: string | RegExp) => page.getByRole('button', { name })
const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` })
const item = async (name: string, what: string): Promise<void> => {
  await button(`Actions for ${name}`).click()
  await page.getByRole('menuitem', { name: what, exact: true }).click()
}

describe('the table of recorded files', () => {
  it('has begin, length, size and format of each file in its own row', async () => {
    await show({ files: [recordedFile(1), recordedFile(2, { bytes: 3e9, duration: 61_000, format: 'flv' })] })
    await expect.element(row('file-1')).toMatchTextContent(/2026-11-26 15:00:00.*MP4/)
    await expect.element(row('file-2')).toMatchTextContent(/2026-11-26 14:00:00.*01:01.*3.*GB.*FLV/)
  })

  it('shows a dash for what a hosted service does not tell, and offers nothing that it cannot do', async () => {
    await show({ profile: 'hosted-1', files: [recordedFile(1, { bytes: null, duration: null })], chosen: [1] })
    await expect.element(row('file-1')).toMatchTextContent('––')
    expect(button(words.playThis.replace('{name}', 'file-1')).query()).toBeNull()
    expect(button(en.batch.remove.replace('{n}', '1')).query()).toBeNull()
    await button('Actions for file-1').click()
    await expect.element(page.getByRole('menuitem', { name: words.copyName })).toBeVisible()
    expect(page.getByRole('menuitem').elements()).toHaveLength(1)
  })

  it('says how many files there are, how long and how large together', async () => {
    await show()
    await expect.element(page.getByText(/^2 files · 0?1:00:00 · 2(\.0+)? MB$/)).toBeVisible()
  })

  it('chooses files for the merge, also by the keyboard, and shows the place of each', async () => {
    const { told, chosen } = await show({ ordered: true })
    await box('file-2').click()
    ;(box('file-1').element() as HTMLElement).focus()
    await userEvent.keyboard(' ')
    expect(told).toEqual([
      ['choose', 2, true],
      ['choose', 1, true],
    ])
    chosen.value = [2, 1]
    await expect.element(box('file-2')).toBeChecked()
    await expect.element(row('file-1')).toMatchTextContent(/^2file-1/)
    await box('file-2').click()
    expect(told.at(-1)).toEqual(['choose', 2, false])
  })

  it('plays, downloads and asks to delete the file of the row', async () => {
    const { told } = await show()
    await button(words.playThis.replace('{name}', 'file-2')).click()
    await item('file-2', words.play)
    await item('file-1', words.download)
    await item('file-2', en.word.removeAsk)
    await expect
      .poll(() => told)
      .toEqual([
        ['play', 2],
        ['play', 2],
        ['download', 1],
        ['remove', [2]],
      ])
    await expect.element(button('Actions for file-2')).toHaveFocus()
  })

  it('shows a file in its folder only where the shell can', async () => {
    const { told } = await show({ about: { capabilities: ['showInFolder'] } })
    await item('file-1', words.show)
    await expect.poll(() => told).toEqual([['show', 1]])
  })

  it('has no folder to show in a browser', async () => {
    await show()
    await button('Actions for file-1').click()
    await expect.element(page.getByRole('menuitem', { name: words.download })).toBeVisible()
    expect(page.getByRole('menuitem', { name: words.show }).query()).toBeNull()
  })

  it('copies the name of a file', async () => {
    await show()
    await item('file-2', words.copyName)
    await expect.poll(() => navigator.clipboard.readText()).toBe('file-2')
  })

  it('neither plays nor deletes while the service is down', async () => {
    const { told, tell } = await show({ chosen: [1] })
    await tell(service('restarting'))
    const play = button(words.playThis.replace('{name}', 'file-1'))
    await expect.element(play).toHaveAttribute('aria-disabled', 'true')
    await play.click({ force: true })
    const remove = button(en.batch.remove.replace('{n}', '1'))
    await expect.element(remove).toHaveAttribute('aria-disabled', 'true')
    await remove.click({ force: true })
    await button('Actions for file-1').click()
    for (const name of [words.play, words.download, en.word.removeAsk])
      await expect.element(page.getByRole('menuitem', { name, exact: true })).toHaveAttribute('aria-disabled', 'true')
    expect(told).toEqual([])
  })

  it('asks to delete the chosen files, and offers it only while some are chosen', async () => {
    const { told, chosen } = await show()
    expect(button(/^Delete/).query()).toBeNull()
    chosen.value = [1, 2]
    await button(en.batch.remove.replace('{n}', '2')).click()
    expect(told).toEqual([['removeChosen']])
  })

  it('marks merged files and those of deleted channels, and names channels where several are shown', async () => {
    const gone = '9'.repeat(32)
    await show({
      files: [recordedFile(1, { merged: true }), recordedFile(2), recordedFile(3, { cid: gone })],
      former: new Map([[gone, 'Old channel']]),
      names: new Map([['1'.repeat(32), 'Channel 1']]),
    })
    await expect.element(row('file-1')).toMatchTextContent(words.merged)
    await expect.element(row('file-2')).not.toMatchTextContent(words.merged)
    await expect.element(row('file-2')).toMatchTextContent('Channel 1')
    await expect.element(row('file-3')).toMatchTextContent('Deleted: Old channel')
  })

  it.each([
    ['/home/ana/Stage 2', `/home/ana/Stage 2/recordings/${'1'.repeat(32)}/2.mp4`],
    ['D:\\Stage\\', `D:\\Stage\\recordings\\${'1'.repeat(32)}\\2.mp4`],
  ])('copies where a file is on the disk, in the data folder %s', async (path, copied) => {
    const computer = makeComputer('full', began)
    await show({ events: [{ type: 'computer', computer: { ...computer, folder: { ...computer.folder, path } } }] })
    await item('file-2', words.copyPath)
    await expect.poll(() => navigator.clipboard.readText()).toBe(copied)
  })

  it('has no path to copy where the shell shows the folder, nor before the folder is known', async () => {
    const { tell } = await show({ about: { capabilities: ['showInFolder'] } })
    await tell({ type: 'computer', computer: makeComputer('full', began) })
    await button('Actions for file-1').click()
    await expect.element(page.getByRole('menuitem', { name: words.show })).toBeVisible()
    expect(page.getByRole('menuitem', { name: words.copyPath }).query()).toBeNull()
  })

  it('plays, downloads and deletes of this computer only: a hosted one has no path either', async () => {
    await show({
      profile: 'hosted-1',
      events: [{ type: 'computer', computer: makeComputer('full', began) }],
    })
    await button('Actions for file-1').click()
    await expect.element(page.getByRole('menuitem', { name: words.copyName })).toBeVisible()
    expect(page.getByRole('menuitem', { name: words.copyPath }).query()).toBeNull()
  })

  it('has a dash for each figure that is not told, and no zero', async () => {
    await show({ files: [{ ...recordedFile(1), begin: null, end: null, format: null, bytes: null, duration: null }] })
    await expect.element(row('file-1')).toBeVisible()
    const figures = [...row('file-1').element().querySelectorAll('[data-figure]')].map((figure) => [
      figure.getAttribute('data-figure'),
      figure.textContent,
    ])
    expect(figures).toEqual([
      ['begin', '–'],
      ['begin', '–'],
      ['duration', '–'],
      ['bytes', '–'],
      ['format', '–'],
    ])
  })

  it('says of a merged file only that its time is the one of the merge', async () => {
    await show({ files: [recordedFile(1, { merged: true }), recordedFile(2)] })
    const titled = (name: string) =>
      [...row(name).element().querySelectorAll(`[title="${words.mergedTime}"]`)].map((part) => part.textContent)
    await expect.element(row('file-1')).toBeVisible()
    expect([titled('file-1'), titled('file-2')]).toEqual([[words.merged, '2026-11-26 15:00:00'], []])
  })

  it('names a deleted channel once, also where it is among the channels still', async () => {
    const cid = '1'.repeat(32)
    await show({ files: [recordedFile(1)], former: new Map([[cid, 'Gone']]), names: new Map([[cid, 'Gone']]) })
    await expect.element(row('file-1')).toMatchTextContent(words.deletedChannel.replace('{name}', 'Gone'))
    expect(row('file-1').element().textContent.split('Gone').length).toBe(2)
  })

  it('shows a name that somebody gave as text', async () => {
    await show({ files: [recordedFile(1, { name: '<b>bold</b>' })] })
    await expect.element(row('<b>bold</b>')).toBeVisible()
  })

  it('turns pages, and begins anew when another time is shown', async () => {
    const { about } = await show({ files: Array.from({ length: 60 }, (_, index) => recordedFile(index + 1)) })
    await expect.element(row('file-1').first()).toBeVisible()
    await button(channelsEn.channels.next).click()
    await expect.element(page.getByText('file-1', { exact: true })).not.toBeInTheDocument()
    about.value = 'another week'
    await expect.element(page.getByText('file-1', { exact: true })).toBeVisible()
  })

  it('says that nothing was recorded, and leads to the Studio', async () => {
    const { router } = await show({ files: [] })
    await expect.element(page.getByText(words.none)).toBeVisible()
    await page.getByRole('link', { name: words.toStudio }).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/studio')
  })

  it('says that files are being read', async () => {
    await show({ files: null })
    await expect.element(page.getByRole('status', { name: en.word.loading })).toBeVisible()
    expect(page.getByText(words.none).query()).toBeNull()
  })

  it('says why nothing could be read, and tries again on request', async () => {
    const { told } = await show({ files: null, failure: failureOf(failed({ kind: 'code', code: 501 })) })
    await expect.element(page.getByRole('alert')).toMatchTextContent('The live service had a fault')
    expect(page.getByText(words.none).query()).toBeNull()
    await button(en.word.retry).click()
    expect(told).toEqual([['retry']])
  })

  it('keeps the files that are known where they could not be read again, and says so', async () => {
    await show({ failure: failureOf(failed()) })
    await expect.element(page.getByRole('alert')).toMatchTextContent(channelsEn.channels.stale)
    await expect.element(row('file-1')).toBeVisible()
  })

  it('says what was deleted', async () => {
    await show({ report: '1 of 2 deleted.' })
    await expect.element(page.getByText('1 of 2 deleted.')).toBeVisible()
  })

  it('speaks Chinese', async () => {
    await show({ language: 'zh', chosen: [1] })
    await expect.element(page.getByRole('region', { name: recordingsZh.files.table })).toBeVisible()
    await expect.element(button(recordingsZh.files.playThis.replace('{name}', 'file-1'))).toBeVisible()
  })
})

describe('the callback of a file', () => {
  it('was delivered, waits for its next try, or was received here', async () => {
    await show({
      files: [recordedFile(1), recordedFile(2), recordedFile(3), recordedFile(4)],
      received: new Map([[3, receivedCallback(3)]]),
      sent: [sentCallback(1), sentCallback(2, { state: 'waiting', due: Date.UTC(2026, 10, 26, 8, 9) })],
    })
    await expect.element(row('file-1')).toMatchTextContent(callbacks.state.delivered)
    await expect.element(row('file-2')).toMatchTextContent('Retry 16:09')
    await expect.element(row('file-3')).toMatchTextContent('Received 15:59')
    await expect.element(row('file-4')).toMatchTextContent('–')
  })

  it('is sent again on request where it was given up, once', async () => {
    let release = (): void => undefined
    const { client } = await show({
      sent: [sentCallback(2, { state: 'failed', attempts: 9, result: { code: 'refused', params: {} } })],
      answers: { 'recordings.resend': () => new Promise<undefined>((resolve) => (release = () => resolve(undefined))) },
    })
    await expect.element(row('file-2').getByTitle('9 attempts · Connection refused')).toBeVisible()
    await button(callbacks.retryThis.replace('{name}', 'file-2')).click()
    await button(callbacks.retryThis.replace('{name}', 'file-2')).click({ force: true })
    release()
    await expect.poll(() => client.inputs('recordings.resend')).toEqual([{ profileId: 'local', nId: 'n2' }])
  })

  it('is not sent again while the service is down', async () => {
    const { client, tell } = await show({ sent: [sentCallback(2, { state: 'failed' })] })
    const retry = button(callbacks.retryThis.replace('{name}', 'file-2'))
    await expect.element(retry).toBeVisible()
    await tell(service('restarting'))
    if (retry.query()) await retry.click({ force: true })
    expect(client.inputs('recordings.resend')).toEqual([])
  })
})
