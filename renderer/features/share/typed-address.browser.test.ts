import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { spoken } from '../../format/languages.ts'
import { mounted, withProps } from '../../testing/mounted.ts'
import { sheetAnswers, usualReach } from '../../testing/share-values.ts'
import ShareSheet from './share-sheet.vue'
import type { Reach } from './share.ts'
import { shareWords } from './words.ts'

const on = { profileId: 'local', cid: 'a'.repeat(32) }
const { share: words } = spoken(shareWords, 'en')
const show = (reach: Partial<Reach> = {}) =>
  mounted(withProps(ShareSheet, { open: true, on, name: 'Night Radio' }), {
    answers: {
      ...sheetAnswers({}, reach),
      'operations.reach.updateReach': ({ call: { publicUrl } }) => ({
        ret: { ...usualReach, reach: 'proxy', ...(publicUrl !== undefined && { publicUrl }) },
      }),
      'operations.reach.proxySnippet': () => ({ ret: { text: 'server {}', file: '/etc/nginx' } }),
      'access.update': () => ({ ended: 0 }),
    },
  })

it('a public address without a scheme is one of https, and is shown as it was stored', async () => {
  const { client } = await show({ reach: 'proxy' })
  const field = page.getByLabelText(words.proxy.address)
  await field.fill('live.example.com')
  await expect.element(field).not.toHaveAttribute('aria-invalid', 'true')
  await page.getByRole('button', { name: words.proxy.snippet.replace('{server}', 'nginx') }).click()
  const call = { server: 'nginx', publicUrl: 'https://live.example.com' }
  await expect.poll(() => client.inputs('operations.reach.proxySnippet')).toEqual([{ profileId: 'local', call }])
  await field.click()
  await userEvent.keyboard('{Enter}')
  await expect.element(field).toHaveValue('https://live.example.com')
  expect(client.inputs('operations.reach.updateReach')).toEqual([
    { profileId: 'local', call: { reach: 'proxy', publicUrl: 'https://live.example.com', proxies: [] } },
  ])
  await field.fill('site')
  await expect.element(page.getByText(words.proxy.fault)).toBeVisible()
})

it('two words are no pages that may embed', async () => {
  const { client } = await show()
  const field = page.getByLabelText(words.embed.allowed)
  await field.fill('my site')
  await userEvent.keyboard('{Enter}')
  await expect.element(field).toHaveAttribute('aria-invalid', 'true')
  expect(client.inputs('access.update')).toEqual([])
})

it.each([
  [1440, 900, true],
  [1024, 768, false],
  [390, 844, false],
])('the field of pages that may embed shows a whole address at %i by %i', async (width, height, isWide) => {
  await page.viewport(width, height)
  await show()
  const tab = page.getByRole('button', { name: words.tab.embed, exact: true })
  if (!isWide) await tab.click()
  const field = page.getByLabelText(words.embed.allowed)
  await field.fill('https://harbour-radio.org')
  const input = field.element() as HTMLInputElement
  expect(input.scrollWidth).toBeLessThanOrEqual(input.clientWidth)
})
