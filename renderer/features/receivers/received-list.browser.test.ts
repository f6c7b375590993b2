import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h } from 'vue'
import type { Delivery } from '../../../contract/rpc/receivers.ts'
import { frameWords } from '../frame/words.ts'
import { spoken } from '../../format/languages.ts'
import { makeDeliveries } from '../../testing/fake-state.ts'
import { began, mounted } from '../../testing/mounted.ts'
import { callbacksWords } from '../recordings/words-callbacks.ts'
import ReceivedList from './received-list.vue'

const en = spoken(frameWords, 'en')
const { receiver: words } = spoken(callbacksWords, 'en')
const [first] = makeDeliveries(began) as [Delivery, ...Delivery[]]

const show = async (deliveries: readonly Delivery[]) => {
  const told: unknown[] = []
  await mounted({
    render: () =>
      h(ReceivedList, {
        deliveries,
        on: true,
        busy: null,
        onReplay: ({ id }: Delivery) => told.push(['replay', id]),
        onTamper: ({ id }: Delivery) => told.push(['tamper', id]),
      }),
  })
  return told
}
const summary = () => document.querySelector('summary')?.textContent?.trim()

it('callbacks are named by their file, else by where they came from', async () => {
  await show([{ ...first, fields: { video_name: 'show_1' } }])
  expect(summary()).toMatch(/ · show_1$/)
})

it('callbacks without a file are named by where they came from', async () => {
  await show([{ ...first, from: '192.0.2.7', fields: {} }])
  expect(summary()).toMatch(/ · 192\.0\.2\.7$/)
})

it('a callback says why it was turned away', async () => {
  await show([{ ...first, verdict: 'forged', why: { code: 'signature', params: {} } }])
  await expect.element(page.getByRole('listitem')).toMatchTextContent(en.reason.callback.signature)
})

it.each(['replay', 'tamper'] as const)('a callback is tried out by its own button: %s', async (what) => {
  const told = await show([first, { ...first, id: 3, verdict: 'duplicate' }])
  const name = words[`${what}This`].replace('{n}', '3')
  await page.getByRole('button', { name, exact: true }).click()
  expect(told).toEqual([[what, 3]])
})
