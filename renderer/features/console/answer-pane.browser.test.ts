import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { errorTable } from '../../../contract/errors.ts'
import { operations } from '../../../contract/operations/index.ts'
import type { ApiCall } from '../../../contract/rpc/index.ts'
import { failureOf } from '../../data/failure.ts'
import { spoken } from '../../format/languages.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted, starting, type MountOptions } from '../../testing/mounted.ts'
import AnswerPane from './answer-pane.vue'
import type { PastCall } from './console-calls.ts'
import { consoleWords } from './words.ts'

const { console: words } = spoken(consoleWords, 'en')
const operation = operations.find(({ path }) => path === '/app/channelstats')!
const call = (change: Partial<ApiCall> = {}): ApiCall => ({
  path: operation.path,
  url: 'http://127.0.0.1/app/channelstats',
  at: began,
  milliseconds: 12.6,
  headers: [],
  body: '',
  curl: '',
  status: 200,
  code: 200,
  answer: '{\n  "code": 200\n}',
  fault: null,
  cut: false,
  ...change,
})
const past = (id: number, change: Partial<ApiCall> = {}): PastCall => ({ id, call: call(change), values: {} })
const show = async (props: Readonly<Record<string, unknown>> = {}, options: MountOptions = {}) => {
  const again: number[] = []
  await mounted(AnswerPane, {
    ...options,
    props: {
      operation,
      call: null,
      failure: null,
      past: [],
      onAgain: ({ id }: PastCall) => again.push(id),
      ...props,
    },
  })
  return again
}
const status = () => page.getByRole('status')
const rows = () => [...document.querySelectorAll('dl > div')]
const history = () => page.getByRole('button', { name: starting(words.history) })

describe('the answer of a call', () => {
  it('is none before the first call', async () => {
    await show()
    await expect.element(status()).toHaveTextContent(words.noAnswer)
    expect(document.querySelector('pre')).toBeNull()
  })

  it('has its code, whether it is done, and how long it took and when', async () => {
    await show({ call: call() })
    await expect.element(status()).toMatchTextContent(words.done)
    const timing = words.timing.replace('{status}', '200').replace('{ms}', '13').replace('{time}', '16:00:00')
    await expect.element(status()).toMatchTextContent(timing)
    expect(status().element().querySelector('.text-ok')).not.toBeNull()
  })

  it.each([
    ['en', errorTable[617].sentence.en, errorTable[617].next.en],
    ['zh', errorTable[617].sentence.zh, errorTable[617].next.zh],
  ] as const)('that was refused has its sentence and what to do, in %s', async (language, sentence, next) => {
    await show({ call: call({ code: 617 }) }, { language })
    await expect.element(status()).toMatchTextContent(sentence)
    await expect.element(status()).toMatchTextContent(next)
    expect(status().element().querySelector('.text-armt')).not.toBeNull()
  })

  it('without a code is told by a dash', async () => {
    await show({ call: call({ code: null, status: 502, answer: 'Bad Gateway' }) })
    await expect.element(status()).toMatchTextContent(`–`)
    await expect.element(status()).toMatchTextContent(words.noCode)
    expect(document.querySelector('pre')?.textContent).toBe('Bad Gateway\n')
  })

  it('that breaks the contract is not marked as done, and says how', async () => {
    await show({ call: call({ fault: 'ret is missing' }) })
    await expect.element(status()).toMatchTextContent(words.breaks.replace('{fault}', 'ret is missing'))
    expect(status().element().querySelector('.text-ok')).toBeNull()
  })

  it('is shown whole with the names of its members marked, and says where it is cut', async () => {
    await show({ call: call({ cut: true }) })
    const answer = document.querySelector('pre')
    expect(answer?.textContent).toBe('{\n  "code": 200\n}\n')
    expect([...answer!.querySelectorAll('span')].map(({ textContent }) => textContent).filter(Boolean)).toEqual([
      '"code"',
    ])
    await expect.element(page.getByText(words.cut)).toBeVisible()
  })

  it('is not shown beside why a later call was not made', async () => {
    await show({ call: call(), failure: failureOf(failed({ kind: 'late' })) })
    await expect.element(page.getByRole('alert')).toBeVisible()
    expect(document.querySelector('pre')).toBeNull()
  })

  it('stands among all codes of the operation, which are counted', async () => {
    await show({ call: call({ code: 617 }) })
    expect(rows().map((row) => Number(row.firstElementChild?.textContent))).toEqual([...operation.codes])
    const marked = rows().filter((row) => row.className.includes('bg-'))
    expect(marked.map((row) => row.firstElementChild?.textContent)).toEqual(['617'])
    await expect
      .element(page.getByRole('heading', { name: starting(words.codes) }))
      .toMatchTextContent(String(operation.codes.length))
  })

  it('has no codes without an operation', async () => {
    await show({ operation: null })
    expect(rows()).toEqual([])
  })
})

describe('the calls of this visit', () => {
  it('are counted, and listed on request', async () => {
    await show({ past: [past(2), past(1)] })
    await expect.element(history()).toHaveAttribute('aria-expanded', 'false')
    await expect.element(history()).toHaveTextContent(`${words.history}2`)
    expect(page.getByRole('listitem').elements()).toHaveLength(0)
    await history().click()
    await expect.element(history()).toHaveAttribute('aria-expanded', 'true')
    expect(page.getByRole('listitem').elements()).toHaveLength(2)
    await history().click()
    expect(page.getByRole('listitem').elements()).toHaveLength(0)
  })

  it('are none at first', async () => {
    await show()
    await history().click()
    await expect.element(page.getByText(words.historyEmpty)).toBeVisible()
  })

  it('have their time, path and code, and are taken again one by one', async () => {
    const again = await show({ past: [past(2, { code: null, status: 502 }), past(1, { code: 617 })] })
    await history().click()
    const items = page.getByRole('listitem')
    await expect.element(items.nth(0)).toHaveTextContent(`16:00:00${operation.path}–`)
    await expect.element(items.nth(1)).toHaveTextContent(`16:00:00${operation.path}617`)
    const name = words.again.replace('{path}', operation.path)
    await page.getByRole('button', { name: name.replace('{code}', '617') }).click()
    await page.getByRole('button', { name: name.replace('{code}', '502') }).click()
    expect(again).toEqual([1, 2])
  })
})
