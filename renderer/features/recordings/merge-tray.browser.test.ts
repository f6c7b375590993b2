import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref, type Component } from 'vue'
import { mergeLimits } from '../../../contract/operations/recordings.ts'
import type { MergeBoard, RecordedFile } from '../../../contract/rpc/index.ts'
import { failed } from '../../testing/memory-client.ts'
import { makeService } from '../../testing/fake-state.ts'
import { began, mounted, service, starting, type MountOptions } from '../../testing/mounted.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import MergeTray from './merge-tray.vue'
import { spoken } from '../../format/languages.ts'
import { reasonWords } from '../frame/words-reason.ts'
import { recordingsWords } from './words.ts'

const reasonEn = spoken(reasonWords, 'en')
const recordingsEn = spoken(recordingsWords, 'en')

const { merge: words } = recordingsEn
const file = (vid: number, change: Partial<RecordedFile> = {}): RecordedFile => ({
  vid,
  cid: '1'.repeat(32),
  name: `file-${vid}`,
  key: `recordings/${vid}.mp4`,
  begin: began + vid * 60_000,
  end: began + vid * 60_000 + 30_000,
  format: 'mp4',
  bytes: 1_000_000,
  duration: 30_000,
  codecs: 'avc1.64001f mp4a.40.2',
  merged: false,
  ...change,
})
const task = (taskId: number, change: Partial<NonNullable<MergeBoard['tasks']>[number]> = {}) => ({
  taskId,
  outputName: `show_${taskId}`,
  state: 'running' as const,
  done: 500_000,
  total: 2_000_000,
  reason: null,
  ...change,
})
const empty: MergeBoard = { tasks: [], calls: [] }

/** The tray with what it tells. Chosen files keep their order as in the view. */
async function show(
  files: readonly RecordedFile[],
  options: MountOptions & { board?: MergeBoard; busy?: boolean; failure?: Failure | null } = {},
) {
  const chosen = ref<readonly number[]>(files.map(({ vid }) => vid))
  const told: unknown[] = []
  const part: Component = {
    render: () =>
      h(MergeTray, {
        chosen: chosen.value,
        'onUpdate:chosen': (next: readonly number[]) => (chosen.value = next),
        files: chosen.value.map((vid) => files.find((each) => each.vid === vid)!),
        board: options.board ?? empty,
        busy: options.busy ?? false,
        failure: options.failure ?? null,
        onMerge: (name: string) => told.push(['merge', name]),
        onCancel: (taskId: number) => told.push(['cancel', taskId]),
        onClose: () => told.push(['close']),
      }),
  }
  return { ...(await mounted(part, options)), chosen, told }
}
const name = () => page.getByRole('textbox', { name: words.name })
const submit = (count: number) => page.getByRole('button', { name: `Merge ${count} files` })
const order = () => page.getByRole('list', { name: words.order })

