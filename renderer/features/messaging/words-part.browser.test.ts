import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { local } from '../../../contract/operations/index.ts'
import { failed } from '../../testing/memory-client.ts'
import { mounted, service, type MountOptions } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { messagingWords } from './words.ts'
import WordsPart from './words-part.vue'

const en = spoken(frameWords, 'en')
const messagingEn = spoken(messagingWords, 'en')
const messagingZh = spoken(messagingWords, 'zh')

const { words, card, parts } = messagingEn.messaging
const show = (options: MountOptions = {}) =>
  mounted(WordsPart, {
    ...options,
    answers: {
      'operations.local.words': () => ({ ret: { words: ['jackpot', '代开'], hold: false } }),
      'operations.local.setWords': () => ({}),
      ...options.answers,
    },
  })
const list = () => page.getByRole('textbox', { name: words.label })
const save = () => page.getByRole('button', { name: words.save, exact: true })
const refused = () => {
  throw failed({ kind: 'code', code: 403 })
}

describe('the word list', () => {
  it('has a word on each line, how many there are, and cannot be saved unchanged', async () => {
    const { client } = await show()
    await expect.element(list()).toHaveValue('jackpot\n代开')
    await expect.element(page.getByText('2 words', { exact: true })).toBeVisible()
    await expect.element(save()).toHaveAttribute('aria-disabled', 'true')
    await save().click({ force: true })
    expect(client.inputs('operations.local.setWords')).toEqual([])
  })

  it('is saved with each word once, without empty lines, and read again', async () => {
    const { client } = await show()
    await list().fill('jackpot\n\n  free coins \njackpot')
    await page.getByRole('switch').click()
    client.answer({ 'operations.local.words': () => ({ ret: { words: ['jackpot', 'free coins'], hold: true } }) })
    await save().click()
    await expect.element(page.getByText(card.saved, { exact: true })).toBeVisible()
    expect(client.inputs('operations.local.setWords')).toEqual([
      { profileId: 'local', call: { words: ['jackpot', 'free coins'], hold: true } },
    ])
    await expect.element(list()).toHaveValue('jackpot\nfree coins')
  })

  it('is not saved with a word that is too long, and says which', async () => {
    const { client } = await show()
    await list().fill('x'.repeat(200))
    await expect.element(page.getByRole('status')).toMatchTextContent(/^“xxxxxxxxxxxxxxxxxxxxxxxx…” has more than/)
    await save().click({ force: true })
    expect(client.inputs('operations.local.setWords')).toEqual([])
  })

  it('is not saved with too many words, and says how many there may be', async () => {
    const { client } = await show()
    const { max } = local.setWords.parameters.words
    await expect.element(list()).toBeVisible()
    const field = list().element() as HTMLTextAreaElement
    field.value = Array.from({ length: max + 1 }, (_, index) => `w${index}`).join('\n')
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
    await expect.element(page.getByRole('status')).toMatchTextContent(/^At most /)
    await expect.element(list()).toHaveAttribute('aria-invalid', 'true')
    await save().click({ force: true })
    expect(client.inputs('operations.local.setWords')).toEqual([])
  })

  it('is saved for its switch alone, and not said to be saved any more once something is typed', async () => {
    const { client } = await show()
    await page.getByRole('switch').click()
    client.answer({
      'operations.local.setWords': () => ({}),
      'operations.local.words': () => ({ ret: { words: ['jackpot', '代开'], hold: true } }),
    })
    await save().click()
    await expect.element(page.getByText(card.saved, { exact: true })).toBeVisible()
    expect(client.inputs('operations.local.setWords')[0]?.call).toEqual({ words: ['jackpot', '代开'], hold: true })
    await expect.element(page.getByRole('switch')).toBeChecked()
    await list().fill('other')
    await expect.element(page.getByText(card.saved, { exact: true })).not.toBeInTheDocument()
    await list().fill('jackpot\n代开')
    expect(page.getByText(card.saved, { exact: true }).query()).toBeNull()
  })

  it('keeps what was entered, and says why it was refused', async () => {
    await show({ answers: { 'operations.local.setWords': refused } })
    await list().fill('other')
    await save().click()
    await expect.element(page.getByRole('alert')).toMatchTextContent('This account may not do that.')
    await expect.element(list()).toHaveValue('other')
    expect(page.getByText(card.saved, { exact: true }).query()).toBeNull()
  })

  it('is read again on request where that failed', async () => {
    const { client } = await show({ answers: { 'operations.local.words': refused } })
    await expect.element(page.getByRole('alert')).toBeVisible()
    expect(list().query()).toBeNull()
    client.answer({ 'operations.local.words': () => ({ ret: { words: ['jackpot'], hold: true } }) })
    await page.getByRole('button', { name: en.word.retry }).click()
    await expect.element(list()).toHaveValue('jackpot')
    await expect.element(page.getByRole('switch')).toBeChecked()
  })

  it('keeps what is being typed when the service comes back', async () => {
    const { tell, client } = await show()
    await list().fill('typing')
    await tell(service('restarting'))
    await tell(service('running'))
    await expect.element(list()).toHaveValue('typing')
    expect(client.inputs('operations.local.words')).toHaveLength(1)
  })

  it('is not read of a hosted service', async () => {
    const { client } = await show({ profile: 'hosted-1' })
    expect(client.inputs('operations.local.words')).toEqual([])
    expect(page.getByRole('region', { name: parts.words }).query()).toBeNull()
  })

  it('speaks Chinese', async () => {
    await show({ language: 'zh' })
    await expect.element(page.getByRole('button', { name: messagingZh.messaging.words.save })).toBeVisible()
  })
})
