import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { errorTable } from '../../../contract/errors.ts'
import { commaOf, spoken, type Language } from '../../format/languages.ts'
import { failed, type Answers } from '../../testing/memory-client.ts'
import { mounted, starting, withProps } from '../../testing/mounted.ts'
import { sheetAnswers, usualReach } from '../../testing/share-values.ts'
import ShareSheet from './share-sheet.vue'
import type { Reach } from './share.ts'
import { shareWords } from './words.ts'

const on = { profileId: 'local', cid: 'a'.repeat(32) }
const show = (reach: Partial<Reach>, language: Language = 'en', answers: Answers = {}) =>
  mounted(withProps(ShareSheet, { open: true, on, name: 'Night Radio' }), {
    language,
    answers: { ...sheetAnswers({}, reach), ...answers },
  })
const head = () => page.getByRole('banner').getByRole('status').first()

describe.each<Language>(['en', 'zh'])('the sheet says what is so (%s)', (language) => {
  const { share: words } = spoken(shareWords, language)

  it('of a proxy at an address of this network the same at its head and in its row', async () => {
    const url = 'http://192.168.77.2:22080'
    const results = [{ reach: 'proxy', state: 'works', url }]
    await show({ reach: 'proxy', url, publicUrl: url, results }, language)
    const row = page.getByRole('radio', { name: starting(words.reach.proxy) })
    await expect.element(row).toMatchTextContent(words.near.network)
    await expect
      .element(head())
      .toMatchTextContent([words.head.everybody, words.head.none, words.near.network].join(commaOf(language)))
    expect(head().element().textContent).not.toContain(words.head.unchecked)
  })

  it('of a port, while it is measured, that it is measured, and nothing of the router', async () => {
    const port: Partial<Reach> = {
      reach: 'port',
      url: 'https://live.example.com:9443',
      publicUrl: 'https://live.example.com:9443',
      doors: [{ name: 'media', host: '::', port: 9443, tls: true }],
    }
    await show({ ...port, results: [{ reach: 'port', state: 'unchecked' }], measuring: true }, language, {
      'operations.reach.checkReach': () => ({
        ret: { ...usualReach, ...port, results: [{ reach: 'port', state: 'unchecked', url: port.url! }] },
      }),
    })
    await expect.element(page.getByText(words.port.measuring)).toBeVisible()
    for (const other of [words.port.byHand, words.port.step1]) expect(page.getByText(other).query()).toBeNull()
    await page.getByRole('button', { name: words.reach.checkAgain }).click()
    await expect.element(page.getByText(words.port.byHand)).toBeVisible()
    await expect.element(page.getByText(words.port.measuring)).not.toBeInTheDocument()
  })

  it('of a port that is one of its own', async () => {
    await show({ reach: 'port', results: [{ reach: 'port', state: 'fault', reason: 'ownPort' }] }, language)
    const row = page.getByRole('radio', { name: starting(words.reach.port) })
    await expect.element(row).toMatchTextContent(words.why.ownPort)
    await expect.element(page.getByText(words.how.ownPort)).toBeVisible()
  })

  it.each([
    ['keyFile', 'unreadableKey', '/etc/a.pem is no private key in PEM', 'key', 'certificate'],
    ['keyFile', 'otherKey', '/etc/a.pem is not the key of the certificate', 'key', 'certificate'],
    ['certificateFile', 'unreadable', '/etc/a.pem is no certificate in PEM', 'certificate', 'key'],
    ['certificateFile', 'absent', 'there is no file /etc/a.pem', 'certificate', 'key'],
  ] as const)('of a wrong %s (%s) at its field alone', async (parameter, reason, fault, marked, other) => {
    await show({ reach: 'port' }, language, {
      'operations.reach.updateReach': () => {
        throw failed({ kind: 'code', code: 631, detail: `/reach/update: 631 ${parameter}: ${fault}` })
      },
    })
    const certificate = page.getByLabelText(words.port.certificate)
    await certificate.fill('/etc/a.pem')
    await page.getByLabelText(words.port.key).fill('/etc/a.pem')
    await page.getByRole('button', { name: words.port.save }).click()
    await expect.element(page.getByLabelText(words.port[marked])).toHaveAttribute('aria-invalid', 'true')
    await expect.element(page.getByText(words.tls[reason].replace('{file}', '/etc/a.pem'))).toBeVisible()
    await expect.element(page.getByLabelText(words.port[other])).not.toHaveAttribute('aria-invalid', 'true')
    const box = page.getByText(errorTable[631].sentence[language], { exact: false })
    await expect.element(box).not.toBeInTheDocument()
    await page.getByLabelText(words.port[marked]).fill('/etc/b.pem')
    await expect.element(page.getByLabelText(words.port[marked])).not.toHaveAttribute('aria-invalid', 'true')
    await expect.element(box).not.toBeInTheDocument()
  })

  it('of a change of the port that was refused for another reason, in a box', async () => {
    await show({ reach: 'port' }, language, {
      'operations.reach.updateReach': () => {
        throw failed({ kind: 'code', code: 631, detail: '/reach/update: 631 reach is set by the command line' })
      },
    })
    await page.getByRole('button', { name: words.port.save }).click()
    await expect.element(page.getByText(errorTable[631].sentence[language], { exact: false })).toBeVisible()
  })

  it.each([
    ['proxyUntrusted', '192.168.77.2'],
    ['proxyAnybody', '0.0.0.0/0'],
  ] as const)('of trusted proxies that are not those (%s), though the address works', async (reason, detail) => {
    const url = 'https://radio.example'
    const results = [{ reach: 'proxy', state: 'works', url, reason, detail }]
    await show({ reach: 'proxy', url, publicUrl: url, encryption: 'vouched', results }, language)
    const row = page.getByRole('radio', { name: starting(words.reach.proxy) })
    await expect.element(row).toMatchTextContent(words.trust[reason].short)
    expect(row.element().querySelector('.text-armt')).not.toBeNull()
    const advice = page.getByText(words.trust[reason].long.replaceAll('{address}', detail))
    await expect.element(advice).toHaveClass('text-armt')
    await expect.element(head()).toMatchTextContent(words.trust[reason].short)
  })

  it('in a configuration what is saved, also after another address is', async () => {
    const at = (publicUrl: string): Reach => ({ ...usualReach, reach: 'proxy', url: publicUrl, publicUrl })
    const first = 'https://radio.example'
    let saved = at(first)
    await show({}, language, {
      'operations.reach.reach': () => ({ ret: saved }),
      'operations.reach.updateReach': ({ call }) => ({ ret: (saved = at(call.publicUrl ?? '')) }),
      'operations.reach.proxySnippet': ({ call }) => ({
        ret: { text: `${call.server} for ${call.publicUrl ?? saved.publicUrl}`, file: 'a' },
      }),
    })
    await page.getByRole('button', { name: words.proxy.snippet.replace('{server}', 'Caddy') }).click()
    await expect.element(page.getByText(`caddy for ${first}`)).toBeVisible()
    await page.getByLabelText(words.proxy.address).fill('https://show.example.net')
    await page.getByRole('button', { name: words.proxy.save, exact: true }).first().click()
    await expect.element(page.getByText('caddy for https://show.example.net')).toBeVisible()
    await expect.element(page.getByText(`caddy for ${first}`)).not.toBeInTheDocument()
  })
})
