import { describe, expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import { departures } from '../../testing/departures.ts'
import { mounted } from '../../testing/mounted.ts'
import UnauthorizedView from './unauthorized-view.vue'
import { spoken } from '../../format/languages.ts'
import { frameWords } from './words.ts'

const en = spoken(frameWords, 'en')
const zh = spoken(frameWords, 'zh')

const pasted = (hash: string): void => {
  const before = window.location.href
  onTestFinished(() => window.history.replaceState(null, '', before))
  window.location.hash = hash
}

describe('a page without its link', () => {
  it.each([
    ['en', en.line],
    ['zh', zh.line],
  ] as const)('says what opens it, in %s', async (language, words) => {
    await mounted(UnauthorizedView, { language })
    await expect.element(page.getByRole('heading', { name: words.unauthorizedTitle })).toBeVisible()
    await expect.element(page.getByText('npm start', { exact: true })).toBeVisible()
    await expect.element(page.getByText(words.unauthorizedNext)).toBeVisible()
  })

  it('takes a link that is pasted over its address, by loading the page anew', async () => {
    const gone = departures()
    await mounted(UnauthorizedView)
    pasted('#token=abcdefgh12345678')
    await expect.poll(() => gone).toEqual(['reload'])
    expect(window.location.hash).toBe('#token=abcdefgh12345678')
  })

  it('stays as it is for any other address', async () => {
    const gone = departures()
    await mounted(UnauthorizedView)
    const heard = new Promise((resolve) => window.addEventListener('hashchange', resolve, { once: true }))
    pasted('#/channels')
    await heard
    expect(gone).toEqual([])
  })
})