describe('the merge tray', () => {
  it('merges under the name that was entered', async () => {
    const { told } = await show([file(1), file(2)])
    await name().fill('evening')
    await submit(2).click()
    expect(told).toEqual([['merge', 'evening']])
  })

  it('wants a name before anything is merged, and no space in it', async () => {
    const { told } = await show([file(1), file(2)])
    await submit(2).click()
    await expect.element(page.getByText(words.nameFault.empty)).toBeVisible()
    await name().fill('a b')
    await expect.element(page.getByText(words.nameFault.space)).toBeVisible()
    await submit(2).click()
    expect(told).toEqual([])
  })

  it('moves a file with Alt and an arrow, keeps the focus on it, and says so', async () => {
    const { chosen } = await show([file(1), file(2), file(3)])
    const third = order().getByRole('listitem').nth(2)
    ;(third.element() as HTMLElement).focus()
    await userEvent.keyboard('{Alt>}{ArrowUp}{/Alt}')
    expect(chosen.value).toEqual([1, 3, 2])
    await expect.element(order().getByRole('listitem').nth(1)).toHaveFocus()
    await expect.element(page.getByText(words.moved.replace('{n}', '3').replace('{to}', '2'))).toBeInTheDocument()
    await userEvent.keyboard('{Alt>}{ArrowDown}{ArrowDown}{ArrowDown}{/Alt}')
    expect(chosen.value).toEqual([1, 2, 3])
  })

  it('says that an order is not that of time, and sorts on request', async () => {
    const { chosen } = await show([file(2), file(1)])
    await page.getByRole('button', { name: words.sort }).click()
    expect(chosen.value).toEqual([1, 2])
    expect(page.getByRole('button', { name: words.sort }).query()).toBeNull()
  })

  it('takes files out, up to the last', async () => {
    const { chosen } = await show([file(1), file(2), file(3)])
    await page.getByRole('button', { name: words.takeOut.replace('{n}', '2') }).click()
    expect(chosen.value).toEqual([1, 3])
    for (let left = 2; left > 0; left--)
      await page.getByRole('button', { name: words.takeOut.replace('{n}', '1') }).click()
    await expect.element(page.getByText(words.empty)).toBeVisible()
  })

  it.each([
    ['FLV', [file(1), file(2, { format: 'flv' })], empty, words.check.mp4.fault.replace('{n}', '2')],
    ['other codecs', [file(1), file(2, { codecs: 'hvc1' })], empty, words.check.codecs.fault.replace('{n}', '2')],
    [
      'three that run',
      [file(1), file(2)],
      { tasks: [task(1), task(2), task(3)], calls: [] },
      words.check.running.fault,
    ],
    [
      'ten calls a minute',
      [file(1), file(2)],
      { tasks: [], calls: Array<number>(10).fill(began - 20_000) },
      words.check.calls.fault.replace('{n}', '40'),
    ],
    ['more than 4 hours', [file(1, { duration: 15_000_000 }), file(2)], empty, words.long],
  ] as const)('says what stands in the way, and merges nothing: %s', async (_case, files, board, says) => {
    const { told } = await show(files, { board: { tasks: [...(board.tasks ?? [])], calls: [...board.calls] } })
    await expect.element(page.getByText(says)).toBeVisible()
    await name().fill('evening')
    await submit(2).click({ force: true })
    expect(told).toEqual([])
  })

  it('merges nothing while the service is down', async () => {
    const { told, tell } = await show([file(1), file(2)])
    await name().fill('evening')
    await tell(service('restarting'))
    await submit(2).click({ force: true })
    expect(told).toEqual([])
  })

  it('says why a merge was refused', async () => {
    await show([file(1), file(2)], { failure: failureOf(failed({ kind: 'code', code: 644 })) })
    await expect.element(page.getByRole('alert')).toBeVisible()
  })

  it('merges nothing while a merge is being asked for', async () => {
    const { told } = await show([file(1), file(2)], { busy: true })
    await name().fill('evening')
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual([])
  })

  it('closes while it is empty', async () => {
    const { told } = await show([])
    await page.getByRole('button', { name: 'Close' }).click()
    expect(told).toEqual([['close']])
  })

  it('moves a file that is dragged to the place where it is dropped', async () => {
    const { chosen } = await show([file(1), file(2), file(3)])
    const [first, , third] = order().getByRole('listitem').elements()
    third!.dispatchEvent(new DragEvent('dragstart', { bubbles: true }))
    first!.dispatchEvent(new DragEvent('drop', { bubbles: true }))
    expect(chosen.value).toEqual([3, 1, 2])
    third!.dispatchEvent(new DragEvent('drop', { bubbles: true }))
    expect(chosen.value).toEqual([3, 1, 2])
    // A drag that ended elsewhere moves nothing.
    first!.dispatchEvent(new DragEvent('dragstart', { bubbles: true }))
    first!.dispatchEvent(new DragEvent('dragend', { bubbles: true }))
    third!.dispatchEvent(new DragEvent('drop', { bubbles: true }))
    expect(chosen.value).toEqual([3, 1, 2])
  })

  it('shows merges that run, and the last three that ended with how and why', async () => {
    await show([], {
      board: {
        tasks: [
          task(6, { state: 'done' }),
          task(5, { state: 'failed', reason: { code: 'room', params: {} } }),
          task(4, { state: 'cancelled' }),
          task(3, { state: 'done' }),
          task(2),
        ],
        calls: [],
      },
    })
    const tasks = page.getByRole('list', { name: words.tasks }).getByRole('listitem')
    await expect.element(tasks.nth(0)).toMatchTextContent(/show_2.*25 %/s)
    await expect.element(tasks.nth(0)).toMatchTextContent('500 kB of 2.00 MB')
    await expect.element(tasks.nth(1)).toMatchTextContent(`show_6${words.state.done}`)
    await expect.element(tasks.nth(2)).toMatchTextContent(`show_5${words.state.failed}`)
    await expect.element(tasks.nth(2)).toMatchTextContent(reasonEn.reason.merge.room)
    await expect.element(tasks.nth(3)).toMatchTextContent(`show_4${words.state.cancelled}`)
    expect(tasks.elements()).toHaveLength(4)
    expect(page.getByRole('button', { name: /^Cancel/ }).elements()).toHaveLength(1)
  })

  it('shows how far a merge is, and cancels that one', async () => {
    const { told } = await show([], { board: { tasks: [task(7), task(8, { outputName: 'other' })], calls: [] } })
    await expect.element(page.getByRole('progressbar', { name: 'show_7' })).toHaveAttribute('aria-valuenow', '25')
    await page.getByRole('button', { name: 'Cancel other' }).click()
    expect(told).toEqual([['cancel', 8]])
  })
})

