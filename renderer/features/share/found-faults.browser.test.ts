import { describe, expect, it } from 'vitest'
import { page, userEvent, type Locator } from 'vitest/browser'
import { foundFaults } from '../../../contract/found-faults.ts'
import { errorTable } from '../../../contract/errors.ts'
import { spoken, type Language } from '../../format/languages.ts'
import { failed, type Answers } from '../../testing/memory-client.ts'
import { mounted, starting, withProps } from '../../testing/mounted.ts'
import { sheetAnswers } from '../../testing/share-values.ts'
import { foundWords } from '../../ui/words-found.ts'
import ShareSheet from './share-sheet.vue'
import type { Reach } from './share.ts'
import { shareWords } from './words.ts'

const on = { profileId: 'local', cid: 'a'.repeat(32) }
const refuse = (path: string, words: string) => () => {
  throw failed({ kind: 'code', code: 631, detail: `${path}: 631 ${words}` })
}
const show = (answers: Answers, reach: Partial<Reach> = {}, language: Language = 'en') =>
  mounted(withProps(ShareSheet, { open: true, on, name: 'Night Radio' }), {
    language,
    answers: { ...sheetAnswers({}, reach), ...answers },
  })
const invalid = async (within: Pick<Locator, 'getByLabelText'>, label: string, isInvalid = true): Promise<void> => {
  const field = expect.element(within.getByLabelText(label, { exact: true }))
  await (isInvalid ? field : field.not).toHaveAttribute('aria-invalid', 'true')
}

describe.each<Language>(['en', 'zh'])(
  'what the service finds wrong is told at the field, in the language (%s)',
  (language) => {
    const { share: words } = spoken(shareWords, language)
    const { found } = spoken(foundWords, language)
    const noNote = async (): Promise<void> => {
      await expect.element(page.getByText(errorTable[631].sentence[language], { exact: false })).not.toBeInTheDocument()
    }

    it('the end of a named link in the past, until it is changed', async () => {
      await show(
        { 'access.addLink': refuse('/access/addLink', `expires ${foundFaults.past} (now it is 5)`) },
        {},
        language,
      )
      await page.getByRole('button', { name: starting(words.named.new) }).click()
      const form = page.getByRole('dialog', { name: words.named.newTitle })
      await form.getByLabelText(words.named.name).fill('Mum')
      // To come by the clock of this page, past by that of the service.
      await form.getByLabelText(words.named.until).fill('2098-01-01T10:00')
      await userEvent.keyboard('{Enter}')
      await invalid(form, words.named.until)
      await expect.element(page.getByText(found.past)).toBeVisible()
      await invalid(form, words.named.most, false)
      await noNote()
      // What a person types wrong besides is marked at its own field.
      await form.getByLabelText(words.named.most).fill('0')
      await invalid(form, words.named.most)
      await invalid(form, words.named.until)
      await form.getByLabelText(words.named.until).fill('2099-01-01T10:00')
      await invalid(form, words.named.until, false)
      await noNote()
    })

    it('an end in the past and no viewers at once, each at its own field when it is sent', async () => {
      await show({}, {}, language)
      await page.getByRole('button', { name: starting(words.named.new) }).click()
      const form = page.getByRole('dialog', { name: words.named.newTitle })
      await form.getByLabelText(words.named.name).fill('Mum')
      await form.getByLabelText(words.named.until).fill('2020-01-01T10:00')
      await invalid(form, words.named.until, false)
      await form.getByLabelText(words.named.most).fill('0')
      await userEvent.keyboard('{Enter}')
      await invalid(form, words.named.until)
      await invalid(form, words.named.most)
      await expect.element(page.getByText(found.past)).toBeVisible()
      await expect.element(page.getByText(words.named.mostFault)).toBeVisible()
      await expect.element(form.getByLabelText(words.named.until)).toHaveFocus()
    })

    it('a next broadcast in the past', async () => {
      const words631 = `next ${foundFaults.past} (now it is 5)`
      await show({ 'operations.access.setSchedule': refuse('/access/setSchedule', words631) }, {}, language)
      await page.viewport(1440, 900)
      await page.getByLabelText(words.next.at).fill('2020-01-01T10:00')
      await page.getByRole('button', { name: words.next.save }).click()
      await invalid(page, words.next.at)
      await expect.element(page.getByText(found.past)).toBeInViewport({ ratio: 1 })
      await expect.element(page.getByLabelText(words.next.at)).toHaveFocus()
      await invalid(page, words.next.name, false)
      await page.getByLabelText(words.next.at).fill('2020-01-02T10:00')
      await page.getByLabelText(words.next.name).fill('Harbour')
      await userEvent.keyboard('{Enter}')
      await invalid(page, words.next.at)
      await expect.element(page.getByLabelText(words.next.at)).toHaveFocus()
      await noNote()
    })

    it('the key of a certificate that is missing', async () => {
      const answer = refuse('/reach/update', `keyFile ${foundFaults.pair}`)
      await show({ 'operations.reach.updateReach': answer }, { reach: 'port' }, language)
      await page.getByLabelText(words.port.certificate).fill('/etc/chain.pem')
      await page.getByRole('button', { name: words.port.save }).click()
      await invalid(page, words.port.key)
      await expect.element(page.getByText(found.pair)).toBeVisible()
    })

    it('the public address that a configuration of a proxy needs', async () => {
      const answer = refuse('/reach/snippet', `publicUrl ${foundFaults.publicAddress}`)
      await show({ 'operations.reach.proxySnippet': answer }, { reach: 'proxy' }, language)
      await page.getByRole('button', { name: words.proxy.snippet.replace('{server}', 'nginx') }).click()
      await invalid(page, words.proxy.address)
      await expect.element(page.getByText(found.publicAddress)).toBeVisible()
      await noNote()
    })
  },
)

it('a fault without words of its own is marked too, and its words stand under Details', async () => {
  const { share: words } = spoken(shareWords, 'en')
  const { found } = spoken(foundWords, 'en')
  await show({ 'operations.access.setSchedule': refuse('/access/setSchedule', 'next must be at most 5') })
  await page.getByLabelText(words.next.at).fill('2099-01-01T10:00')
  await page.getByRole('button', { name: words.next.save }).click()
  await expect.element(page.getByText(found.other)).toBeVisible()
  await expect.element(page.getByText(errorTable[631].sentence.en, { exact: false })).toBeVisible()
})

it('a form that is opened again has nothing of what was refused before', async () => {
  const { share: words } = spoken(shareWords, 'en')
  await show({ 'access.addLink': refuse('/access/addLink', 'this channel has too many links') })
  const name = page.getByLabelText(words.named.name)
  await page.getByRole('button', { name: starting(words.named.new) }).click()
  await name.fill('Mum')
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText(errorTable[631].sentence.en, { exact: false })).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expect.element(name).not.toBeInTheDocument()
  await page.getByRole('button', { name: starting(words.named.new) }).click()
  await expect.element(name).toBeVisible()
  await expect.element(page.getByText(errorTable[631].sentence.en, { exact: false })).not.toBeInTheDocument()
})
