import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { foundFaults } from '../../../contract/found-faults.ts'
import { errorTable } from '../../../contract/errors.ts'
import { spoken, type Language } from '../../format/languages.ts'
import { failed } from '../../testing/memory-client.ts'
import { channel, mounted } from '../../testing/mounted.ts'
import { foundWords } from '../../ui/words-found.ts'
import TargetsCard from './targets-card.vue'
import { targetsWords } from './words.ts'

const one = channel(1, { status: 1 })

it.each<[Language, 'url' | 'key', 'ownAddress' | 'spaces']>([
  ['en', 'url', 'ownAddress'],
  ['zh', 'url', 'ownAddress'],
  ['en', 'key', 'spaces'],
  ['zh', 'key', 'spaces'],
])('in the form of a target the field that the service names is marked (%s, %s)', async (language, field, fault) => {
  const { targets: words } = spoken(targetsWords, language)
  const { found } = spoken(foundWords, language)
  await mounted(TargetsCard, {
    props: { profileId: 'local', cid: one.cid, live: true, kbps: 6_000 },
    channels: [one],
    language,
    answers: {
      'targets.list': () => ({ needs: 0, budget: 0, waiting: 0, targets: [] }),
      'targets.add': () => {
        throw failed({ kind: 'code', code: 631, detail: `/target/add: 631 ${field} ${foundFaults[fault]}` })
      },
    },
  })
  await page.getByRole('button', { name: words.none }).click()
  const fields = {
    url: page.getByLabelText(words.form.server),
    key: page.getByLabelText(words.form.key, { exact: true }),
  }
  await fields.url.fill('rtmp://192.168.1.5/live')
  await fields.key.fill('abc')
  await userEvent.keyboard('{Enter}')
  await expect.element(fields[field]).toHaveAttribute('aria-invalid', 'true')
  await expect.element(page.getByText(found[fault])).toBeVisible()
  await expect.element(fields[field === 'url' ? 'key' : 'url']).not.toHaveAttribute('aria-invalid', 'true')
  await expect.element(page.getByText(errorTable[631].sentence[language], { exact: false })).not.toBeInTheDocument()
  await fields[field].fill('rtmp://live.example.com/app')
  await expect.element(fields[field]).not.toHaveAttribute('aria-invalid', 'true')
})

it('an address and a key that cannot be are marked at once, and nothing is asked', async () => {
  const { targets: words } = spoken(targetsWords, 'en')
  const { found } = spoken(foundWords, 'en')
  const { client } = await mounted(TargetsCard, {
    props: { profileId: 'local', cid: one.cid, live: true, kbps: 6_000 },
    channels: [one],
    answers: { 'targets.list': () => ({ needs: 0, budget: 0, waiting: 0, targets: [] }) },
  })
  await page.getByRole('button', { name: words.none }).click()
  await page.getByLabelText(words.form.server).fill('live.example.com')
  await page.getByLabelText(words.form.key, { exact: true }).fill('abc def')
  await page.getByRole('button', { name: words.form.addIt }).click()
  await expect.element(page.getByText(words.form.serverFault)).toBeVisible()
  await expect.element(page.getByText(found.spaces)).toBeVisible()
  await expect.element(page.getByLabelText(words.form.server)).toHaveFocus()
  // The first wrong field has it, from the field of the next one too.
  await page.getByLabelText(words.form.name).fill('')
  await page.getByLabelText(words.form.server).fill('live')
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByLabelText(words.form.name)).toHaveFocus()
  expect(client.calls.filter(({ path }) => path === 'targets.add')).toEqual([])
})
