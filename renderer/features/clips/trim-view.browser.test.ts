import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { ListedFile, MergeTask } from '../../../contract/rpc/index.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, channel, mounted, service, starting, type MountOptions } from '../../testing/mounted.ts'
import { marker, recordedFile } from '../../testing/recorded-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { trimWords } from './words.ts'
import TrimView from './trim-view.vue'

const { trim: words } = spoken(trimWords, 'en')
const { word } = spoken(frameWords, 'en')
const minute = 60_000

const listed = (vid: number, change: Partial<ListedFile> = {}): ListedFile => ({
  ...recordedFile(vid, change),
  duration: 10 * minute,
  channel: 'Channel 1',
  deleted: false,
  ...change,
})
const task = (state: MergeTask['state'], done = 0): MergeTask => ({
  taskId: 5,
  outputName: 'clip',
  state,
  reason: null,
  done,
  total: 100,
})

/** The editor of file 1, of 10 min from 12:00 (an hour before the page begins); its media is not to be had. */
async function show({
  files = [listed(1)],
  ...options
}: MountOptions & { readonly files?: readonly ListedFile[] } = {}) {
  const list = [...files]
  const on = await mounted(TrimView, {
    path: '/recordings/trim/1',
    channels: [channel(1)],
    ...options,
    answers: {
      'recordings.all': () => ({ files: list, more: false }),
      'recordings.ticket': () => ({ path: '/media/none.mp4' }),
      'recordings.markers': () => [],
      'rooms.linked': () => ({ roomid: null }),
      'recordings.trim': () => ({ taskId: 5, vid: 9 }),
      'recordings.merges': () => ({ tasks: [task('running', 40)], calls: [] }),
      ...options.answers,
    },
  })
  return { ...on, list }
}
const end = (name: string) => page.getByRole('slider', { name, exact: true })
const at = (name: string): number => Number(end(name).element().getAttribute('aria-valuenow'))
const button = (name: string | RegExp) => page.getByRole('button', { name })
const focus = (name: string): void => (end(name).element() as HTMLElement).focus()

describe('the clip editor', () => {
  it('has handles that say their time, and moves them by a second with Shift', async () => {
    await show()
    await expect.element(end(words.in)).toHaveAttribute('aria-valuetext', 'In, 15:00:00')
    await expect.element(end(words.out)).toHaveAttribute('aria-valuetext', 'Out, 15:10:00')
    focus(words.in)
    await userEvent.keyboard('{Shift>}{ArrowRight}{ArrowRight}{/Shift}')
    await expect.element(end(words.in)).toHaveAttribute('aria-valuetext', 'In, 15:00:02')
    await userEvent.keyboard('{End}')
    // At the end it is still In; a step back from Out takes its part.
    expect(at(words.in)).toBe(10 * minute)
  })

  it('says that there is no film where the file cannot be read, and cuts all the same', async () => {
    await show()
    await expect.element(page.getByText(words.noIndex)).toBeVisible()
  })

  it('goes to the next marker with Alt, and lists the markers of that time', async () => {
    await show({ answers: { 'recordings.markers': () => [marker(3, 58, 'Lighthouse')] } })
    await expect.element(button('Go to marker 15:02:00 Lighthouse')).toBeVisible()
    focus(words.in)
    await userEvent.keyboard('{Alt>}{ArrowRight}{/Alt}')
    expect(at(words.in)).toBe(2 * minute)
  })

  it('takes the focus along when a handle passes the other one', async () => {
    await show()
    focus(words.out)
    await userEvent.keyboard('{Home}')
    focus(words.in)
    await userEvent.keyboard('{Shift>}{ArrowRight}{/Shift}')
    await expect.poll(() => document.activeElement?.getAttribute('data-end')).toBe('to')
    expect([at(words.in), at(words.out)]).toEqual([0, 1000])
  })

  it('takes a typed time and a length from In, and goes back with Ctrl+Z', async () => {
    await show()
    await page.getByLabelText(words.timeIn).fill('15:03:00')
    await userEvent.keyboard('{Enter}')
    await expect.element(end(words.in)).toHaveAttribute('aria-valuetext', 'In, 15:03:00')
    await button('90 s').click()
    expect(at(words.out) - at(words.in)).toBe(90_000)
    await expect.element(page.getByText('1:30.0', { exact: true })).toBeVisible()
    await userEvent.keyboard('{Control>}z{/Control}')
    expect(at(words.out)).toBe(10 * minute)
  })

  it('opens in Chinese', async () => {
    const zh = spoken(trimWords, 'zh').trim
    await show({ language: 'zh' })
    await expect.element(page.getByRole('heading', { name: zh.title })).toBeVisible()
    await expect.element(end(zh.in)).toHaveAttribute('aria-valuetext', zh.valueIn.replace('{time}', '15:00:00'))
  })
})

