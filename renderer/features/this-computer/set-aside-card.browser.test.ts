import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { KeptAside, SetAside } from '../../../contract/rpc/index.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { computerWords } from './words.ts'
import SetAsideCard from './set-aside-card.vue'

const en = spoken(frameWords, 'en')
const computerEn = spoken(computerWords, 'en')

const { aside: words } = computerEn.computer
const entry = (id: string, change: Partial<SetAside> = {}): SetAside => ({
  where: 'service',
  id,
  at: began,
  reason: 'unknown',
  detail: '',
  paths: [`recordings/${id}.mp4`],
  count: 1,
  bytes: 1_000,
  seen: true,
  until: began + 86_400_000,
  ...change,
})
const kept = (...entries: readonly SetAside[]): KeptAside => ({
  entries: [...entries],
  count: entries.length,
  bytes: 0,
  service: true,
})
const show = (entries: readonly SetAside[], options: Parameters<typeof mounted>[1] = {}) =>
  mounted(SetAsideCard, {
    path: '/settings/computer',
    ...options,
    answers: { 'keeping.list': () => kept(...entries), ...options.answers },
  })
const button = (name: string) => page.getByRole('button', { name })
const dialog = () => page.getByRole('dialog')

describe('what was set aside', () => {
  it('is put back by its own button', async () => {
    const { client } = await show([entry('a'), entry('b')], {
      answers: { 'keeping.restore': () => ({ restored: 1, taken: [] }) },
    })
    await button(words.restoreNamed.replace('{name}', 'recordings/b.mp4')).click()
    await expect.poll(() => client.inputs('keeping.restore')).toEqual([{ where: 'service', id: 'b' }])
    await expect.element(page.getByRole('status')).toBeVisible()
  })

  it('is deleted only after a question', async () => {
    const { client } = await show([entry('a'), entry('b')], { answers: { 'keeping.remove': () => undefined } })
    await button(words.removeNamed.replace('{name}', 'recordings/b.mp4')).click()
    await expect.element(dialog()).toMatchTextContent('recordings/b.mp4')
    expect(client.inputs('keeping.remove')).toEqual([])
    await dialog().getByRole('button', { name: en.ask.remove }).click()
    await expect.poll(() => client.inputs('keeping.remove')).toEqual([{ where: 'service', id: 'b' }])
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it('stays when the question is cancelled', async () => {
    const { client } = await show([entry('a')])
    await button(words.removeNamed.replace('{name}', 'recordings/a.mp4')).click()
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('keeping.remove')).toEqual([])
  })

  it('says why it could not be read, and reads again', async () => {
    const { client } = await show([], {
      answers: {
        'keeping.list': () => {
          throw failed({ kind: 'folder' })
        },
      },
    })
    await expect.element(page.getByRole('alert')).toBeVisible()
    client.answer({ 'keeping.list': () => kept() })
    await button(en.word.retry).click()
    await expect.element(page.getByText(words.none)).toBeVisible()
  })

  it.each(
    (['unknown', 'unfinished', 'damaged', 'newer', 'notAFile', 'unreadable', 'missing', 'replaced'] as const).flatMap(
      (reason) => (['en', 'zh'] as const).map((language) => [reason, language] as const),
    ),
  )('has its reason: %s, in %s', async (reason, language) => {
    await show([entry('a', { reason })], { language })
    if (language === 'en') await expect.element(page.getByRole('listitem')).toMatchTextContent(words.reason[reason])
    else await expect.element(page.getByRole('listitem')).toBeVisible()
  })
})
