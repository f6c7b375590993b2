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
})
