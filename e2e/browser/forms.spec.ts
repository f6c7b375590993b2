import { expect, test, type Locator, type Page } from 'playwright/test'
import { watchCalls } from '../forms/calls.ts'
import type { Kind, Stage } from '../forms/form.ts'
import { forms } from '../forms/table.ts'
import { readKeys, tryForm } from '../forms/trial.ts'
import { openFormApp, type FormApp } from '../forms/form-app.ts'
import { openPage } from '../page.ts'
import { readWords } from '../screens/words.ts'

/** Every dialog and form is opened and sent empty, too long, with markup and in other scripts, in both languages; the screen stays. */
test.describe.configure({ mode: 'serial' })
let app: FormApp
test.beforeAll(async () => {
  app = await openFormApp()
})
test.afterAll(async () => app?.close())

/** What the browser itself writes where a sign-in is refused. */
const isRefusal = (line: string): boolean => /^Failed to load resource: .* 401 /.test(line)

/** Everything that a page must not do while its forms are tried. */
function watchFaults(page: Page): string[] {
  const faults: string[] = []
  page.on('dialog', (dialog) => {
    faults.push(`executed: ${dialog.message()}`)
    dialog.dismiss().catch((error: unknown) => faults.push(`a dialog that stayed: ${String(error)}`))
  })
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`))
  page.on('console', (message) => {
    if (/^(error|warning)$/.test(message.type()) && !isRefusal(message.text()))
      faults.push(`console: ${message.text()}`)
  })
  return faults
}

const button = (within: Locator, name: string): Locator =>
  within.getByRole('button', { name }).locator('visible=true').first()

const rounds: readonly { readonly language: 'en' | 'zh'; readonly kinds: readonly Kind[] }[] = [
  { language: 'en', kinds: ['empty', 'long', 'markup'] },
  { language: 'zh', kinds: ['empty', 'script'] },
]

for (const { language, kinds } of rounds)
  test(`every form in ${language === 'en' ? 'English' : 'Chinese'}: ${kinds.join(', ')}`, async ({ page }) => {
    const faults = watchFaults(page)
    const calls = watchCalls(page)
    const say = readWords(language)
    await app.companion.rpc.app.changeSettings({ language: 'en' })
    await openPage(page, app.app)
    await app.companion.rpc.app.changeSettings({ language })
    await expect(page.locator('html')).toHaveAttribute('lang', language === 'en' ? 'en' : 'zh-CN')
    const origin = page.url().replace(/#.*/, '')
    const stage: Stage = {
      page,
      app,
      calls,
      language,
      say,
      dialog: page.getByRole('dialog'),
      go: async (route) => {
        const [from, heading] = route === '/channels' ? ['/join', 'joining.title'] : ['/channels', 'channels.title']
        await page.goto(`${origin}#${from}`)
        await page.getByRole('heading', { level: 1, name: say(heading) }).waitFor()
        await page.goto(`${origin}#${route}`)
      },
      press: (key, named = {}, within = page.locator('body')) => button(within, say(key, named)).click(),
      send: (key) => button(page.locator('body'), say(key)).dispatchEvent('click'),
    }
    const look = {
      keys: readKeys(),
      faults: [say('fault.page.title'), say('fault.part.title'), say('fault.screen'), say('failure.internal.sentence')],
      isOurs: (sentence: string): boolean => /\p{Script=Han}/u.test(sentence) === (language === 'zh'),
    }
    const wrong: string[] = []
    for (const form of forms)
      await test.step(form.made[0] ?? '', async () => {
        wrong.push(
          ...(await tryForm(stage, form, kinds, look)),
          ...faults.splice(0).map((fault) => `${form.made[0]}: ${fault}`),
        )
      })
    expect(wrong).toEqual([])
  })
