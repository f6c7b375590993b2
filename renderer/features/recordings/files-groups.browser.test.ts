import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref, type Component } from 'vue'
import type { Marker, RecordedFile } from '../../../contract/rpc/index.ts'
import { began, mounted, type MountOptions } from '../../testing/mounted.ts'
import { listedBroadcast, marker, recordedFile } from '../../testing/recorded-values.ts'
import { spoken } from '../../format/languages.ts'
import type { Broadcast } from './broadcast-groups.ts'
import FilesCard from './files-card.vue'
import { recordingsWords } from './words.ts'

const { groups: words, files: fileWords } = spoken(recordingsWords, 'en')
const zh = spoken(recordingsWords, 'zh').groups
const hour = 3_600_000

interface Shown extends MountOptions {
  readonly files?: readonly RecordedFile[]
  readonly broadcasts?: readonly Broadcast[]
  readonly markers?: readonly Marker[]
  readonly query?: string
  readonly chosen?: readonly number[]
  readonly former?: ReadonlyMap<string, string>
}
const usual = [
  recordedFile(5, { begin: began - 5 * hour }),
  recordedFile(6, { begin: began - 4.5 * hour }),
  recordedFile(7, {
    begin: began,
    name: 'Lighthouse horn',
    merged: true,
    duration: 60_000,
    clip: { vids: [], from: 0, to: 0, early: 0, begin: began - 4.4 * hour },
  }),
  recordedFile(30, { begin: began - 30 * hour }),
]

async function show({ files = usual, ...options }: Shown = {}) {
  const chosen = ref<readonly number[]>(options.chosen ?? [])
  const told: unknown[] = []
  const part: Component = {
    render: () =>
      h('div', { style: 'display: grid; width: 1200px; height: 700px' }, [
        h(FilesCard, {
          files,
          broadcasts: options.broadcasts ?? [listedBroadcast(5), listedBroadcast(30)],
          range: { begin: began - 168 * hour, end: began + hour },
          markers: options.markers ?? [],
          query: options.query ?? '',
          chosen: chosen.value,
          chosenFiles: files.filter(({ vid }) => chosen.value.includes(vid)),
          ordered: false,
          received: new Map(),
          former: options.former ?? new Map(),
          channels: new Map([['1'.repeat(32), 'Channel 1']]),
          failure: null,
          loading: false,
          report: null,
          about: 'this week',
          onChoose: (vid: number, on: boolean) => {
            chosen.value = on ? [...chosen.value, vid] : chosen.value.filter((each) => each !== vid)
          },
          onPlay: (file: RecordedFile, from = 0) => told.push(['play', file.vid, ...(from > 0 ? [from] : [])]),
          onRemove: (list: readonly RecordedFile[]) => told.push(['remove', list.map(({ vid }) => vid)]),
          onMergeChosen: () => told.push(['merge']),
          onDownloadChosen: () => told.push(['download']),
          onClear: () => told.push(['clear']),
        }),
      ]),
  }
  const on = await mounted(part, {
    ...options,
    answers: { 'recordings.callbacks': () => ({ list: [], waiting: 0 }), ...options.answers },
  })
  return { ...on, chosen, told }
}
const row = (name: string) => page.getByRole('row').filter({ hasText: name })
const button = (name: string) => page.getByRole('button', { name, exact: true })
const box = (name: string) => page.getByRole('checkbox', { name })
const part = (n: number) => words.part.replace('{n}', String(n))

describe('the row of a broadcast', () => {
  it('has title, channel, begin, length, size and what is inside; the newest is open', async () => {
    await show()
    await expect
      .element(row('Show 5').first())
      .toMatchTextContent(/Show 5.*Channel 1.*2026-11-26 11:00.*1:00:00.*3.*MB.*2 files, 1 clip/)
    await expect.element(row('file-5')).toMatchTextContent(part(1))
    await expect.element(row('file-6')).toMatchTextContent(part(2))
    await expect.element(row('Lighthouse horn')).toMatchTextContent(words.clip)
    await expect.element(row('Show 30')).toMatchTextContent('1 file')
    expect(row('file-30').query()).toBeNull()
  })

  it('opens and closes by its button', async () => {
    await show()
    await button('Show 30').click()
    await expect.element(row('file-30')).toBeVisible()
    await expect.element(button('Show 30')).toHaveAttribute('aria-expanded', 'true')
    await button('Show 5').click()
    await expect.element(row('file-5')).not.toBeInTheDocument()
  })

  it('chooses all of its files, and says when some are chosen', async () => {
    const { chosen } = await show({ chosen: [6] })
    const all = box(words.chooseAll.replace('{title}', 'Show 5'))
    await expect.element(all).toHaveAttribute('aria-checked', 'mixed')
    await all.click()
    expect(chosen.value).toEqual([6, 5, 7])
    await all.click()
    expect(chosen.value).toEqual([])
  })

  it('leads to the summary of the broadcast', async () => {
    await show()
    const link = page.getByRole('link', { name: words.summaryOf.replace('{title}', 'Show 5') })
    await expect.element(link).toHaveAttribute('href', expect.stringMatching(/\/broadcasts\/b5$/))
  })

  it('says that it is on air, or that nothing was recorded', async () => {
    const { ended, ...onAir } = listedBroadcast(5)
    expect(ended).toBeDefined()
    await show({ broadcasts: [onAir, listedBroadcast(50)] })
    await expect.element(row('Show 5').first()).toMatchTextContent(words.onAir)
    await expect.element(row('Show 50')).toMatchTextContent(words.notRecorded)
    await expect.element(button('Show 50')).not.toHaveAttribute('aria-expanded')
  })

  it('names a deleted channel as such, and its files are named so for a screen reader', async () => {
    await show({ former: new Map([['1'.repeat(32), 'Book Club']]) })
    await expect.element(row('Show 5').first()).toMatchTextContent(/Deleted channel.*Book Club.*channel deleted/)
    await expect.element(row('file-5')).toMatchTextContent(fileWords.deletedChannel.replace('{name}', 'Book Club'))
    await expect.element(button(fileWords.playThis.replace('{name}', 'file-5'))).toBeVisible()
  })
})