describe('the checks of the merge tray', () => {
  const checks = () =>
    page
      .getByRole('list', { name: words.checks })
      .getByRole('listitem')
      .elements()
      .map(({ textContent }) => textContent?.trim())
  const of = (n: number, all: number): string => words.of.replace('{n}', String(n)).replace('{all}', String(all))

  it('say what is used of each limit', async () => {
    await show([file(1), file(2)], { board: { tasks: [task(1)], calls: [began - 59_000, began - 61_000] } })
    expect(checks()).toEqual([
      words.check.mp4.ok,
      words.check.codecs.ok,
      `${words.check.running.ok}${of(1, 3)}`,
      `${words.check.calls.ok}${of(1, 10)}`,
      `${words.check.disk.ok}${words.room.replace('{needs}', '2.00 MB').replace('{there}', '411 GB')}`,
    ])
  })

  it('say of a hosted service what is not known', async () => {
    await show([file(1, { format: null, bytes: null, codecs: null })], {
      board: { tasks: null, calls: [] },
      profile: 'hosted-1',
    })
    expect(checks()).toEqual([
      words.check.mp4.unknown,
      words.check.codecs.unknown,
      words.check.running.unknown,
      `${words.check.calls.ok}${of(0, 10)}`,
      words.check.disk.unknown,
    ])
  })

  it('say what is needed where nobody knows what there is, and what there is where nobody knows the need', async () => {
    const { tell } = await show([file(1)])
    const room = (recordingRoom: number | null) =>
      tell({ type: 'service', service: { ...makeService(began, 'full'), recordingRoom } })
    await room(null)
    await expect
      .poll(() => checks().at(-1))
      .toBe(`${words.check.disk.unknown}${words.needs.replace('{needs}', '1.00 MB')}`)
  })

  it('say what there is where the size of a file is not known', async () => {
    await show([file(1, { bytes: null })])
    expect(checks().at(-1)).toBe(`${words.check.disk.unknown}${words.there.replace('{there}', '411 GB')}`)
  })

  it('merge nothing where the disk has too little room', async () => {
    const { told, tell } = await show([file(1), file(2)])
    await tell({ type: 'service', service: { ...makeService(began, 'full'), recordingRoom: 1_999_999 } })
    await expect.element(page.getByText(words.check.disk.fault)).toBeVisible()
    await name().fill('evening')
    await submit(2).click({ force: true })
    expect(told).toEqual([])
    await tell({ type: 'service', service: { ...makeService(began, 'full'), recordingRoom: 2_000_000 } })
    await submit(2).click()
    expect(told).toEqual([['merge', 'evening']])
  })

  it('let calls go that are older than a minute as time passes', async () => {
    const { pass } = await show([file(1)], { board: { tasks: [], calls: Array<number>(10).fill(began - 59_000) } })
    await expect.element(page.getByText(words.check.calls.fault.replace('{n}', '1'))).toBeVisible()
    await pass(1_000)
    await expect.poll(() => checks()[3]).toBe(`${words.check.calls.ok}${of(0, 10)}`)
  })
})

