import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h, ref } from 'vue'
import { errorTable } from '../../../contract/errors.ts'
import { spoken } from '../../format/languages.ts'
import { channel, mounted } from '../../testing/mounted.ts'
import { frameWords } from '../frame/words.ts'
import BatchOutcome from './batch-outcome.vue'
import { useChannels, type BatchProcedure } from './channels.ts'

const en = spoken(frameWords, 'en')

const { batch: words } = en
const [one, other] = [channel(1), channel(2)]
const show = async (procedure: BatchProcedure, failing: readonly string[] = []) => {
  const open = ref(false)
  const part = {
    render: () => h(BatchOutcome, { open: open.value, 'onUpdate:open': (now: boolean) => (open.value = now) }),
  }
  const done = ({ cids }: { readonly cids: readonly string[] }) => ({
    results: cids.map((cid) => ({ cid, ok: !failing.includes(cid), code: failing.includes(cid) ? 630 : null })),
  })
  const shown = await mounted(part, { channels: [one, other], answers: { [`channels.${procedure}`]: done } })
  await useChannels(shown.pinia).batch(procedure, [one.cid, other.cid])
  open.value = true
  await expect.element(dialog()).toBeVisible()
  return { ...shown, open }
}
const dialog = () => page.getByRole('dialog')
const rows = () =>
  dialog()
    .getByRole('listitem')
    .elements()
    .map((row) => row.textContent)
const title = (text: string, ok: number): string => text.replace('{ok}', String(ok)).replace('{all}', '2')

describe('the report of a batch', () => {
  it.each(['disable', 'resume', 'remove'] as const)('has its outcome as title, and each channel: %s', async (what) => {
    await show(what)
    await expect.element(dialog()).toHaveAccessibleName(title(words.reportTitle[what], 2))
    expect(rows()).toEqual([`${one.name}${words.ok[what]}`, `${other.name}${words.ok[what]}`])
    await expect.element(dialog()).not.toMatchTextContent(words.failedStay)
  })

  it('says of each channel that failed why, and that it stays chosen', async () => {
    await show('resume', [other.cid])
    await expect.element(dialog()).toHaveAccessibleName(title(words.reportTitle.resume, 1))
    await expect.element(dialog()).toMatchTextContent(words.failedStay)
    const [done, failed] = rows()
    expect(done).toBe(`${one.name}${words.ok.resume}`)
    expect(failed).toContain(errorTable[630].sentence.en)
    expect(failed).not.toContain(words.ok.resume)
  })

  it('has a list with its title as name, which the keyboard can scroll', async () => {
    await show('disable', [one.cid])
    const list = dialog().getByRole('list', { name: title(words.reportTitle.disable, 1) })
    await expect.element(list).toHaveAttribute('tabindex', '0')
  })

  it('is closed by its button', async () => {
    const { open } = await show('disable')
    await dialog().getByRole('button', { name: en.word.close }).click()
    expect(open.value).toBe(false)
  })
})
