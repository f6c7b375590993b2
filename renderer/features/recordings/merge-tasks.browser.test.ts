import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { MergeBoard } from '../../../contract/rpc/index.ts'
import { spoken } from '../../format/languages.ts'
import { mounted } from '../../testing/mounted.ts'
import { reasonWords } from '../frame/words-reason.ts'
import MergeTasks from './merge-tasks.vue'
import { recordingsWords } from './words.ts'

const { merge: words } = spoken(recordingsWords, 'en')
const { merge: reasons } = spoken(reasonWords, 'en').reason
type Task = NonNullable<MergeBoard['tasks']>[number]
const task = (taskId: number, change: Partial<Task> = {}): Task => ({
  taskId,
  outputName: `show_${taskId}`,
  state: 'done',
  done: 1,
  total: 1,
  reason: null,
  ...change,
})
const show = async (...tasks: readonly Task[]) => {
  const cancelled: number[] = []
  await mounted(MergeTasks, { props: { tasks, onCancel: (taskId: number) => cancelled.push(taskId) } })
  return cancelled
}
const items = () =>
  page
    .getByRole('list', { name: words.tasks })
    .getByRole('listitem')
    .elements()
    .map(({ textContent }) => textContent ?? '')
const bar = (name: string) => page.getByRole('progressbar', { name })

describe('merges', () => {
  it('that run come first, all of them, then the newest three that ended', async () => {
    await show(
      task(9),
      task(8, { state: 'running' }),
      task(7),
      task(6),
      task(5),
      task(4, { state: 'running' }),
      task(3, { state: 'running' }),
      task(2, { state: 'running' }),
    )
    expect(items().map((text) => /show_\d/.exec(text)?.[0])).toEqual([
      'show_8',
      'show_4',
      'show_3',
      'show_2',
      'show_9',
      'show_7',
      'show_6',
    ])
  })

  it.each([
    ['nothing is known of their size', 0, 0, '0'],
    ['they are about to end', 9_999, 10_000, '99'],
    ['all is written', 10_000, 10_000, '100'],
    ['more was written than was thought', 10_100, 10_000, '100'],
  ])('say how far they are where %s', async (_case, done, total, percent) => {
    await show(task(1, { state: 'running', done, total }))
    await expect.element(bar('show_1')).toHaveAttribute('aria-valuenow', percent)
    expect(items()[0]).toContain(`${percent} %`)
    expect((bar('show_1').element().firstElementChild as HTMLElement).style.width).toBe(`${percent}%`)
  })

  it('say how much of them is written', async () => {
    await show(task(1, { state: 'running', done: 1_500_000, total: 3_000_000 }))
    expect(items()[0]).toContain(words.progress.replace('{done}', '1.50 MB').replace('{total}', '3.00 MB'))
    await expect.element(bar('show_1')).toHaveAttribute('aria-valuemin', '0')
    await expect.element(bar('show_1')).toHaveAttribute('aria-valuemax', '100')
  })

  it.each(['done', 'failed', 'cancelled'] as const)(
    'that ended can not be cancelled, and have no bar: %s',
    async (state) => {
      await show(task(1, { state }))
      expect(items()).toEqual([`show_1${words.state[state]}`])
      expect([bar('show_1').query(), page.getByRole('button').query()]).toEqual([null, null])
    },
  )

  it('say why they failed, and nothing of a reason where they did not', async () => {
    const reason = { code: 'source', params: {} } as const
    await show(task(2, { state: 'failed', reason }), task(1, { state: 'cancelled', reason }))
    expect(items()).toEqual([`show_2${words.state.failed}${reasons.source}`, `show_1${words.state.cancelled}`])
  })

  it('are cancelled one by one, by the name of their result', async () => {
    const cancelled = await show(task(4, { state: 'running' }), task(5, { state: 'running' }))
    await page.getByRole('button', { name: words.cancelThis.replace('{name}', 'show_5') }).click()
    expect(cancelled).toEqual([5])
  })
})
