import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import { spoken } from '../../format/languages.ts'
import { began, mounted, withProps } from '../../testing/mounted.ts'
import { noLimits, sheetAnswers, usualAccess, usualReach } from '../../testing/share-values.ts'
import { frameWords } from '../frame/words.ts'
import type { NamedLink, Reach } from './share.ts'
import ShareSheet from './share-sheet.vue'
import { shareWords } from './words.ts'

const { share: words } = spoken(shareWords, 'en')
const { share: zh } = spoken(shareWords, 'zh')
const en = spoken(frameWords, 'en')
const on = { profileId: 'local', cid: 'a'.repeat(32) }
const good: Partial<Reach> = { reach: 'proxy', url: 'https://radio.example', publicUrl: 'https://radio.example' }
const mum: NamedLink = { linkId: 3, name: 'Mum', ending: 'x7Qz', created: began, viewers: 2 }
const show = async (
  reach: Partial<Reach> = good,
  answers: Parameters<typeof mounted>[1] & object = {},
  copies: () => Promise<void> = () => Promise.resolve(),
) => {
  const written = vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(copies)
  onTestFinished(() => written.mockRestore())
  const shown = await mounted(withProps(ShareSheet, { open: true, on, name: 'Night Radio' }), {
    ...answers,
    answers: {
      ...sheetAnswers({}, reach),
      'operations.reach.proxySnippet': () => ({ ret: { text: 'server {}', file: 'a' } }),
      'access.startVisit': () => ({ visitId: 'v', url: 'https://radio.example/visit/v', expires: began }),
      ...answers.answers,
    },
  })
  const { title } = answers.language === 'zh' ? zh.link : words.link
  await expect.element(page.getByText(title)).toBeVisible()
  return shown
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const frame = () => page.getByRole('region', { name: words.embed.title })

describe('that something was copied is said for some seconds only', () => {
  it('of the frame, and not of another frame', async () => {
    await show()
    await button(words.embed.copy).click()
    await expect.element(frame().getByRole('button', { name: en.word.copied })).toBeVisible()
    await expect.element(button(words.embed.copy)).toBeVisible()
    await button(words.embed.copy).click()
    await expect.element(frame().getByRole('button', { name: en.word.copied })).toBeVisible()
    await frame().getByText(words.embed.chat, { exact: true }).click()
    expect(frame().getByRole('button', { name: en.word.copied }).query()).toBeNull()
  })

  it('of the configuration of a proxy', async () => {
    await show()
    await button(words.proxy.snippet.replace('{server}', 'nginx')).click()
    await button(words.proxy.copy).click()
    await expect.element(button(words.proxy.copied)).toBeVisible()
    await expect.element(button(words.proxy.copy)).toBeVisible()
  })

  it('and where the browser does not allow it, that is said', async () => {
    await show(good, {}, () => Promise.reject(new Error('not allowed')))
    await button(words.embed.copy).click()
    await expect.element(frame().getByText(words.link.notCopied)).toBeVisible()
  })
})

describe('the check with a phone', () => {
  it.each<[string, Partial<Reach>]>([
    ['no public name or address', { reach: 'proxy' }],
    ['name not found', { ...good, results: [{ reach: 'proxy', state: 'fault', reason: 'name' }] }],
    ['no certificate', { reach: 'port', results: [] }],
  ])('is not offered where no link leads anywhere, and says why: %s', async (why, reach) => {
    const shown = await show(reach)
    const start = button(words.visit.start)
    await expect.element(start).toHaveAttribute('aria-disabled', 'true')
    await expect.element(start).toHaveAccessibleDescription(words.visit.missing.replace('{why}', why))
    ;(start.element() as HTMLElement).click()
    await shown.pass(1)
    expect(shown.client.inputs('access.startVisit')).toEqual([])
  })

  it('is offered where there is a link, and nothing is said of one that is missing', async () => {
    const shown = await show()
    await button(words.visit.start).click()
    await expect.poll(() => shown.client.inputs('access.startVisit').length).toBe(1)
    expect(page.getByText(words.visit.missing.replace('{why}', '')).query()).toBeNull()
  })

  it('is not there for this computer alone', async () => {
    await show(usualReach)
    expect(button(words.visit.start).query()).toBeNull()
  })
})

describe('a link that was revoked', () => {
  it('has the watchers counted anew at once, before the next look', async () => {
    // What is read every few seconds is not read here.
    const timers = vi.spyOn(window, 'setInterval').mockReturnValue(0 as never)
    onTestFinished(() => timers.mockRestore())
    const state = { links: [mum], watching: 2 }
    await show(good, {
      answers: {
        'operations.access.access': () => ({ ret: { ...usualAccess, links: state.links } }),
        'operations.access.watchLimits': () => ({ ret: { ...noLimits, viewers: state.watching } }),
        'operations.access.revokeNamedLink': () => {
          state.links = [{ ...mum, revoked: began, ended: 2 }]
          state.watching = 0
          return { ret: { ended: 2 } }
        },
      },
    })
    await expect.element(page.getByText(/2 watching/)).toBeVisible()
    await button(words.named.revoke).click()
    await button(words.named.askAction).click()
    await expect.element(page.getByText(/0 watching/)).toBeVisible()
  })
})

describe('the head of the table of named links', () => {
  it.each([
    ['en', 1120],
    ['zh', 1120],
    ['en', 1210],
    ['zh', 1210],
  ] as const)('has each of its words on one line: %s at %i px', async (language, width) => {
    await page.viewport(width, 700)
    onTestFinished(() => page.viewport(1440, 900))
    await show(good, {
      language,
      answers: sheetAnswers(
        {
          links: [
            {
              ...mum,
              name: 'The whole editorial office of the student radio in the main hall',
              lastUsed: began,
              lastUsedBy: '203.0.113.9',
            },
          ],
        },
        good,
      ),
    })
    const heads = [...document.querySelectorAll<HTMLElement>('thead th')]
    expect(heads).toHaveLength(5)
    const line = Math.max(...heads.map((head) => parseFloat(getComputedStyle(head).lineHeight)))
    for (const head of heads) {
      const range = document.createRange()
      range.selectNodeContents(head)
      expect(range.getBoundingClientRect().height, head.textContent).toBeLessThanOrEqual(line + 1)
    }
  })
})
