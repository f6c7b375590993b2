import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { CopyReceiver } from '../../../contract/rpc/index.ts'
import { failed } from '../../testing/memory-client.ts'
import { mounted, type MountOptions } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { callbacksWords } from '../recordings/words-callbacks.ts'
import { copiesWords } from './words.ts'
import CopiesPanel from './copies-panel.vue'

const callbacksEn = spoken(callbacksWords, 'en')
const copiesEn = spoken(copiesWords, 'en')

const { copies: words } = copiesEn
const receiver: CopyReceiver = {
  profileId: 'local',
  phase: 'listening',
  host: '127.0.0.1',
  port: 9001,
  url: 'http://127.0.0.1:9001/copy',
  reason: null,
  open: false,
  verification: 'checked',
  ignored: 0,
}
const there = 'https://hooks.example.com/copy'
const show = (options: MountOptions & { readonly state?: Partial<CopyReceiver> } = {}) =>
  mounted(CopiesPanel, {
    path: '/settings/copies',
    ...options,
    answers: {
      'copies.state': ({ profileId }) => ({ ...receiver, ...options.state, profileId }),
      'copies.list': () => [],
      'copies.target': () => ({ url: there, kinds: [2] }),
      'copies.setTarget': () => undefined,
      ...options.answers,
    },
  })
const address = () => page.getByRole('textbox', { name: callbacksEn.receiver.address })
const box = (kind: 1 | 2 | 3 | 4) => page.getByRole('checkbox', { name: words.kind[kind], exact: true })
const button = (name: string) => page.getByRole('button', { name, exact: true })

describe('where copies of messages go', () => {
  it('is this receiver where none is set yet', async () => {
    await show({ answers: { 'copies.target': () => ({ url: null, kinds: [1, 4] }) } })
    await expect.element(page.getByText(words.nowhere)).toBeVisible()
    await expect.element(address()).toHaveValue(receiver.url!)
    expect(button(words.useHere).query()).toBeNull()
    expect(button(words.end).query()).toBeNull()
  })

  it('is not set without an address or a kind', async () => {
    const { client } = await show()
    await box(2).click()
    await expect.element(button(words.set)).toHaveAttribute('aria-disabled', 'true')
    await button(words.set).click({ force: true })
    await box(2).click()
    await expect.element(button(words.set)).toHaveAttribute('aria-disabled', 'false')
    await address().fill('  ')
    await expect.element(button(words.set)).toHaveAttribute('aria-disabled', 'true')
    await userEvent.keyboard('{Enter}')
    expect(client.inputs('copies.setTarget')).toEqual([])
  })

  it('is ended by its button', async () => {
    const { client } = await show()
    await button(words.end).click()
    await expect.poll(() => client.inputs('copies.setTarget')).toEqual([{ profileId: 'local', url: null, kinds: [2] }])
    await expect.element(page.getByText(words.nowhere)).toBeVisible()
    expect(button(words.end).query()).toBeNull()
  })

  it('says why it could not be set', async () => {
    await show({
      answers: {
        'copies.setTarget': () => {
          throw failed({ kind: 'code', code: 501 })
        },
      },
    })
    await button(words.set).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent('The live service had a fault')
  })
})

describe('the receiver of copies', () => {
  it('of a hosted service says where it can be reached, and has no target here', async () => {
    await show({ profile: 'hosted-1' })
    await expect.element(page.getByText(words.reachable.replace('{port}', '9001'))).toBeVisible()
    expect(address().query()).toBeNull()
  })

  it.each([
    ['unverified', 1],
    ['checked', 0],
  ] as const)('says that its copies cannot be verified: %s', async (verification, times) => {
    await show({ state: { verification } })
    await expect.element(page.getByText(words.none)).toBeVisible()
    expect(page.getByText(words.unverifiedLead).elements()).toHaveLength(times)
  })
})
