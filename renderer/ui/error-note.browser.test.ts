import { describe, expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import { h } from 'vue'
import type { Failure } from '../data/failure.ts'
import { frameWords } from '../features/frame/words.ts'
import { spoken } from '../format/languages.ts'
import { mounted, settled } from '../testing/mounted.ts'
import { seat } from '../testing/room-values.ts'
import ErrorNote from './error-note.vue'

const en = spoken(frameWords, 'en')
const zh = spoken(frameWords, 'zh')

const failure = (change: Partial<Failure> = {}): Failure => ({
  kind: 'full',
  code: null,
  skewSeconds: null,
  detail: 'what happened',
  ...change,
})
const show = (
  props: { readonly failure: Failure; readonly lead?: string },
  options: Parameters<typeof mounted>[1] = {},
) => mounted({ render: () => h(ErrorNote, props) }, options)
const button = (name: string) => page.getByRole('button', { name, exact: true })

describe('the note of a failure', () => {
  it('has no space after a full-width stop', async () => {
    await show({ failure: failure(), lead: '未保存。' }, { language: 'zh' })
    const { sentence, next } = zh.failure.full
    await expect.element(page.getByRole('alert')).toMatchTextContent(`未保存。${sentence}${next}`)
  })

  it('has the reason of a listener in the place of the details', async () => {
    const reason = { code: 'taken', params: { port: '8720' } } as const
    await show({ failure: failure({ kind: 'folder', reason }) })
    await button(en.word.details).click()
    const said = en.reason.listener.taken.replace('{port}', '8720')
    await expect.element(page.getByText(`folder · ${said}`, { exact: true })).toBeVisible()
  })

  it('has only the kind as its details where there are no others', async () => {
    await show({ failure: failure({ detail: '' }) })
    await button(en.word.details).click()
    await expect.element(page.getByText('full', { exact: true })).toBeVisible()
  })

  it('does not say that its details were copied where the browser refused', async () => {
    const { writeText } = navigator.clipboard
    navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))
    onTestFinished(() => {
      navigator.clipboard.writeText = writeText
    })
    await show({ failure: failure() })
    await button(en.word.details).click()
    await button(en.word.copy).click()
    await settled()
    await expect.element(button(en.word.copy)).toBeVisible()
    expect(button(en.word.copied).query()).toBeNull()
  })

  it('has the words for a seat where a moderator at another computer reads it', async () => {
    await show({ failure: failure() }, { about: { seat } })
    const { sentence, next } = en.seatFailure.full
    await expect.element(page.getByRole('alert')).toMatchTextContent(`${sentence} ${next}`)
  })
})
