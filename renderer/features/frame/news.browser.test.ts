import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { defineComponent, h } from 'vue'
import type { Delivery } from '../../../contract/rpc/index.ts'
import { mounted } from '../../testing/mounted.ts'
import { receivedCallback } from '../../testing/recorded-values.ts'
import { useCallbackNews } from './callback-news.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from './words.ts'

const en = spoken(frameWords, 'en')

const { callback } = en.toast
const toast = (title: string) => page.getByText(title, { exact: true }).first()

describe('a callback that came in', () => {
  const show = () =>
    mounted(
      defineComponent({
        setup() {
          useCallbackNews()
          return () => h('p')
        },
      }),
    )
  const came = (change: Partial<Delivery>) =>
    ({ type: 'delivery', profileId: 'local', delivery: receivedCallback(1, change) }) as const

  it('is told with the name of its file', async () => {
    const { tell } = await show()
    await tell(came({}))
    await expect.element(toast(callback.accepted)).toBeVisible()
    await expect.element(toast('file-1')).toBeVisible()
  })

  it('with a wrong signature is told with where it came from', async () => {
    const { tell } = await show()
    await tell(came({ verdict: 'forged', from: '10.1.2.3' }))
    await expect.element(toast(callback.refused)).toBeVisible()
    await expect.element(toast('10.1.2.3')).toBeVisible()
  })

  it.each([
    ['a test of the app itself', { test: 'replay' }],
    ['a duplicate', { verdict: 'duplicate' }],
  ] as const)('is not told of when it is %s', async (_case, change) => {
    const { tell } = await show()
    await tell(came(change))
    expect(toast(callback.accepted).query()).toBeNull()
    expect(toast(callback.refused).query()).toBeNull()
  })

  it('that cannot be read is told as refused', async () => {
    const { tell } = await show()
    await tell(came({ verdict: 'unreadable', fields: {}, from: '10.9.8.7' }))
    await expect.element(toast(callback.refused)).toBeVisible()
    await expect.element(toast('10.9.8.7')).toBeVisible()
    expect(toast(callback.accepted).query()).toBeNull()
  })

  it('is told without a name where its file has none', async () => {
    const { tell } = await show()
    await tell(came({ fields: {} }))
    await expect.element(toast(callback.accepted)).toBeVisible()
    expect(toast(callback.refused).query()).toBeNull()
  })

  it('is told each time that one comes', async () => {
    const { tell } = await show()
    await tell(came({}))
    await tell({ type: 'delivery', profileId: 'local', delivery: receivedCallback(2) })
    await expect.element(toast('file-1')).toBeVisible()
    await expect.element(toast('file-2')).toBeVisible()
  })
})
