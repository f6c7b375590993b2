import { describe, expect, it, onTestFinished } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { spoken } from '../../format/languages.ts'
import { broadcastFiles, broadcastId, makeBroadcast, type BroadcastChange } from '../../testing/broadcast-values.ts'
import type { Answers } from '../../testing/memory-client.ts'
import { began, channel, mounted, type MountOptions } from '../../testing/mounted.ts'
import { recordingsWords } from '../recordings/words.ts'
import type { Broadcast } from './broadcast.ts'
import BroadcastsView from './broadcasts-view.vue'
import { broadcastsWords } from './words.ts'

const { kept: words, flag, graph } = spoken(broadcastsWords, 'en').broadcast
const { merge } = spoken(recordingsWords, 'en')
const show = channel(1)
const begin = began - 150 * 60_000
const made = (change: BroadcastChange = {}): Broadcast => makeBroadcast(begin, show.cid, change)

async function open(change: BroadcastChange = {}, options: MountOptions = {}, files = broadcastFiles(begin, show.cid)) {
  const answers: Answers = {
    'operations.broadcast.broadcast': () => ({ code: 200, ret: made(change) }),
    'recordings.list': () => ({ files: [...files] }),
    'recordings.markers': () => [],
    'recordings.merges': () => ({ tasks: [], calls: [] }),
    'receivers.deliveries': () => [],
    'rooms.linked': () => ({ roomid: null }),
    'recordings.ticket': () => ({ path: '/media/none.mp4' }),
    ...options.answers,
  }
  const at = await mounted(BroadcastsView, {
    channels: [show],
    path: `/broadcasts/${broadcastId}`,
    ...options,
    answers,
  })
  if (files.length > 0) await expect.element(row('Part 1')).toBeVisible()
  return at
}
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const list = () => page.getByRole('list', { name: words.title })
const row = (name: string) => list().getByRole('listitem').filter({ hasText: name })
const names = (): readonly string[] =>
  list()
    .getByRole('listitem')
    .elements()
    .map((each) => each.querySelector('[data-name]')?.textContent?.trim() ?? '')
const box = (name: string) => page.getByRole('checkbox', { name: new RegExp(`^Choose ${name}`) })
const video = () => page.getByRole('dialog').element().querySelector('video')
/** Names of what the page saved, instead of saving it. */
const saved = (): string[] => {
  const told: string[] = []
  const { click } = HTMLAnchorElement.prototype
  HTMLAnchorElement.prototype.click = function save(this: HTMLAnchorElement) {
    told.push(this.download)
  }
  onTestFinished(() => {
    HTMLAnchorElement.prototype.click = click
  })
  return told
}

