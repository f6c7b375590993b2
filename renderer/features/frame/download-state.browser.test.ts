import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { Download } from '../../../contract/rpc/state.ts'
import { spoken } from '../../format/languages.ts'
import type { Answers } from '../../testing/memory-client.ts'
import { mounted } from '../../testing/mounted.ts'
import DownloadState from './download-state.vue'
import { reasonWords } from './words-reason.ts'
import { frameWords } from './words.ts'

const en = spoken(frameWords, 'en')

const { download: words } = en
const { download: reasons } = spoken(reasonWords, 'en').reason
const show = (change: Partial<Download>, answers: Answers = {}) =>
  mounted(DownloadState, {
    about: { capabilities: ['desktopDownload'] },
    answers,
    events: [
      { type: 'download', download: { phase: 'downloading', received: 0, total: 100, reason: null, ...change } },
    ],
  })
const text = () => document.querySelector('#app span[title]')?.textContent
const cancel = () => page.getByRole('button', { name: words.cancel })
const bar = () => page.getByRole('progressbar')

describe('the fetch of the desktop window', () => {
  it.each([
    ['99 until its last byte is there', { received: 999_999, total: 1_000_000 }, '99'],
    ['100 with its last byte', { received: 1_000_000, total: 1_000_000 }, '100'],
    ['0 at its begin', { received: 0, total: 1_000_000 }, '0'],
  ] as const)('is told in whole per cent that are done: %s', async (_case, change, percent) => {
    await show(change)
    expect(text()).toBe(words.downloading.replace('{percent}', percent))
    await expect.element(bar()).toHaveAttribute('aria-valuenow', percent)
  })

  it('is told in bytes where its size is told as 0', async () => {
    await show({ received: 2_500_000, total: 0 })
    expect(text()).toBe(words.received.replace('{size}', '2.50 MB'))
  })

  it.each(['connecting', 'downloading'] as const)('has a named bar and can be called off: %s', async (phase) => {
    await show({ phase })
    await expect.element(bar()).toHaveAccessibleName(text()!)
    await expect.element(cancel()).toBeVisible()
  })

  it.each(['done', 'failed'] as const)('cannot be called off, and has no bar, once it ended: %s', async (phase) => {
    await show({ phase })
    await expect.poll(text).toBeDefined()
    expect([bar().query(), cancel().query()]).toEqual([null, null])
  })

  it.each(['none', 'cancelled'] as const)('is not told of where there is none: %s', async (phase) => {
    await show({ phase })
    expect(text()).toBeUndefined()
    expect(cancel().query()).toBeNull()
  })

  it('says why it failed, and that it failed where no reason is told', async () => {
    const { tell } = await show({ phase: 'failed', reason: { code: 'full', params: {} } })
    expect(text()).toBe(words.failed.replace('{reason}', reasons.full))
    await tell({ type: 'download', download: { phase: 'failed', received: 0, total: null, reason: null } })
    await expect.poll(text).toBe(words.failed.replace('{reason}', ''))
  })

  it('is called off once, however often the button is pressed, and can be again where that failed', async () => {
    const gate = Promise.withResolvers<undefined>()
    const { client } = await show({}, { 'app.cancelDownload': () => gate.promise })
    await cancel().click()
    await expect.element(cancel()).toHaveAttribute('aria-disabled', 'true')
    await cancel().click({ force: true })
    gate.reject(new Error('refused'))
    await expect.element(cancel()).toHaveAttribute('aria-disabled', 'false')
    expect(client.inputs('app.cancelDownload').length).toBe(1)
    await cancel().click()
    await expect.poll(() => client.inputs('app.cancelDownload').length).toBe(2)
  })
})
