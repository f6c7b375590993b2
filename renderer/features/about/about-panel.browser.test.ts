import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import type { Update } from '../../../contract/rpc/state.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted, starting, type MountOptions } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { supportWords } from '../support/words.ts'
import { aboutWords } from './words.ts'
import { reasonWords } from '../frame/words-reason.ts'
import AboutPanel from './about-panel.vue'

const supportEn = spoken(supportWords, 'en')
const aboutEn = spoken(aboutWords, 'en')
const reasonEn = spoken(reasonWords, 'en')

const { about: words } = aboutEn
const { licences } = supportEn.support
const idle: Update = { phase: 'idle', version: null, percent: null, reason: null, checked: began }
const show = (update: Update, options: MountOptions = {}) =>
  mounted(AboutPanel, {
    about: { shell: 'electron', capabilities: ['updates'] },
    events: [{ type: 'update', update }],
    ...options,
    answers: {
      'app.checkUpdate': () => undefined,
      'app.installUpdate': () => ({ installing: true }),
      ...options.answers,
    },
  })
const button = (name: string) => page.getByRole('button', { name, exact: true })

describe('about the app', () => {
  it.each([
    [{ phase: 'never', reason: { code: 'unsigned', params: {} } }, reasonEn.reason.update.unsigned],
    [{ phase: 'never', reason: { code: 'development', params: {} } }, reasonEn.reason.update.development],
    [{ phase: 'idle' }, words.idle],
    [{ phase: 'idle', checked: null }, words.unasked],
    [{ phase: 'waiting', version: '0.2.0' }, words.waiting.replace('{version}', '0.2.0')],
    [{ phase: 'fetching', version: '0.2.0', percent: 40 }, 'Fetching version 0.2.0, 40 %.'],
    [{ phase: 'ready', version: '0.2.0' }, words.ready.replace('{version}', '0.2.0')],
    [
      { phase: 'failed', reason: { code: 'failed', params: { system: 'no route' } } },
      words.failed.replace('{reason}', 'no route'),
    ],
  ] as const)('says how it stands with newer versions: %o', async (change, says) => {
    await show({ ...idle, ...change })
    await expect.element(page.getByText(starting(says))).toBeVisible()
  })

  it('looks for a newer version on request', async () => {
    const { client } = await show(idle)
    await button(words.check).click()
    await expect.poll(() => client.inputs('app.checkUpdate').length).toBe(1)
  })

  it('does not look while one is being fetched', async () => {
    const { client } = await show({ ...idle, phase: 'fetching', version: '0.2.0', percent: 1 })
    await button(words.check).click({ force: true })
    expect(client.inputs('app.checkUpdate')).toEqual([])
    await expect.element(page.getByRole('progressbar')).toBeVisible()
  })

  it('installs one that is ready, and says why it is not while something is on air', async () => {
    const { client } = await show(
      { ...idle, phase: 'ready', version: '0.2.0' },
      { answers: { 'app.installUpdate': () => ({ installing: false }) } },
    )
    await button(words.install).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(words.busy)
    client.answer({ 'app.installUpdate': () => ({ installing: true }) })
    await button(words.install).click()
    await expect.poll(() => page.getByRole('alert').query()).toBeNull()
    expect(client.inputs('app.installUpdate').length).toBe(2)
  })

  it('says why it could not look', async () => {
    await show(idle, {
      answers: {
        'app.checkUpdate': () => {
          throw failed()
        },
      },
    })
    await button(words.check).click()
    await expect.element(page.getByRole('alert')).toBeVisible()
  })

  it('looks once while it is asked, however often the button is pressed', async () => {
    const gate = Promise.withResolvers<undefined>()
    const { client } = await show(idle, { answers: { 'app.checkUpdate': () => gate.promise } })
    await button(words.check).click()
    await button(words.check).click({ force: true })
    gate.resolve(undefined)
    await expect.poll(() => client.inputs('app.checkUpdate').length).toBe(1)
  })

  it('says why it could not be installed, and not that something is on air', async () => {
    const { client } = await show(
      { ...idle, phase: 'ready', version: '0.2.0' },
      { answers: { 'app.installUpdate': () => ({ installing: false }) } },
    )
    await button(words.install).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(words.busy)
    client.answer({
      'app.installUpdate': () => {
        throw failed({ kind: 'code', code: 501 })
      },
    })
    await button(words.install).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent('The live service had a fault')
    expect(page.getByText(words.busy).query()).toBeNull()
  })

  it.each([
    [began, true],
    [null, false],
  ])('says when it looked last, where it did: %s', async (checked, isSaid) => {
    await show({ ...idle, phase: 'ready', version: '0.2.0', checked })
    const said = words.checked.replace('{time}', '16:00')
    await expect.element(page.getByText(starting(words.ready.replace('{version}', '0.2.0')))).toBeVisible()
    expect(page.getByText(said).query() !== null).toBe(isSaid)
    expect(button(words.check).query()).toBeNull()
  })

  it('has a bar of the fetch, which is named by the sentence beside it', async () => {
    await show({ ...idle, phase: 'fetching', version: '0.2.0', percent: 40 })
    const bar = page.getByRole('progressbar', { name: 'Fetching version 0.2.0, 40 %.' })
    await expect.element(bar).toHaveAttribute('aria-valuenow', '40')
  })

  it('that never renews itself has nothing to press', async () => {
    await show({ ...idle, phase: 'never', reason: { code: 'development', params: {} } })
    await expect.element(page.getByText(starting(reasonEn.reason.update.development))).toBeVisible()
    expect([button(words.check).query(), button(words.install).query()]).toEqual([null, null])
  })

  it('does not renew itself in the browser, and says so', async () => {
    await show(idle, { about: { shell: 'browser', capabilities: [] } })
    await expect.element(page.getByText(words.browser)).toBeVisible()
    expect(button(words.check).query()).toBeNull()
  })
})

