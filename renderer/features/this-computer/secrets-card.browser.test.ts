import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { SecretReport, SecretTest } from '../../../contract/rpc/index.ts'
import { failed } from '../../testing/memory-client.ts'
import { mounted } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { computerWords } from './words.ts'
import SecretsCard from './secrets-card.vue'

const en = spoken(frameWords, 'en')
const computerEn = spoken(computerWords, 'en')
const computerZh = spoken(computerWords, 'zh')

const { secrets: words } = computerEn.computer
const kept = { kind: 'keychain', reason: null, detail: null } as const
const report = (change: Partial<SecretReport> = {}): SecretReport => ({
  mode: kept,
  store: 'secretService',
  entries: [
    { kind: 'own', count: 1 },
    { kind: 'left', count: 2 },
  ],
  ...change,
})
const show = (told: SecretReport = report(), options: Parameters<typeof mounted>[1] = {}) =>
  mounted(SecretsCard, {
    path: '/settings/computer',
    ...options,
    answers: { 'computer.secrets': () => told, ...options.answers },
  })
const button = (name: string) => page.getByRole('button', { name, exact: true })
const card = () => page.getByRole('group', { name: words.title })
const refused = () => {
  throw failed({ kind: 'keychain' })
}

describe('where secrets are kept', () => {
  it.each(['keychain', 'credentialManager', 'secretService'] as const)('is named: %s', async (store) => {
    await show(report({ store }))
    await expect.element(page.getByText(words.store[store])).toBeVisible()
  })

  it.each(['noBus', 'unavailable', 'locked', 'denied', 'chosen'] as const)(
    'is memory for a reason, with the words of the system: %s',
    async (reason) => {
      await show(report({ mode: { kind: 'session', reason, detail: 'org.<freedesktop>' } }))
      await expect.element(card()).toMatchTextContent(words.session)
      await expect.element(page.getByText(words.why[reason])).toBeVisible()
      await expect.element(page.getByText('org.<freedesktop>')).toBeVisible()
    },
  )

  it('says how many there are of each kind, and never one of them', async () => {
    await show()
    await expect.element(card()).toMatchTextContent(`${words.kinds.own}1`)
    await expect.element(card()).toMatchTextContent(words.kinds.left)
  })

  it('says that there is none, or that the keychain does not tell', async () => {
    const { client } = await show(report({ entries: [] }), {
      answers: { 'computer.testSecrets': () => ({ mode: kept, milliseconds: 1 }) },
    })
    await expect.element(page.getByText(words.none)).toBeVisible()
    expect(client.inputs('computer.secrets').length).toBe(1)
  })

  it('says that the keychain does not tell its entries', async () => {
    await show(report({ entries: null }))
    await expect.element(page.getByText(words.silent)).toBeVisible()
  })

  it('says why it could not be read', async () => {
    await show(report(), { answers: { 'computer.secrets': refused } })
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.keychain.sentence)
    expect(button(words.test).query()).toBeNull()
  })
})

describe('the test of the keychain', () => {
  it('is made once, and says that it works and how fast', async () => {
    const gate = Promise.withResolvers<SecretTest>()
    const { client } = await show(report(), { answers: { 'computer.testSecrets': () => gate.promise } })
    await button(words.test).click()
    await button(words.test).click({ force: true })
    gate.resolve({ mode: kept, milliseconds: 13.6 })
    await expect.element(page.getByRole('status')).toHaveTextContent(words.works.replace('{ms}', '14'))
    expect(client.inputs('computer.testSecrets').length).toBe(1)
  })

  it('says that it works now, but not for this session', async () => {
    await show(report({ mode: { kind: 'session', reason: 'locked', detail: null } }), {
      answers: { 'computer.testSecrets': () => ({ mode: kept, milliseconds: 1 }) },
    })
    await button(words.test).click()
    await expect.element(page.getByRole('status')).toHaveTextContent(words.worksNow)
    await expect.element(page.getByText(words.why.locked)).not.toBeInTheDocument()
  })

  it('says that it does not work, and why', async () => {
    await show(report(), {
      answers: {
        'computer.testSecrets': () => ({ mode: { kind: 'session', reason: 'denied', detail: null }, milliseconds: 1 }),
      },
    })
    await button(words.test).click()
    await expect.element(page.getByRole('status')).toHaveTextContent(words.fails)
    await expect.element(page.getByText(words.why.denied)).toBeVisible()
  })

  it('says why it could not be made', async () => {
    await show(report(), { answers: { 'computer.testSecrets': refused } })
    await button(words.test).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.keychain.sentence)
    expect(page.getByRole('status').query()).toBeNull()
  })
})

describe('secrets of profiles that are gone', () => {
  it('are removed by their button', async () => {
    const { client } = await show(report(), {
      answers: { 'computer.removeLeftSecrets': () => report({ entries: [{ kind: 'own', count: 1 }] }) },
    })
    await button(words.removeLeft).click()
    await expect.element(button(words.removeLeft)).not.toBeInTheDocument()
    expect(client.inputs('computer.removeLeftSecrets').length).toBe(1)
    await expect.element(card()).toMatchTextContent(words.kinds.own)
  })

  it('stay listed when that was refused', async () => {
    await show(report(), { answers: { 'computer.removeLeftSecrets': refused } })
    await button(words.removeLeft).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.keychain.sentence)
    await expect.element(button(words.removeLeft)).toBeVisible()
  })
})

it('the secrets have their words in Chinese', async () => {
  await show(report(), { language: 'zh' })
  const { secrets: zh } = computerZh.computer
  await expect.element(page.getByText(zh.store.secretService)).toBeVisible()
  await expect.element(button(zh.test)).toBeVisible()
  await expect.element(page.getByText(zh.kinds.left)).toBeVisible()
})
