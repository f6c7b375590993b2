import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { spoken } from '../../format/languages.ts'
import { failed } from '../../testing/memory-client.ts'
import { channel, mounted, service, starting, type MountOptions } from '../../testing/mounted.ts'
import { frameWords } from '../frame/words.ts'
import BatchBar from './batch-bar.vue'
import { useDialogs } from './dialogs.ts'
import { rowsOf } from './rows.ts'

const en = spoken(frameWords, 'en')

const { batch: words } = en
const live = channel(1, { status: 1 })
const recorded = channel(2, { status: 3, needRecord: true })
const idle = channel(3)
const armed = channel(4, { needRecord: true })
const disabled = channel(5, { status: 2 })
const other = channel(6, { status: 2 })
const all = [live, recorded, idle, armed, disabled, other]
const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values).reduce((said, [name, value]) => said.replace(`{${name}}`, String(value)), text)
const show = async (chosen: readonly (typeof live)[], options: MountOptions = {}) => {
  let cleared = 0
  const shown = await mounted(BatchBar, {
    channels: all,
    ...options,
    props: { rows: rowsOf(chosen, undefined, () => null), onClear: () => (cleared += 1) },
  })
  return { ...shown, cleared: () => cleared }
}
const answer =
  (...failing: readonly string[]) =>
  ({ cids }: { readonly cids: readonly string[] }) => ({
    results: cids.map((cid) => ({ cid, ok: !failing.includes(cid), code: failing.includes(cid) ? 630 : null })),
  })
const button = (name: string) => page.getByRole('button', { name })
const said = () => page.getByRole('status')

describe('the bar of chosen channels', () => {
  it('counts them by what they are, those that are recorded among those on air', async () => {
    await show(all)
    await expect.element(said()).toMatchTextContent(filled(words.selected, { n: 6 }))
    const kinds = [
      filled(words.count.live, { n: 2 }),
      filled(words.count.armed, { n: 1 }),
      filled(words.count.idle, { n: 1 }),
      filled(words.count.disabled, { n: 2 }),
    ]
    await expect.element(page.getByText(kinds.join(' · '), { exact: true })).toBeVisible()
  })

  it('leaves out a kind of which none is chosen', async () => {
    await show([idle])
    await expect.element(page.getByText(filled(words.count.idle, { n: 1 }), { exact: true })).toBeVisible()
  })

  it('lets them go by its button', async () => {
    const { cleared } = await show([idle])
    await page.getByRole('button', { name: starting(words.clear) }).click()
    expect(cleared()).toBe(1)
  })

  it('disables those only that are not disabled, and resumes the others', async () => {
    const { client } = await show([idle, armed, disabled], {
      answers: { 'channels.disable': answer(), 'channels.resume': answer() },
    })
    await button(filled(words.disable, { n: 2 })).click()
    await expect.poll(() => client.inputs('channels.disable').map(({ cids }) => cids)).toEqual([[idle.cid, armed.cid]])
    await button(filled(words.resume, { n: 1 })).click()
    await expect.poll(() => client.inputs('channels.resume').map(({ cids }) => cids)).toEqual([[disabled.cid]])
  })

  it.each([
    ['on air', live],
    ['recorded', recorded],
  ] as const)('asks before it disables one that is %s', async (_case, one) => {
    const { client, pinia } = await show([one, idle])
    await button(filled(words.disable, { n: 2 })).click()
    expect(useDialogs(pinia).question).toEqual({ kind: 'disable', cids: [one.cid, idle.cid] })
    expect(client.inputs('channels.disable')).toEqual([])
  })

  it('resumes without a question though one of them is on air', async () => {
    const { client, pinia } = await show([live, disabled], { answers: { 'channels.resume': answer() } })
    await button(filled(words.resume, { n: 1 })).click()
    await expect.poll(() => client.inputs('channels.resume')).toHaveLength(1)
    expect(useDialogs(pinia).question).toBeNull()
  })

  it('asks before it deletes all of them', async () => {
    const { pinia } = await show([idle, disabled])
    await button(filled(words.remove, { n: 2 })).click()
    expect(useDialogs(pinia).question).toEqual({ kind: 'remove', cids: [idle.cid, disabled.cid] })
  })

  it('says that all of them are disabled already', async () => {
    const { client } = await show([disabled, other])
    const disable = button(en.word.disable)
    await expect.element(disable).toHaveAttribute('title', words.noneUsable)
    await expect.element(disable).toHaveAttribute('aria-disabled', 'true')
    await disable.click({ force: true })
    expect(client.inputs('channels.disable')).toEqual([])
  })

  it('does nothing while the service is down, and each button says so', async () => {
    const { client, pinia, tell } = await show([idle, disabled])
    await tell(service('restarting'))
    const names = [
      filled(words.disable, { n: 1 }),
      filled(words.resume, { n: 1 }),
      filled(words.remove, { n: 2 }),
    ] as const
    for (const name of names) {
      await expect.element(button(name)).toHaveAttribute('title', en.blocker.down)
      await expect.element(button(name)).toHaveAttribute('aria-disabled', 'true')
      await button(name).click({ force: true })
    }
    expect([client.inputs('channels.disable'), client.inputs('channels.resume')]).toEqual([[], []])
    expect(useDialogs(pinia).question).toBeNull()
  })

  it('does one thing at a time, and says that one is under way', async () => {
    const going = Promise.withResolvers<ReturnType<ReturnType<typeof answer>>>()
    const { client, pinia } = await show([idle, disabled], { answers: { 'channels.disable': () => going.promise } })
    await button(filled(words.disable, { n: 1 })).click()
    const resume = button(filled(words.resume, { n: 1 }))
    await expect.element(resume).toHaveAttribute('title', words.busy)
    await resume.click({ force: true })
    await button(filled(words.remove, { n: 2 })).click({ force: true })
    expect([client.inputs('channels.resume'), useDialogs(pinia).question]).toEqual([[], null])
    going.resolve(answer()({ cids: [idle.cid] }))
    await expect.element(resume).not.toHaveAttribute('title')
  })
})

