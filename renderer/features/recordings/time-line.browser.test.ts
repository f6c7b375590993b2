import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, type Component } from 'vue'
import type { Marker, RecordedFile } from '../../../contract/rpc/index.ts'
import { times } from '../../format/times.ts'
import { makeService } from '../../testing/fake-state.ts'
import { began, channel, mounted, service, type MountOptions } from '../../testing/mounted.ts'
import { marker, recordedFile } from '../../testing/recorded-values.ts'
import { rangeOf, type Span } from './time-line.ts'
import TimeLine from './time-line.vue'
import { spoken } from '../../format/languages.ts'
import { recordingsWords } from './words.ts'

const recordingsEn = spoken(recordingsWords, 'en')
const recordingsZh = spoken(recordingsWords, 'zh')

const { files: words } = recordingsEn
const zone = times('Asia/Shanghai')
const one = channel(1)
const two = channel(2)

interface Shown extends MountOptions {
  readonly files?: readonly RecordedFile[]
  readonly markers?: readonly Marker[]
  readonly chosen?: readonly number[]
  readonly span?: Span
}
async function show({ files = [], markers = [], chosen = [], span = 'day', ...options }: Shown) {
  const told: unknown[] = []
  const part: Component = {
    render: () =>
      h(TimeLine, {
        lanes: [one, two],
        files,
        markers,
        range: rangeOf(span, began, zone),
        span,
        chosen,
        ordered: true,
        onPlay: (file: RecordedFile, from: number) => told.push(['play', file.vid, from]),
        onMark: (each: Marker) => told.push(['mark', each.markerId]),
      }),
  }
  return { ...(await mounted(part, { channels: [one, two], ...options })), told }
}
const line = () => page.getByRole('region', { name: words.timeLine })
const picture = (name: string | RegExp) => line().getByRole('img', { name })
const boxOf = (locator: ReturnType<typeof picture>) => locator.element().getBoundingClientRect()

