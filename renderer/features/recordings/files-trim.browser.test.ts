import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { RecordedFile } from '../../../contract/rpc/index.ts'
import { mounted, service, starting, type MountOptions } from '../../testing/mounted.ts'
import { recordedFile } from '../../testing/recorded-values.ts'
import { spoken } from '../../format/languages.ts'
import FilesTable from './files-table.vue'
import { recordingsWords } from './words.ts'

const { files: words } = spoken(recordingsWords, 'en')

const show = (files: readonly RecordedFile[], options: MountOptions = {}) =>
  mounted(FilesTable, {
    props: {
      rows: files.map((file) => ({ key: String(file.vid), group: null, file, part: null })),
      chosen: [],
      ordered: false,
      received: new Map(),
      former: new Map(),
      channels: null,
    },
    answers: { 'recordings.callbacks': () => ({ list: [], waiting: 0 }) },
    ...options,
  })
const focusRow = (name: string) => page.getByRole('button', { name: words.playThis.replace('{name}', name) }).click()
const open = (name: string) =>
  page
    .getByRole('row')
    .filter({ hasText: name })
    .getByRole('button', { name: /^Actions/ })
    .click()

describe('a recording', () => {
  it('is trimmed by E on its row', async () => {
    const { router, pass } = await show([recordedFile(1), recordedFile(2)])
    await focusRow('file-2')
    // Listeners hear nothing of the moment at which they came.
    await pass(1)
    await userEvent.keyboard('e')
    await expect.poll(() => router.currentRoute.value.path).toBe('/recordings/trim/2')
  })

  it('is trimmed from its menu', async () => {
    const { router } = await show([recordedFile(1)])
    await open('file-1')
    await page.getByRole('menuitem', { name: starting(words.trim) }).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/recordings/trim/1')
  })

  it('in FLV is not, and its menu says why', async () => {
    const { router, pass } = await show([recordedFile(1, { format: 'flv' })])
    await focusRow('file-1')
    await pass(1)
    await userEvent.keyboard('e')
    await open('file-1')
    await expect
      .element(page.getByRole('menuitem', { name: starting(words.trimFlv) }))
      .toHaveAttribute('aria-disabled', 'true')
    expect(router.currentRoute.value.path).toBe('/channels')
  })

  it('is not while the service restarts', async () => {
    const { router, tell, pass } = await show([recordedFile(1)])
    await focusRow('file-1')
    await pass(1)
    await tell(service('restarting'))
    await userEvent.keyboard('e')
    expect(router.currentRoute.value.path).toBe('/channels')
  })
})
