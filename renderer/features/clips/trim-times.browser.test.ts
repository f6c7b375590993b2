import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref } from 'vue'
import { spoken } from '../../format/languages.ts'
import { mounted } from '../../testing/mounted.ts'
import TrimTimes from './trim-times.vue'
import { trimWords } from './words.ts'

const { trim: words } = spoken(trimWords, 'en')

it('keeps what is being typed while the page changes, and gives the time back that was no other', async () => {
  const shown = ref(60_000)
  const typed: unknown[] = []
  const times = { from: '15:00:00', to: '15:10:00' }
  const onTyped = (...given: unknown[]): void => void typed.push(given)
  await mounted({ render: () => h(TrimTimes, { times, zoom: 0, shown: shown.value, onTyped }) })
  const field = page.getByLabelText(words.timeIn)
  await field.fill('15:03:00')
  shown.value = 30_000
  await expect.poll(() => document.body.textContent).toContain('0:30.0')
  await expect.element(field).toHaveValue('15:03:00')
  await userEvent.keyboard('{Enter}')
  expect(typed).toEqual([['from', '15:03:00']])
  await expect.element(field).toHaveValue('15:00:00')
})
