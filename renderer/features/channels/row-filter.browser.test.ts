import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref } from 'vue'
import { spoken } from '../../format/languages.ts'
import { mounted } from '../../testing/mounted.ts'
import { frameWords } from '../frame/words.ts'
import RowFilterTabs from './row-filter.vue'
import type { RowFilter } from './rows.ts'

const en = spoken(frameWords, 'en')

const names = [en.channels.all, en.tally.live, en.tally.armed, en.tally.disabled] as const
const values = ['all', 'onAir', 'armed', 'disabled'] as const
const show = async (first: RowFilter, counts: Readonly<Record<RowFilter, number | null>>) => {
  const filter = ref(first)
  const part = {
    render: () =>
      h(RowFilterTabs, {
        counts,
        modelValue: filter.value,
        'onUpdate:modelValue': (now: RowFilter) => (filter.value = now),
      }),
  }
  await mounted(part)
  return filter
}
const none = { all: null, onAir: null, armed: null, disabled: null }
const radio = (name: string) => page.getByRole('radio', { name: new RegExp(`^${name}`) })

describe('the groups of channels', () => {
  it('are named, each with its count, and a dash where that is not known', async () => {
    await show('all', { all: 12, onAir: 0, armed: 3, disabled: null })
    await expect.element(page.getByRole('radiogroup')).toHaveAccessibleName(en.channels.filter)
    const said = page
      .getByRole('radio')
      .elements()
      .map(({ textContent }) => textContent)
    expect(said).toEqual([`${names[0]}12`, `${names[1]}0`, `${names[2]}3`, `${names[3]}–`])
  })

  it('are chosen by a click', async () => {
    const filter = await show('disabled', none)
    for (const [index, name] of names.entries()) {
      await radio(name).click()
      expect(filter.value).toBe(values[index])
      await expect.element(radio(name)).toBeChecked()
    }
    await expect.element(radio(names[0])).not.toBeChecked()
  })

  it('are one stop of the Tab key, at the one that is chosen', async () => {
    await show('armed', none)
    const stops = page
      .getByRole('radio')
      .elements()
      .map((each) => each.getAttribute('tabindex'))
    expect(stops).toEqual(['-1', '-1', '0', '-1'])
  })

  it('are turned through by the arrow keys, round the ends', async () => {
    const filter = await show('disabled', none)
    await radio(names[3]).click()
    await userEvent.keyboard('{ArrowRight}')
    expect(filter.value).toBe('all')
    await expect.element(radio(names[0])).toHaveFocus()
    await userEvent.keyboard('{ArrowLeft}')
    expect(filter.value).toBe('disabled')
  })
})