describe('keys in the table', () => {
  const focus = (name: string) => (box(name).element() as HTMLElement).focus()

  it('move between rows, and open and close the group that has the focus', async () => {
    await show()
    focus(words.chooseAll.replace('{title}', 'Show 5'))
    await userEvent.keyboard('{ArrowDown}')
    await expect.element(box('Select file-5')).toHaveFocus()
    await userEvent.keyboard('{ArrowUp}{ArrowLeft}')
    await expect.element(row('file-5')).not.toBeInTheDocument()
    await userEvent.keyboard('{ArrowDown}{ArrowRight}')
    await expect.element(row('file-30')).toBeVisible()
  })

  it('choose with Space, play with Enter and ask to delete with Delete', async () => {
    const { told, chosen } = await show()
    focus('Select file-6')
    await userEvent.keyboard(' {Enter}{Delete}')
    expect(chosen.value).toEqual([6])
    expect(told).toEqual([
      ['play', 6],
      ['remove', [6]],
    ])
  })

  it('leave buttons their own keys', async () => {
    const { told } = await show()
    ;(button(fileWords.playThis.replace('{name}', 'file-5')).element() as HTMLElement).focus()
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual([['play', 5]])
  })
})

describe('the bar of what is chosen', () => {
  const bar = () => page.getByRole('group', { name: words.bar })

  it('says how many, how long and how large, and does with all of them', async () => {
    const { told } = await show({ chosen: [5, 6] })
    await expect.element(bar()).toMatchTextContent(/2 chosen.*1:00:00 · 2.*MB/)
    for (const name of ['Clear', fileWords.download, words.merge]) await button(name).click()
    expect(told).toEqual([['clear'], ['download'], ['merge']])
  })

  it.each([
    ['one file', [5], words.mergeNeedsTwo],
    ['FLV', [5, 8], words.mergeFlv],
  ])('merges nothing of %s, and says why', async (_what, chosen, why) => {
    const { told } = await show({ files: [...usual, recordedFile(8, { format: 'flv' })], chosen })
    await expect.element(button(words.merge)).toHaveAttribute('title', why)
    await button(words.merge).click({ force: true })
    expect(told).toEqual([])
  })

  it('is not there while nothing is chosen', async () => {
    await show()
    expect(bar().query()).toBeNull()
  })
})

describe('a file that is missing on the disk', () => {
  const gone = [recordedFile(5, { begin: began - 5 * hour, missing: true })]

  it('says so, offers to forget it, and nothing that needs it', async () => {
    const { told } = await show({ files: gone })
    await expect.element(row('file-5')).toMatchTextContent(words.missing)
    expect(button(fileWords.playThis.replace('{name}', 'file-5')).query()).toBeNull()
    await button(words.forgetThis.replace('{name}', 'file-5')).click()
    expect(told).toEqual([['remove', [5]]])
    await button('Actions for file-5').click()
    await expect.element(page.getByRole('menuitem', { name: words.forgetAsk })).toBeVisible()
    expect(page.getByRole('menuitem', { name: fileWords.download }).query()).toBeNull()
  })

  it('is not downloaded, nor played by a key', async () => {
    const { told } = await show({ files: gone, chosen: [5] })
    await button(fileWords.download).click({ force: true })
    ;(box('Select file-5').element() as HTMLElement).focus()
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual([])
  })

  it('is named in Chinese', async () => {
    await show({ files: gone, language: 'zh' })
    await expect.element(row('file-5')).toMatchTextContent(zh.missing)
  })
})

describe('a search', () => {
  it('shows what has the text in its title or name, with its groups open', async () => {
    await show({ query: 'SHOW 30' })
    await expect.element(row('file-30')).toBeVisible()
    expect(row('Show 5').query()).toBeNull()
  })

  it('keeps the numbers of parts, and leaves out the others', async () => {
    await show({ query: 'file-6' })
    await expect.element(row('file-6')).toMatchTextContent(part(2))
    expect(row('file-5').query()).toBeNull()
  })

  it('lists markers with the text, and plays from one', async () => {
    const { told } = await show({ query: 'horn at', markers: [marker(1, 290, 'The horn at the pier'), marker(2, 290)] })
    const hits = page.getByRole('list', { name: words.markersFound })
    await expect.element(hits).toMatchTextContent(/2026-11-26 11:10:00.*The horn at the pier/)
    await hits.getByRole('button').click()
    expect(told).toEqual([['play', 5, 600]])
    await expect.element(row('file-5')).toBeVisible()
  })

  it('says that nothing was found', async () => {
    await show({ query: 'nothing like it' })
    await expect.element(page.getByText(words.noHit.replace('{query}', 'nothing like it'))).toBeVisible()
  })
})
