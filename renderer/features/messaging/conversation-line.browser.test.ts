import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h } from 'vue'
import { spoken } from '../../format/languages.ts'
import { actingAs, quietMessaging } from '../../testing/messaging-values.ts'
import { began, mounted, type MountOptions } from '../../testing/mounted.ts'
import type { Line } from './conversation.ts'
import ConversationLine from './conversation-line.vue'
import { messagingWords } from './words.ts'

const { messaging: words } = spoken(messagingWords, 'en')
const line = (change: Partial<Line> = {}): Line => ({
  id: 1,
  at: began,
  from: 'mei',
  type: 0,
  body: { msg: 'hello' },
  recalled: false,
  via: 'PC',
  held: false,
  ...change,
})
const show = async (change: Partial<Line> = {}, own = false, options: MountOptions = {}) => {
  const told: unknown[] = []
  const on = await mounted(
    {
      render: () =>
        h('div', { 'data-line': '' }, [
          h(ConversationLine, {
            line: line(change),
            own,
            onRecall: () => told.push('recall'),
            onOpen: (file: unknown) => told.push(file),
          }),
        ]),
    },
    { before: actingAs(), answers: quietMessaging, ...options },
  )
  return { ...on, told }
}
const text = () => document.querySelector('[data-line] .text')?.textContent?.trim().replaceAll(/\s+/g, ' ')
const name = () => document.querySelector('[data-line] .name')

describe('a line of a conversation', () => {
  it('has its minute, with the whole date as a title, and who wrote it', async () => {
    await show({ from: 'mei' })
    // The zone of the service is eight hours ahead.
    await expect.element(page.getByText('16:00', { exact: true })).toHaveAttribute('title', '2026-11-26 16:00')
    expect([name()?.textContent, name()?.getAttribute('title')]).toEqual(['mei', 'mei'])
  })

  it('says that it is one’s own', async () => {
    await show({ from: 'ana' }, true)
    expect(name()?.textContent).toBe(words.line.own.replace('{name}', 'ana'))
  })

  it('says that the word list kept it back', async () => {
    await show({ held: true })
    expect(text()).toBe(`hello${words.line.held}`)
  })

  it('says that it was recalled, and shows nothing of it', async () => {
    await show({ recalled: true, type: 6, body: { name: 'a.txt', url: 'https://a.example/x' } })
    expect(text()).toBe(words.line.recalled)
    expect(page.getByRole('button').query()).toBeNull()
  })

  it.each([
    ['REST', 'API'],
    ['PC', undefined],
    [null, undefined],
  ])('says that it came by the API only where it did: %s', async (via, shown) => {
    await show({ via })
    expect(document.querySelector('[data-line] .via')?.textContent).toBe(shown)
  })

  it.each([
    [0, { msg: 'hello' }, 'hello'],
    [10, { msg: 'a hint' }, 'a hint'],
    [4, { title: 'Pier', lat: 31.2, lng: 121.5 }, 'Pier 31.2, 121.5'],
    [100, { a: 1 }, '{"a":1}'],
    [0, {}, words.type.other],
    [77, { msg: 'x' }, words.type.other],
  ])('of type %i shows what it has: %o', async (type, body, shown) => {
    await show({ type, body })
    expect(text()).toBe(shown)
  })
})

describe('a file in a conversation', () => {
  it('has its name and size, and is opened as it was sent', async () => {
    const { told } = await show({ type: 6, body: { name: 'a.txt', url: 'https://a.example/x', size: 12_400 } })
    expect(text()).toContain('a.txt12.4 kB')
    await page.getByRole('button', { name: words.file.openThis.replace('{name}', 'a.txt') }).click()
    expect(told).toEqual([{ kind: 'file', name: 'a.txt', url: 'https://a.example/x', size: 12_400 }])
  })

  it('without a name and a size says so, and can be opened', async () => {
    await show({ type: 3, body: { url: 'https://a.example/x' } })
    expect(text()).toBe(`${words.file.unnamed}${words.file.open}`)
    const opens = page.getByRole('button', { name: words.file.openThis.replace('{name}', words.file.unnamed) })
    await expect.element(opens).toBeVisible()
  })
})

describe('what a team is told', () => {
  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const)('is a sentence of its own: %i', async (ope) => {
    await show({ type: 5, from: 'ana', body: { ope, accids: ['tom', 7, 'lee'] } })
    expect(text()).toBe(words.ope[ope].replace('{name}', 'ana').replace('{who}', 'tom, lee'))
  })

  it.each([-1, 10, 1.5, 'x', undefined])('is only that it changed where that is all that is known: %s', async (ope) => {
    await show({ type: 5, from: 'ana', body: { ope, accids: 'tom' } })
    expect(text()).toBe(words.ope.other)
  })

  it('cannot be recalled', async () => {
    await show({ type: 5, from: 'ana', body: { ope: 2 } }, true)
    expect(page.getByRole('button').query()).toBeNull()
  })
})

describe('the button that recalls a line', () => {
  const recall = (what: string) => page.getByRole('button', { name: words.line.recall.replace('{text}', what) })

  it.each([
    ['hello', { body: { msg: 'hello' } }],
    ['x'.repeat(40), { body: { msg: 'x'.repeat(41) } }],
    ['a.txt', { type: 6, body: { name: 'a.txt' } }],
  ])('names the line, cut after 40 letters: %s', async (what, change) => {
    const { told } = await show(change, true)
    await recall(what).click({ force: true })
    expect(told).toEqual(['recall'])
  })

  it.each([
    ['of others', {}, false],
    ['that was recalled', { recalled: true }, true],
  ] as const)('is not there for a line %s', async (_case, change, own) => {
    await show(change, own)
    expect(page.getByRole('button').query()).toBeNull()
  })
})
