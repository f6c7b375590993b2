import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { CopyReceiver } from '../../../contract/rpc/index.ts'
import { copyKindsAtFirst } from '../../../contract/operations/copy-kinds.ts'
import { useCompanion } from '../../data/companion.ts'
import { spoken } from '../../format/languages.ts'
import { failed } from '../../testing/memory-client.ts'
import { mounted, service, type MountOptions } from '../../testing/mounted.ts'
import { callbacksWords } from '../recordings/words-callbacks.ts'
import CopiesPanel from './copies-panel.vue'
import { copiesWords } from './words.ts'

const { receiver: receiverWords } = spoken(callbacksWords, 'en')
const { copies: words } = spoken(copiesWords, 'en')
const here = 'http://127.0.0.1:9001/copy'
const there = 'https://hooks.example.com/copy'
const receiver: CopyReceiver = {
  profileId: 'local',
  phase: 'listening',
  host: '127.0.0.1',
  port: 9001,
  url: here,
  reason: null,
  open: false,
  verification: 'checked',
  ignored: 0,
}
const show = (options: MountOptions & { readonly state?: Partial<CopyReceiver> } = {}) =>
  mounted(CopiesPanel, {
    path: '/settings/copies',
    ...options,
    answers: {
      'copies.state': ({ profileId }) => ({ ...receiver, ...options.state, profileId }),
      'copies.list': () => [],
      'copies.target': () => ({ url: there, kinds: [4, 2] }),
      'copies.setTarget': () => undefined,
      ...options.answers,
    },
  })
const address = () => page.getByRole('textbox', { name: receiverWords.address })
const box = (kind: 1 | 2 | 3 | 4) => page.getByRole('checkbox', { name: words.kind[kind], exact: true })
const goesTo = () => page.getByRole('status').filter({ hasText: words.goesTo })
const button = (name: string) => page.getByRole('button', { name, exact: true })

describe('the target of copies', () => {
  it('is shown as it is set, with its kinds', async () => {
    await show()
    await expect.element(goesTo()).toMatchTextContent(there)
    await expect.element(address()).toHaveValue(there)
    for (const kind of [1, 2, 3, 4] as const)
      await expect.element(box(kind)).toHaveAttribute('aria-checked', String(kind === 2 || kind === 4))
  })

  it('is set to what was entered, without the space around it, with the kinds in their order', async () => {
    const { client } = await show()
    await box(1).click()
    await box(4).click()
    await address().fill(' https://other.example/copy ')
    await button(words.set).click()
    await expect
      .poll(() => client.inputs('copies.setTarget'))
      .toEqual([{ profileId: 'local', url: 'https://other.example/copy', kinds: [1, 2] }])
    await expect.element(goesTo()).toMatchTextContent('https://other.example/copy')
  })

  it('is this receiver by a button, which is not there while nothing listens', async () => {
    await show()
    await button(words.useHere).click()
    await expect.element(address()).toHaveValue(here)
    expect(button(words.useHere).query()).toBeNull()
  })

  it('has no button for this receiver while it does not listen', async () => {
    await show({ state: { phase: 'off', url: null } })
    await expect.element(address()).toHaveValue(there)
    expect(button(words.useHere).query()).toBeNull()
  })

  it('is suggested as soon as this receiver listens, and not over what was entered', async () => {
    const { tell } = await show({
      state: { phase: 'off', url: null },
      answers: { 'copies.target': () => ({ url: null, kinds: [...copyKindsAtFirst] }) },
    })
    await expect.element(address()).toHaveValue('')
    await tell({ type: 'copyReceiver', receiver })
    await expect.element(address()).toHaveValue(here)
    await address().fill(there)
    await tell({ type: 'copyReceiver', receiver: { ...receiver, url: 'http://127.0.0.1:9002/copy' } })
    await expect.element(address()).toHaveValue(there)
  })

  it('is not known while the service is down, cannot be set then, and is read when it is back', async () => {
    const { client, tell } = await show({ events: [service('restarting')] })
    await expect.element(page.getByText(words.unknown)).toBeVisible()
    expect(client.inputs('copies.target')).toEqual([])
    await address().fill(there)
    await expect.element(button(words.set)).toHaveAttribute('aria-disabled', 'true')
    await tell(service('running'))
    await expect.element(goesTo()).toMatchTextContent(there)
    await expect.element(button(words.set)).toHaveAttribute('aria-disabled', 'false')
  })
})

describe('the panel of copies', () => {
  it('reads everything again when the line to the app is back, and for another profile', async () => {
    const { client, lose, pinia } = await show()
    await expect.element(address()).toBeVisible()
    await lose()
    const before = client.inputs('copies.state').length
    useCompanion(pinia).lineIs('open')
    await expect.poll(() => client.inputs('copies.state').length).toBe(before + 1)
    useCompanion(pinia).choose('hosted-1')
    await expect.poll(() => client.inputs('copies.state').at(-1)).toEqual({ profileId: 'hosted-1' })
  })

  it('starts and stops its receiver', async () => {
    const off = { ...receiver, phase: 'off', url: null } as const
    const { client } = await show({
      answers: { 'copies.stop': () => off, 'copies.start': () => receiver },
    })
    await button(receiverWords.stop).click()
    await expect.poll(() => client.inputs('copies.stop')).toEqual([{ profileId: 'local' }])
    await button(receiverWords.start).click()
    await expect
      .poll(() => client.inputs('copies.start'))
      .toEqual([{ profileId: 'local', host: '127.0.0.1', port: 9001 }])
    await expect.element(button(receiverWords.stop)).toBeVisible()
  })

  it('says why its receiver could not be read, and shows none then', async () => {
    await show({
      answers: {
        'copies.state': () => {
          throw failed({ kind: 'full' })
        },
      },
    })
    await expect.element(page.getByRole('alert')).toBeVisible()
    expect(address().query()).toBeNull()
    expect(button(receiverWords.stop).query()).toBeNull()
  })
})
