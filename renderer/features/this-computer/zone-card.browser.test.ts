import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { ServiceChange } from '../../../contract/rpc/index.ts'
import { makeComputer } from '../../testing/fake-computer.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { computerWords } from './words.ts'
import ZoneCard from './zone-card.vue'

const en = spoken(frameWords, 'en')
const computerEn = spoken(computerWords, 'en')
const computerZh = spoken(computerWords, 'zh')

const { zone: words, ports, outcome } = computerEn.computer
const answer = (change: Partial<ServiceChange> = {}): ServiceChange => ({
  outcome: 'done',
  listener: null,
  by: null,
  ...change,
})
const show = (chosen: string | null = null, options: Parameters<typeof mounted>[1] = {}) =>
  mounted(ZoneCard, {
    path: '/settings/computer',
    props: { computer: { ...makeComputer('full', began), timeZone: { chosen, system: 'Asia/Shanghai' } } },
    ...options,
  })
const zone = () => page.getByRole('combobox', { name: words.label })
const save = () => page.getByRole('button', { name: ports.save })
const dialog = () => page.getByRole('dialog')

describe('the time zone', () => {
  it('is that of the system at first, with the time there, and nothing is to be saved', async () => {
    const { client } = await show()
    await expect.element(zone()).toHaveValue('')
    await expect.element(page.getByText(/^It is 2026-11-26 16:00 there, UTC\+8\./)).toMatchTextContent(words.steady)
    await expect.element(save()).toHaveAttribute('aria-disabled', 'true')
    await save().click({ force: true })
    expect(client.inputs('computer.setTimeZone')).toEqual([])
  })

  it('says before it is saved what time it is there and when the clocks change', async () => {
    await show()
    await zone().selectOptions('Europe/Berlin')
    await expect
      .element(page.getByText(/^It is 2026-11-26 09:00 there, UTC\+1\./))
      .toMatchTextContent(/On 2027-03-28 .* the clocks go to UTC\+2\./)
  })

  it('is set by the button, once', async () => {
    const gate = Promise.withResolvers<ServiceChange>()
    const { client } = await show(null, { answers: { 'computer.setTimeZone': () => gate.promise } })
    await zone().selectOptions('Europe/Berlin')
    await save().click()
    await save().click({ force: true })
    gate.resolve(answer())
    await expect.element(page.getByRole('status')).toHaveTextContent(outcome.done)
    expect(client.inputs('computer.setTimeZone')).toEqual([{ timeZone: 'Europe/Berlin', evenOnAir: false }])
  })

  it('becomes that of the system again', async () => {
    const { client } = await show('Europe/Berlin', { answers: { 'computer.setTimeZone': () => answer() } })
    await expect.element(zone()).toHaveValue('Europe/Berlin')
    await zone().selectOptions('')
    await save().click()
    await expect.poll(() => client.inputs('computer.setTimeZone')).toEqual([{ timeZone: null, evenOnAir: false }])
  })

  it('is set while a channel is on air only after a question', async () => {
    const { client } = await show(null, {
      answers: { 'computer.setTimeZone': ({ evenOnAir }) => answer({ outcome: evenOnAir ? 'done' : 'onAir' }) },
    })
    await zone().selectOptions('Europe/Berlin')
    await save().click()
    await expect.element(dialog()).toMatchTextContent(ports.onAir)
    await dialog().getByRole('button', { name: ports.confirm }).click()
    await expect.element(page.getByText(outcome.done)).toBeVisible()
    expect(client.inputs('computer.setTimeZone')).toEqual([
      { timeZone: 'Europe/Berlin', evenOnAir: false },
      { timeZone: 'Europe/Berlin', evenOnAir: true },
    ])
  })

  it.each(['moving', 'notRunning', 'unknown'] as const)('that was not taken says so: %s', async (what) => {
    await show(null, { answers: { 'computer.setTimeZone': () => answer({ outcome: what }) } })
    await zone().selectOptions('Europe/Berlin')
    await save().click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(outcome[what])
    await zone().selectOptions('Asia/Tokyo')
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  })

  it('closes the question and says why, when it could not be set', async () => {
    const { client } = await show(null, { answers: { 'computer.setTimeZone': () => answer({ outcome: 'onAir' }) } })
    await zone().selectOptions('Europe/Berlin')
    await save().click()
    await expect.element(dialog()).toBeVisible()
    client.answer({
      'computer.setTimeZone': () => {
        throw failed({ kind: 'full' })
      },
    })
    await dialog().getByRole('button', { name: ports.confirm }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
  })

  it('has its words in Chinese', async () => {
    await show(null, { language: 'zh' })
    const { zone: zh } = computerZh.computer
    await expect.element(page.getByRole('combobox', { name: zh.label })).toBeVisible()
    await expect.element(page.getByRole('group', { name: zh.title })).toMatchTextContent(zh.steady)
  })
})