describe('the report in the bar of chosen channels', () => {
  it('says how many of the last batch were done, and when', async () => {
    await show([idle, armed], { answers: { 'channels.disable': answer() } })
    await button(filled(words.disable, { n: 2 })).click()
    await expect.element(said()).toMatchTextContent(filled(words.last.disable, { ok: 2, all: 2, time: '16:00' }))
    // All of them were done: there is a check, and no dialog.
    expect(said().element().querySelector('.text-armt')).toBeNull()
  })

  it('opens at once where some failed, and by its button later', async () => {
    const { pinia } = await show([disabled, other], { answers: { 'channels.resume': answer(other.cid) } })
    await button(filled(words.resume, { n: 2 })).click()
    await expect.element(said()).toMatchTextContent(filled(words.last.resume, { ok: 1, all: 2, time: '16:00' }))
    expect(said().element().querySelector('.text-armt')).not.toBeNull()
    expect(useDialogs(pinia).question).toEqual({ kind: 'report' })
    useDialogs(pinia).close()
    await button(words.report).click()
    expect(useDialogs(pinia).question).toEqual({ kind: 'report' })
  })

  it('does not open where all were done', async () => {
    const { pinia } = await show([disabled, other], { answers: { 'channels.resume': answer() } })
    await button(filled(words.resume, { n: 2 })).click()
    await expect.element(button(words.report)).toBeVisible()
    expect(useDialogs(pinia).question).toBeNull()
  })

  it('is dismissed, and comes again with the next batch', async () => {
    await show([disabled, other], { answers: { 'channels.resume': answer() } })
    await button(filled(words.resume, { n: 2 })).click()
    await button(words.dismiss).click()
    await expect.element(button(words.report)).not.toBeInTheDocument()
    await button(filled(words.resume, { n: 2 })).click()
    await expect.element(button(words.report)).toBeVisible()
  })

  it('is none of a single channel, whose failure stands at its row', async () => {
    const fail = () => {
      throw failed({ kind: 'late' })
    }
    const { client, pinia } = await show([disabled], { answers: { 'channels.resume': fail } })
    await button(filled(words.resume, { n: 1 })).click()
    await expect.poll(() => client.inputs('channels.resume')).toHaveLength(1)
    await expect.element(button(filled(words.resume, { n: 1 }))).not.toHaveAttribute('title')
    expect([button(words.report).query(), useDialogs(pinia).question]).toEqual([null, null])
  })
})