describe('what was kept of a broadcast', () => {
  it('stands in one list by time, a clip at the time that it shows', async () => {
    await open()
    expect(names()).toEqual(['Part 1', 'Lighthouse horn', 'Marker', 'Part 2', 'Caller from Porto'])
  })

  it('is narrowed to files, clips or markers, each with its count', async () => {
    await open()
    await button('Files 2').click()
    expect(names()).toEqual(['Part 1', 'Part 2'])
    await button('Clips 1').click()
    expect(names()).toEqual(['Lighthouse horn'])
    await button('Markers 2').click()
    expect(names()).toEqual(['Marker', 'Caller from Porto'])
    await button('All 5').click()
    expect(names()).toHaveLength(5)
  })

  it('is played: a file from its begin, a marker from its second, and none where nothing was recorded', async () => {
    const { client } = await open()
    await button(/^Play from Caller from Porto/).click()
    await expect.element(page.getByRole('dialog')).toBeVisible()
    await expect.poll(() => client.inputs('recordings.ticket').at(-1)?.vid).toBe(2)
    expect(video()).not.toBeNull()
    await userEvent.keyboard('{Escape}')
    await expect.poll(() => row(words.notCovered).element().textContent).toContain('Marker')
    expect(row(words.notCovered).getByRole('button').query()).toBeNull()
  })

  it('is led through by the arrows, played by Space and downloaded by Ctrl+D', async () => {
    const told = saved()
    const { client } = await open()
    ;(row('Part 1').element() as HTMLElement).focus()
    await userEvent.keyboard('{ArrowDown}')
    expect(document.activeElement?.textContent).toContain('Lighthouse horn')
    await userEvent.keyboard('{Control>}d{/Control}')
    await expect.poll(() => told).toEqual(['Lighthouse horn.mp4'])
    await userEvent.keyboard('{End}')
    expect(document.activeElement?.textContent).toContain('Caller from Porto')
    await userEvent.keyboard('{Home} ')
    await expect.element(page.getByRole('dialog')).toBeVisible()
    await expect.poll(() => client.inputs('recordings.ticket').at(-1)?.vid).toBe(1)
  })

  it('is trimmed by E, and by the button of its row', async () => {
    const { router } = await open()
    ;(row('Part 1').element() as HTMLElement).focus()
    await userEvent.keyboard('e')
    await expect.poll(() => router.currentRoute.value.path).toBe('/recordings/trim/1')
    await router.push(`/broadcasts/${broadcastId}`)
    await button(/^Trim Part 2/).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/recordings/trim/2')
  })

  it('has one stop of the Tab key, the row that had the focus last', async () => {
    await open()
    ;(row('Part 1').element() as HTMLElement).focus()
    await userEvent.keyboard('{ArrowDown}')
    const stops = list()
      .getByRole('listitem')
      .elements()
      .map((each) => (each as HTMLElement).tabIndex)
    expect(stops).toEqual([-1, 0, -1, -1, -1])
  })

  it('leaves the Space of a box to the box', async () => {
    await open()
    ;(box('Part 1').element() as HTMLElement).focus()
    await userEvent.keyboard(' ')
    await expect.element(page.getByText('1 chosen')).toBeVisible()
    expect(page.getByRole('dialog').query()).toBeNull()
  })

  it('is downloaded and merged where two are chosen', async () => {
    const told = saved()
    const { client } = await open({}, { answers: { 'recordings.merge': () => undefined } })
    await box('Part 1').click()
    await expect.element(button(words.merge)).toHaveAttribute('aria-disabled', 'true')
    await box('Part 2').click()
    await button(words.download).click()
    await expect.poll(() => told).toEqual(['NightRadio_1.mp4', 'NightRadio_2.mp4'])
    await button(words.merge).click()
    await page.getByRole('textbox', { name: merge.name }).fill('Night')
    await button('Merge 2 files').click()
    await expect
      .poll(() => client.inputs('recordings.merge'))
      .toEqual([{ profileId: 'local', outputName: 'Night', vids: [1, 2] }])
    await button('Close').click()
    expect(page.getByRole('complementary', { name: merge.title }).query()).toBeNull()
  })

  it('is nothing where nothing was recorded: the channel can record from now on', async () => {
    const { client } = await open(
      { vids: [], markers: [] },
      { answers: { 'recordings.configure': () => undefined } },
      [],
    )
    await expect.element(page.getByText(words.none)).toBeVisible()
    client.answer({ 'channels.list': () => ({ channels: [{ ...show, needRecord: true }], total: 1 }) })
    await button(words.record).click()
    await expect.element(page.getByText(words.noneNow)).toBeVisible()
    expect(client.inputs('recordings.configure')[0]).toMatchObject({ cid: show.cid, needRecord: true })
  })

  it('tells of files that are not among those of a week', async () => {
    await open({ vids: [1, 2, 90, 91] })
    await expect.element(page.getByRole('link', { name: '2 more files in Recordings' })).toBeVisible()
  })
})

describe('the flags of the graph', () => {
  const flags = () => page.getByRole('list', { name: graph.flags })

  it('open their second in the player where it was recorded', async () => {
    const { client } = await open()
    await flags()
      .getByRole('button', { name: /Picture held 9 s, play this second/ })
      .click()
    await expect.element(page.getByRole('dialog')).toBeVisible()
    await expect.poll(() => client.inputs('recordings.ticket').at(-1)?.vid).toBe(1)
  })

  it('say so where it was not', async () => {
    await open({ vids: [] }, {}, [])
    await flags()
      .getByRole('button', { name: /Picture held 9 s/ })
      .click()
    await expect.element(page.getByText(flag.notRecorded.replace('{time}', '13:50:00'))).toBeVisible()
  })

  it('that would touch are one, which lists them', async () => {
    await open()
    await flags().getByRole('button', { name: '2 events' }).first().click()
    await expect.element(page.getByRole('menuitem', { name: '14:15:00 YouTube lost' })).toBeVisible()
  })

  it('are led through by the arrow keys', async () => {
    await open()
    const buttons = flags().getByRole('button').elements() as HTMLElement[]
    buttons[0]?.focus()
    await userEvent.keyboard('{ArrowRight}')
    expect(document.activeElement).toBe(buttons[1])
    await userEvent.keyboard('{ArrowLeft}{ArrowLeft}')
    expect(document.activeElement).toBe(buttons[0])
  })

  it('and all of the graph stand in tables too', async () => {
    await open()
    await page.getByText(graph.asTable).click()
    const table = (name: string) => page.getByRole('table', { name })
    await expect.poll(() => table(graph.flags).element().textContent).toContain('14:45:00Caller from Porto')
    await expect
      .poll(() => table(graph.bands).element().textContent)
      .toContain('15:00:00 to 15:04:00Bitrate low for 4 min')
    expect(table(graph.title).getByRole('row').elements()).toHaveLength(113)
  })
})
