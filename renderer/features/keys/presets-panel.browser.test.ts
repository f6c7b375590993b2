import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { failed } from '../../testing/memory-client.ts'
import { mounted, settingsWith, type MountOptions } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { moderatorWords } from '../remote-rooms/words-seat.ts'
import PresetsPanel from './presets-panel.vue'

const en = spoken(frameWords, 'en')
const moderatorEn = spoken(moderatorWords, 'en')

const { presets: words } = moderatorEn.moderator
const show = (options: MountOptions = {}) =>
  mounted(PresetsPanel, {
    ...options,
    answers: { 'app.changeSettings': (change) => settingsWith(change), ...options.answers },
  })
const amount = (n: number) => page.getByRole('textbox', { name: words.amount.replace('{n}', String(n)) })
const unit = (n: number) => page.getByRole('combobox', { name: words.unit.replace('{n}', String(n)) })
const button = (name: string) => page.getByRole('button', { name, exact: true })

describe('presets of a mute', () => {
  it('are kept in seconds, in their order', async () => {
    const { client } = await show({ settings: { mutePresets: [60, 0] } })
    await expect.element(amount(1)).toHaveValue('1')
    await amount(1).fill('90')
    await unit(1).selectOptions('seconds')
    await button(words.save).click()
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([{ mutePresets: [90, 0] }])
    await expect.element(page.getByText(words.saved)).toBeVisible()
  })

  it.each([
    ['0', 'minutes', words.fault.number],
    ['31', 'days', words.fault.most],
    ['10', 'minutes', words.fault.twice],
  ])('are not kept with %s %s, and say why', async (entered, of, says) => {
    const { client } = await show({ settings: { mutePresets: [600, 60] } })
    await amount(2).fill(entered)
    await unit(2).selectOptions(of)
    await expect.element(page.getByText(says)).toBeVisible()
    await button(words.save).click({ force: true })
    expect(client.inputs('app.changeSettings')).toEqual([])
  })

  it('are six at most and one at least', async () => {
    await show({ settings: { mutePresets: [60, 600, 3600, 7200, 86_400] } })
    await button(words.add).click()
    expect(button(words.add).query()).toBeNull()
    for (let n = 6; n > 1; n--) await button(words.remove.replace('{n}', String(n))).click()
    expect(button(words.remove.replace('{n}', '1')).query()).toBeNull()
    await expect.element(amount(1)).toHaveValue('1')
  })

  it('are saved only once something is changed, and say so until the next change', async () => {
    await show({ settings: { mutePresets: [60, 600] } })
    await expect.element(button(words.save)).toHaveAttribute('aria-disabled', 'true')
    expect(page.getByText(words.saved, { exact: true }).query()).toBeNull()
    await amount(1).fill('2')
    await expect.element(button(words.save)).not.toHaveAttribute('aria-disabled', 'true')
    await button(words.save).click()
    await expect.element(page.getByText(words.saved, { exact: true })).toBeVisible()
    await expect.element(button(words.save)).toHaveAttribute('aria-disabled', 'true')
    await amount(1).fill('3')
    await expect.element(page.getByText(words.saved, { exact: true })).not.toBeInTheDocument()
  })

  it('have no amount while one is until lifted', async () => {
    const { client } = await show({ settings: { mutePresets: [60, 600] } })
    await unit(2).selectOptions('lifted')
    await expect.element(amount(2)).toBeDisabled()
    await expect.element(amount(2)).toHaveValue('')
    await button(words.save).click()
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([{ mutePresets: [60, 0] }])
  })

  it('follow what another window set', async () => {
    const { tell } = await show({ settings: { mutePresets: [60, 600] } })
    await tell({ type: 'settings', settings: settingsWith({ mutePresets: [7_200] }) })
    await expect.element(amount(1)).toHaveValue('2')
    await expect.element(unit(1)).toHaveValue('hours')
    expect(amount(2).query()).toBeNull()
  })

  it('say why they were not kept, and stay as they were typed', async () => {
    await show({
      settings: { mutePresets: [60, 600] },
      answers: {
        'app.changeSettings': () => {
          throw failed({ kind: 'full' })
        },
      },
    })
    await amount(1).fill('2')
    await button(words.save).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
    await expect.element(amount(1)).toHaveValue('2')
    expect(page.getByText(words.saved, { exact: true }).query()).toBeNull()
  })

  it('have the key of each beside them', async () => {
    await show({ settings: { mutePresets: [60, 600], roomKeys: { preset2: ['z'] } } })
    await expect
      .poll(() => [...document.querySelectorAll('ol kbd')].map((each) => each.textContent))
      .toEqual(['1', 'Z'])
  })

  it('go back to the usual ones', async () => {
    const { client } = await show({ settings: { mutePresets: [90] } })
    await button(words.usual).click()
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([{ mutePresets: null }])
    await expect.element(amount(5)).toHaveValue('7')
  })
})
