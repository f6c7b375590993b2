import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { mounted } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from './words.ts'
import NavRail from './nav-rail.vue'

const en = spoken(frameWords, 'en')
const zh = spoken(frameWords, 'zh')

const { nav: words } = en
const entry = (name: string) => page.getByRole('link', { name, exact: true })

describe('the rail of screens', () => {
  it('leads to every screen, and marks the one that is shown', async () => {
    const { router } = await mounted(NavRail, { path: '/channels' })
    const screens = ['studio', 'recordings', 'room', 'join', 'messaging', 'console', 'settings'] as const
    await expect.element(entry(words.channels)).toHaveAttribute('aria-current', 'page')
    for (const screen of screens) {
      await entry(words[screen]).click()
      await expect.poll(() => router.currentRoute.value.name).toBe(screen)
      await expect.element(entry(words[screen])).toHaveAttribute('aria-current', 'page')
    }
    await expect.element(entry(words.channels)).not.toHaveAttribute('aria-current')
  })

  it('marks the Studio where a broadcast is shown', async () => {
    await mounted(NavRail, { path: '/broadcasts/last' })
    await expect.element(entry(words.studio)).toHaveAttribute('aria-current', 'page')
  })

  it('has its names in Chinese', async () => {
    await mounted(NavRail, { language: 'zh' })
    for (const name of ['channels', 'studio', 'recordings', 'room', 'settings'] as const)
      await expect.element(entry(zh.nav[name])).toBeVisible()
  })

  it('marks settings on each of its pages, and no other screen', async () => {
    await mounted(NavRail, { path: '/settings/keys' })
    const marked = page
      .getByRole('link')
      .elements()
      .filter((link) => link.getAttribute('aria-current') === 'page')
    expect(marked.map(({ textContent }) => textContent?.trim())).toEqual([words.settings])
  })

  it('has a name, and its screens in their order', async () => {
    await mounted(NavRail)
    const links = page.getByRole('navigation', { name: words.main }).getByRole('link').elements()
    expect(links.map((link) => link.getAttribute('href'))).toEqual([
      '/channels',
      '/studio',
      '/recordings',
      '/room',
      '/join',
      '/messaging',
      '/console',
      '/settings',
    ])
  })
})
