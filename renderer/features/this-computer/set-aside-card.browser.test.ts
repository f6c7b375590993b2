import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h } from 'vue'
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

  it('is listed with the first five only, until all are asked for', async () => {
    await show(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => entry(id)))
    const items = page.getByRole('listitem')
    await expect.poll(() => items.elements().length).toBe(5)
    await button(words.showAll.replace('{n}', '7')).click()
    await expect.poll(() => items.elements().length).toBe(7)
    await expect.element(button(words.showAll.replace('{n}', '7'))).not.toBeInTheDocument()
  })

  it('is listed whole without a button where there are five', async () => {
    await show(['a', 'b', 'c', 'd', 'e'].map((id) => entry(id)))
    await expect.poll(() => page.getByRole('listitem').elements().length).toBe(5)
    expect(button(words.showAll.replace('{n}', '5')).query()).toBeNull()
  })

  it('says how much more than what is listed lies in the folder, once all of the list is shown', async () => {
    await show([], {
      answers: {
        'keeping.list': () => ({ ...kept(...['a', 'b', 'c', 'd', 'e', 'f'].map((id) => entry(id))), count: 1_240 }),
      },
    })
    const beyond = page.getByText('1,234 more entries are in the folder quarantine.')
    await expect.element(button(words.showAll.replace('{n}', '6'))).toBeVisible()
    expect(beyond.query()).toBeNull()
    await button(words.showAll.replace('{n}', '6')).click()
    await expect.element(beyond).toBeVisible()
  })

  it('has its first path, how many more there are, where it was, until when it is kept, and its size', async () => {
    await show([entry('a', { count: 1_235, bytes: 4.2e6 })])
    const item = page.getByRole('listitem')
    await expect.element(item).toMatchTextContent('recordings/a.mp4')
    await expect.element(item).toMatchTextContent('and 1,234 more')
    await expect
      .element(item)
      .toMatchTextContent('Data folder · set aside 2026-11-26 16:00 · kept until 2026-11-27 16:00 · 4.20 MB')
  })

  it('has its id where no path is known, and no count for one file', async () => {
    await show([entry('2026-11-12/1', { paths: [], where: 'app' })])
    const item = page.getByRole('listitem')
    await expect.element(item).toMatchTextContent('2026-11-12/1')
    await expect.element(item).toMatchTextContent(words.where.app)
    await expect.element(item).not.toMatchTextContent('more')
    await expect.element(button(words.restoreNamed.replace('{name}', '2026-11-12/1'))).toBeVisible()
  })

  it('that is gone has no size, and nothing to be put back', async () => {
    await show([entry('a', { reason: 'missing' })])
    const item = page.getByRole('listitem')
    await expect.element(item).toMatchTextContent('kept until 2026-11-27 16:00')
    await expect.element(item).not.toMatchTextContent('kB')
    await expect.element(button(words.removeNamed.replace('{name}', 'recordings/a.mp4'))).toBeVisible()
    expect(button(words.restoreNamed.replace('{name}', 'recordings/a.mp4')).query()).toBeNull()
  })

  it.each([
    ['damaged', true],
    ['newer', true],
    ['unreadable', true],
    ['replaced', true],
    ['unknown', false],
    ['unfinished', false],
    ['notAFile', false],
    ['missing', false],
  ] as const)('has the detail of its reason where that says more: %s, %s', async (reason, has) => {
    await show([entry('a', { reason, detail: 'what <b> it was' })])
    await expect.element(page.getByRole('listitem')).toMatchTextContent(words.reason[reason])
    expect(page.getByText('what <b> it was').query() !== null).toBe(has)
  })

  it.each([
    ['service', false],
    ['app', true],
  ] as const)(
    'says how much was put back, with the focus on it, and asks for a restart: %s, %s',
    async (where, asks) => {
      await show([entry('a', { where })], { answers: { 'keeping.restore': () => ({ restored: 1_234, taken: [] }) } })
      await button(words.restoreNamed.replace('{name}', 'recordings/a.mp4')).click()
      const status = page.getByRole('status')
      await expect.element(status).toMatchTextContent('1,234 files restored.')
      await expect.element(status).toHaveFocus()
      expect(status.element().textContent.includes(words.afterRestart)).toBe(asks)
    },
  )

  it('names what could not be put back, and then asks for no restart', async () => {
    await show([entry('a', { where: 'app' })], {
      answers: { 'keeping.restore': () => ({ restored: 1, taken: ['files/x', 'files/<y>'] }) },
    })
    await button(words.restoreNamed.replace('{name}', 'recordings/a.mp4')).click()
    const status = page.getByRole('status')
    await expect.element(status).toMatchTextContent('1 file restored.')
    await expect.element(status).toMatchTextContent(words.taken.replace('{paths}', 'files/x, files/<y>'))
    await expect.element(status).not.toMatchTextContent(words.afterRestart)
  })

  it('that could not be put back says why, and not in the question about another', async () => {
    await show([entry('a'), entry('b')], {
      answers: {
        'keeping.restore': () => {
          throw failed({ kind: 'full' })
        },
      },
    })
    await button(words.restoreNamed.replace('{name}', 'recordings/a.mp4')).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
    expect(button(en.word.retry).query()).toBeNull()
    await button(words.removeNamed.replace('{name}', 'recordings/b.mp4')).click()
    await expect.element(dialog()).toMatchTextContent('recordings/b.mp4: 1 file, 1.00 kB.')
    expect(dialog().getByRole('alert').query()).toBeNull()
  })

  it('that could not be deleted says why in the question, which stays', async () => {
    await show([entry('a', { count: 3 })], {
      answers: {
        'keeping.remove': () => {
          throw failed({ kind: 'readOnly' })
        },
      },
    })
    await button(words.removeNamed.replace('{name}', 'recordings/a.mp4')).click()
    await expect.element(dialog()).toMatchTextContent('recordings/a.mp4: 3 files, 1.00 kB.')
    await dialog().getByRole('button', { name: en.ask.remove }).click()
    await expect.element(dialog().getByRole('alert')).toMatchTextContent(en.failure.readOnly.sentence)
    expect(page.getByRole('alert').elements().length).toBe(1)
  })

  it('says that more is listed when the service runs again', async () => {
    const { tell } = await show([], { answers: { 'keeping.list': () => ({ ...kept(entry('a')), service: false }) } })
    await expect.element(page.getByText(words.down)).toBeVisible()
    await tell({ type: 'setAside', kept: kept(entry('a'), entry('b')) })
    await expect.element(page.getByText(words.down)).not.toBeInTheDocument()
    await expect.poll(() => page.getByRole('listitem').elements().length).toBe(2)
  })

  it.each([
    ['/settings/computer?show=set-aside', true],
    ['/settings/computer', false],
  ])('is brought into sight where the address asks for it: %s, %s', async (path, isSeen) => {
    const below = { render: () => [h('div', { style: 'height: 4000px' }), h(SetAsideCard)] }
    await mounted(below, { path, answers: { 'keeping.list': () => kept() } })
    await expect.element(page.getByText(words.none)).toBeInTheDocument()
    const top = (): number => page.getByText(words.none).element().getBoundingClientRect().top
    await expect.poll(() => top() < innerHeight).toBe(isSeen)
  })
})