describe('the time line', () => {
  it('has a bar for each file, named by file and begin, at its own time and length', async () => {
    await show({ files: [recordedFile(2), recordedFile(6), recordedFile(3, { cid: two.cid })] })
    const [late, early] = [boxOf(picture(/^file-2, .*14:00:00/)), boxOf(picture(/^file-6, .*10:00:00/))]
    expect(late.left - early.left).toBeGreaterThan(0)
    // Four hours lie between their begins, and each is half an hour long.
    expect((late.left - early.left) / late.width).toBeCloseTo(8, 0)
    expect(boxOf(picture(/^file-3/)).top).toBeGreaterThan(late.bottom)
  })

  it('plays a file from the second that was pressed', async () => {
    const { told } = await show({ files: [recordedFile(2)] })
    const bar = picture(/^file-2/)
    const { width } = boxOf(bar)
    await bar.click({ position: { x: width / 2, y: 5 } })
    expect(told).toEqual([['play', 2, expect.any(Number)]])
    const [[, , from]] = told as [[string, number, number]]
    expect(from).toBeGreaterThan(15 * 60 - 60)
    expect(from).toBeLessThan(15 * 60 + 60)
  })

  it('plays a bar that is too narrow to aim at from its begin', async () => {
    const { told } = await show({ files: [recordedFile(2, { end: began - 2 * 3_600_000 + 60_000 })] })
    await picture(/^file-2/).click()
    expect(told).toEqual([['play', 2, 0]])
  })

  it('does not show a merged file, which has no time of its own', async () => {
    await show({ files: [recordedFile(2, { merged: true }), recordedFile(6)] })
    await expect.element(picture(/^file-6/)).toBeVisible()
    expect(picture(/^file-2/).query()).toBeNull()
  })

  it('has the place in the merge on the bars of its files', async () => {
    await show({ files: [recordedFile(2), recordedFile(6), recordedFile(9)], chosen: [6, 2] })
    await expect.element(picture(/^file-6/)).toHaveTextContent('1')
    await expect.element(picture(/^file-2/)).toHaveTextContent('2')
    await expect.element(picture(/^file-9/)).toHaveTextContent('')
  })

  it.each([
    ['recorded', 3, words.recordingNow, words.notRecorded],
    ['not recorded', 1, words.notRecorded, words.recordingNow],
  ] as const)('shows what is on air now: %s', async (_case, status, says, saysNot) => {
    const live = { ...one, status }
    await show({
      channels: [live, two],
      events: [
        {
          type: 'recording',
          profileId: 'local',
          cid: one.cid,
          at: began,
          recording: {
            state: status === 3 ? 'recording' : 'off',
            reason: null,
            since: status === 3 ? began - 3_600_000 : null,
            bytes: 0,
            cut: null,
          },
        },
      ],
    })
    await expect.element(picture(says)).toBeInTheDocument()
    expect(picture(saysNot).query()).toBeNull()
  })

  it('shows nothing as running while the service is down', async () => {
    const { tell } = await show({ channels: [{ ...one, status: 1 }, two] })
    await expect.element(picture(words.notRecorded)).toBeInTheDocument()
    await tell(service('restarting'))
    await expect.element(picture(words.notRecorded)).not.toBeInTheDocument()
  })

  it('opens a marker by its button, with mouse and keyboard', async () => {
    const { told } = await show({ markers: [marker(7, 60, 'Guest joins')] })
    const button = line().getByRole('button', { name: 'Marker 15:00:00 Guest joins' })
    await button.click()
    expect(told).toEqual([['mark', 7]])
    ;(button.element() as HTMLElement).focus()
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual([
      ['mark', 7],
      ['mark', 7],
    ])
  })

  it('lists markers that lie together, and opens the chosen one', async () => {
    const { told } = await show({ markers: [marker(7, 60, 'First'), marker(8, 59, 'Second'), marker(9, 300)] })
    const together = line().getByRole('button', { name: '2 markers from 15:00:00 on: choose one' })
    ;(together.element() as HTMLElement).focus()
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('menuitem', { name: '15:00:00 First' })).toBeVisible()
    await page.getByRole('menuitem', { name: '15:01:00 Second' }).click()
    await expect.poll(() => told).toEqual([['mark', 8]])
    await expect.element(together).toHaveFocus()
    await expect.element(line().getByRole('button', { name: /^Marker 11:00:00/ })).toBeVisible()
  })

  it('shows names that people gave as text', async () => {
    await show({
      channels: [one, two],
      files: [recordedFile(2, { name: '<i>file</i>' })],
      markers: [marker(7, 60, '<b>bold</b>')],
    })
    await expect.element(line()).toMatchTextContent('<b>bold</b>')
    await expect.element(picture(/^<i>file<\/i>/)).toBeVisible()
  })

  it('has the time zone of now, not of another season', async () => {
    await show({
      events: [{ type: 'service', service: { ...makeService(began, 'full'), timeZone: 'Europe/London' } }],
    })
    await expect.poll(() => document.querySelector('[data-figure=zone]')?.textContent).toBe('UTC')
  })

  it('has days over a week and hours over a day, with the time zone', async () => {
    await show({ span: 'week' })
    await expect.element(line()).toMatchTextContent(/Fri 20.*Sat 21.*Thu 26/s)
    await expect.element(line()).toMatchTextContent('UTC+8')
  })

  it('has every third hour over a day', async () => {
    await show({ span: 'day' })
    await expect.element(line()).toMatchTextContent(/00:00.*03:00.*21:00/s)
  })

  it('explains its colours, in Chinese too', async () => {
    await show({ language: 'zh' })
    const zh = page.getByRole('region', { name: recordingsZh.files.timeLine })
    for (const name of ['slice', 'inMerge', 'flv', 'recordingNow', 'notRecorded', 'markers'] as const)
      await expect.element(zh.getByText(recordingsZh.files[name], { exact: true })).toBeVisible()
  })
})