describe('the licences', () => {
  const answer = (body: unknown, status = 200): void => {
    vi.spyOn(window, 'fetch').mockImplementation(() => Promise.resolve(Response.json(body, { status })))
    onTestFinished(() => void vi.restoreAllMocks())
  }
  const written = {
    packages: [
      { name: 'alpha', version: '1.0.0', licence: 'MIT', text: 0 },
      { name: 'beta', version: '2.0.0', licence: null, text: null },
    ],
    texts: ['Permission is hereby granted'],
  }

  it('are read when they are asked for, found by name or licence, and opened', async () => {
    answer(written)
    await show(idle)
    await button(licences.show).click()
    await expect.element(page.getByText('2 of 2 packages')).toBeVisible()
    await expect.element(page.getByText(licences.unnamed)).toBeVisible()
    await page.getByRole('textbox', { name: licences.search }).fill('mit')
    await expect.element(page.getByText('1 of 2 packages')).toBeVisible()
    await page.getByRole('button', { name: /alpha/ }).click()
    await expect.element(page.getByText('Permission is hereby granted')).toBeVisible()
  })

  it('are said to be missing where the list is not there', async () => {
    answer({}, 404)
    await show(idle)
    await button(licences.show).click()
    await expect.element(page.getByText(licences.failed)).toBeVisible()
    await expect.element(button(licences.show)).toBeVisible()
  })

  it('are opened one at a time, and closed by a second press; one without a text is no button', async () => {
    answer({
      packages: [...written.packages, { name: 'gamma', version: '3.0.0', licence: 'ISC', text: 1 }],
      texts: [...written.texts, 'Use of <this> is free'],
    })
    await show(idle)
    await button(licences.show).click()
    const alpha = page.getByRole('button', { name: /alpha/ })
    await alpha.click()
    await expect.element(alpha).toHaveAttribute('aria-expanded', 'true')
    await page.getByRole('button', { name: /gamma/ }).click()
    await expect.element(page.getByText('Use of <this> is free')).toBeVisible()
    await expect.element(page.getByText(written.texts[0]!)).not.toBeInTheDocument()
    await page.getByRole('button', { name: /gamma/ }).click()
    await expect.element(page.getByText('Use of <this> is free')).not.toBeInTheDocument()
    expect(page.getByRole('button', { name: /beta/ }).query()).toBeNull()
  })

  it('can be asked for again after they could not be read', async () => {
    answer({}, 500)
    await show(idle)
    await button(licences.show).click()
    await expect.element(page.getByText(licences.failed)).toBeVisible()
    vi.mocked(window.fetch).mockImplementation(() => Promise.resolve(Response.json(written)))
    await button(licences.show).click()
    await expect.element(page.getByText('2 of 2 packages')).toBeVisible()
    await expect.element(page.getByText(licences.failed)).not.toBeInTheDocument()
  })
})