describe('a clip', () => {
  const save = async (on: Awaited<ReturnType<typeof show>>) => {
    await page.getByLabelText(words.name, { exact: true }).fill('Horn')
    await userEvent.keyboard('{Control>}s{/Control}')
    await expect.poll(() => on.client.inputs('recordings.trim').length).toBe(1)
  }

  it('is saved with Ctrl+S, shows how far it is, and can be called otherwise then', async () => {
    const on = await show({ answers: { 'recordings.renameClip': () => undefined } })
    focus(words.in)
    await userEvent.keyboard('{Shift>}{ArrowRight}{/Shift}')
    await save(on)
    const asked = { profileId: 'local', vids: [1], from: 1000, to: 10 * minute, name: 'Horn' }
    expect(on.client.inputs('recordings.trim')).toEqual([asked])
    await expect.element(page.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '40')
    on.list.unshift(listed(9, { name: 'Horn', merged: true }))
    on.client.answer({ 'recordings.merges': () => ({ tasks: [task('done', 100)], calls: [] }) })
    await expect.element(page.getByText('Saved as “Horn”')).toBeVisible()
    await page.getByLabelText(words.name, { exact: true }).fill('Harbour')
    await button(word.renameNow).click()
    expect(on.client.inputs('recordings.renameClip')).toEqual([{ profileId: 'local', vid: 9, name: 'Harbour' }])
    await expect.element(page.getByText('Saved as “Harbour”')).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.poll(() => on.router.currentRoute.value.path).toBe('/recordings')
  })

  it('that is being saved can be cancelled', async () => {
    const on = await show({ answers: { 'recordings.cancelMerge': () => undefined } })
    await save(on)
    await button(word.cancel).click()
    expect(on.client.inputs('recordings.cancelMerge')).toEqual([{ profileId: 'local', taskId: 5 }])
    on.client.answer({ 'recordings.merges': () => ({ tasks: [task('cancelled')], calls: [] }) })
    await expect.element(page.getByText(words.cancelled)).toBeVisible()
  })

  it('that was refused says why', async () => {
    const on = await show({
      answers: {
        'recordings.trim': () => {
          throw failed({ kind: 'code', code: 501 })
        },
      },
    })
    await save(on)
    await expect.element(page.getByText(/^The live service had a fault/)).toBeVisible()
  })

  it('needs a name, a length, and a service that answers', async () => {
    const on = await show()
    await page.getByLabelText(words.name, { exact: true }).fill(' Horn')
    await userEvent.keyboard('{Control>}s{/Control}')
    await expect.element(page.getByText(words.nameFault.replace('{longest}', '128')).first()).toBeVisible()
    await page.getByLabelText(words.name, { exact: true }).fill('Horn')
    focus(words.out)
    await userEvent.keyboard('{Home}{Control>}s{/Control}')
    await expect.element(page.getByText(words.empty)).toBeVisible()
    await userEvent.keyboard('{End}')
    await on.tell(service('restarting'))
    await userEvent.keyboard('{Control>}s{/Control}')
    await expect.element(button(starting(words.save))).toHaveAttribute('aria-disabled', 'true')
    expect(on.client.inputs('recordings.trim')).toEqual([])
  })

  it('is cut over a seam', async () => {
    const second = listed(2, { begin: began - 30 * minute })
    const on = await show({ path: '/recordings/trim/1?to=2', files: [second, listed(1)] })
    focus(words.in)
    await userEvent.keyboard('{Shift>}{ArrowRight}{/Shift}')
    await expect.element(end(words.out)).toHaveAttribute('aria-valuetext', 'Out, 15:40:00')
    await save(on)
    const [asked] = on.client.inputs('recordings.trim')
    expect(asked).toMatchObject({ vids: [1, 2], from: 1000, to: 10 * minute })
  })
})

describe('leaving the clip editor', () => {
  it('asks only when something was changed', async () => {
    const on = await show()
    focus(words.in)
    await userEvent.keyboard('{Shift>}{ArrowRight}{/Shift}{Escape}')
    await expect.element(page.getByRole('dialog', { name: words.leaveTitle })).toBeVisible()
    await button(words.leave).click()
    await expect.poll(() => on.router.currentRoute.value.path).toBe('/recordings')
  })

  it('asks nothing when nothing was', async () => {
    const on = await show()
    await expect.element(end(words.in)).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.poll(() => on.router.currentRoute.value.path).toBe('/recordings')
  })
})

describe('what cannot be trimmed', () => {
  it.each([
    [words.gone, [listed(3)]],
    [words.flv, [listed(1, { format: 'flv' })]],
  ])('says so: %s', async (said, files) => {
    await show({ files })
    await expect.element(page.getByText(said)).toBeVisible()
    await expect.element(page.getByRole('link', { name: words.toRecordings })).toBeVisible()
  })

  it('is offered again after a failure', async () => {
    const on = await show({
      answers: {
        'recordings.all': () => {
          throw failed({ kind: 'code', code: 501 })
        },
      },
    })
    await expect.element(page.getByText(/^The live service had a fault/)).toBeVisible()
    on.client.answer({ 'recordings.all': () => ({ files: [listed(1)], more: false }) })
    await button(word.retry).click()
    await expect.element(end(words.in)).toBeVisible()
  })
})
