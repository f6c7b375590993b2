import { describe, expect, it, onTestFinished } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref } from 'vue'
import { mounted } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import PageKeysHelp from './page-keys-help.vue'

const en = spoken(frameWords, 'en')
const zh = spoken(frameWords, 'zh')

const show = async (isOpen = true, options: Parameters<typeof mounted>[1] = {}) => {
  const open = ref(isOpen)
  await mounted(
    {
      render: () => h(PageKeysHelp, { open: open.value, 'onUpdate:open': (next: boolean) => (open.value = next) }),
    },
    options,
  )
  return open
}
const dialog = () => page.getByRole('dialog')
const listed = () =>
  [...dialog().element().querySelectorAll('dl > div')].map((row) => [
    row.querySelector('dt')?.textContent,
    row.querySelector('kbd')?.textContent,
  ])
const on = (userAgent: string): void => {
  Object.defineProperty(navigator, 'userAgent', { value: userAgent, configurable: true })
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'userAgent'))
}

describe('the list of the keys of every screen', () => {
  it.each([
    ['en', en.keys],
    ['zh', zh.keys],
  ] as const)('names each key with what it does, in %s', async (language, words) => {
    await show(true, { language })
    await expect.element(dialog()).toBeVisible()
    await expect.element(dialog().getByRole('heading')).toHaveTextContent(words.title)
    expect(listed()).toEqual([
      [words.page.palette, 'Ctrl K'],
      [words.page.create, 'N'],
      [words.page.search, '/'],
      [words.page.mark, 'B'],
      [words.page.clip, 'C'],
      [words.page.copyKey, 'Ctrl Shift C'],
      [words.page.copyLink, 'Ctrl L'],
      [words.page.goLive, 'Alt G'],
      [words.page.trim, 'E'],
      [words.page.zoomIn, '+'],
      [words.page.zoomOut, '-'],
      [words.page.help, '?'],
    ])
  })

  it('has the keys of a Mac there', async () => {
    on('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)')
    await show(true, { about: { platform: 'darwin' } })
    await expect.element(dialog()).toBeVisible()
    expect(listed()[0]).toEqual([en.keys.page.palette, '⌘ K'])
  })

  it('is not there until it is asked for, and closes by the keyboard', async () => {
    const open = await show(false)
    expect(dialog().query()).toBeNull()
    open.value = true
    await expect.element(dialog()).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(open.value).toBe(false)
  })
})