describe('the files in the merge tray', () => {
  it('have their number, time, name and length, and together their length of four hours', async () => {
    await show([file(1), file(2, { begin: null, duration: 90_000 })])
    const items = order().getByRole('listitem').elements()
    expect(items.map(({ textContent }) => textContent)).toEqual([
      `111-26 16:01:00${words.file.replace('{id}', '1')}00:00:30`,
      `2file-2${words.file.replace('{id}', '2')}00:01:30`,
    ])
    await expect.element(page.getByText(`00:02:00${words.ofLength.replace('{all}', '04:00:00')}`)).toBeVisible()
  })

  it('have dashes where a length is not known', async () => {
    await show([file(1), file(2, { duration: null })])
    await expect.element(page.getByText(`–${words.ofLength.replace('{all}', '04:00:00')}`)).toBeVisible()
    await expect.element(order().getByRole('listitem').nth(1)).toMatchTextContent('–')
  })

  it('fill the bar by their share of four hours', async () => {
    await show([file(1, { duration: 3_600_000 }), file(2, { duration: 7_200_000 })])
    const widths = [...document.querySelectorAll<HTMLElement>('form [aria-hidden] > span[style]')].map(
      ({ style }) => style.width,
    )
    expect(widths).toEqual(['25%', '50%'])
  })

  it('do not ask for a name before they are merged, and take no name that is too long', async () => {
    await show([file(1)])
    expect(page.getByText(words.nameFault.empty).query()).toBeNull()
    await expect.element(name()).toHaveAttribute('maxlength', '128')
    await name().fill('x')
    await name().fill('')
    expect(page.getByText(words.nameFault.empty).query()).toBeNull()
  })

  it('are merged with Enter in the name', async () => {
    const { told } = await show([file(1)])
    await name().fill('evening')
    await userEvent.keyboard('{Enter}')
    expect(told).toEqual([['merge', 'evening']])
  })

  it('stay where they are at the ends, which is not announced', async () => {
    const { chosen } = await show([file(1), file(2)])
    ;(order().getByRole('listitem').first().element() as HTMLElement).focus()
    await userEvent.keyboard('{Alt>}{ArrowUp}{/Alt}')
    expect(chosen.value).toEqual([1, 2])
    expect(page.getByText(words.moved.replace('{n}', '1').replace('{to}', '0')).query()).toBeNull()
  })

  it('do not move by an arrow without Alt', async () => {
    const { chosen } = await show([file(1), file(2)])
    ;(order().getByRole('listitem').first().element() as HTMLElement).focus()
    await userEvent.keyboard('{ArrowDown}')
    expect(chosen.value).toEqual([1, 2])
  })

  it('have bars by their share of the longest merge, and no more than the whole of it', async () => {
    const { duration } = mergeLimits
    await show([file(1, { duration: duration / 4 }), file(2, { duration: duration * 3 })])
    await expect.poll(() => document.querySelectorAll('.bg-arm.flex-none').length).toBeGreaterThan(0)
    const widths = [...document.querySelectorAll<HTMLElement>('.bg-arm.flex-none')].map(({ style }) => style.width)
    expect(widths).toEqual(['25%', '100%'])
  })

  it('say which of them is older than which', async () => {
    await show([file(2), file(3), file(1)])
    const says = words.older.replace('{file}', '3').replace('{before}', '1')
    await expect.element(page.getByText(starting(says))).toBeVisible()
  })
})
