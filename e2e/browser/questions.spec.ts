import { expect, test } from 'playwright/test'
import type { FakeCompanion } from '../../renderer/testing/fake-companion.ts'
import { questions } from '../forms/questions.ts'
import { readKeys } from '../forms/trial.ts'
import { keepLinesOpen } from '../page.ts'
import { openPlayed, startPlayed } from '../played.ts'

/** Every question that opens with nothing but the page is asked in both languages, left with Esc, and answered; the screen stays. */
// One for each language, as answers change what is there.
let fake: FakeCompanion
test.beforeEach(async () => {
  fake = await startPlayed('full')
})
test.afterEach(() => fake?.close())

for (const language of ['en', 'zh'] as const)
  test(`every question in ${language === 'en' ? 'English' : 'Chinese'} is asked and left${language === 'en' ? ', and answered' : ''}`, async ({
    page,
  }) => {
    const faults: string[] = []
    await keepLinesOpen(page)
    const played = await openPlayed(page, fake, language, faults)
    const keys = readKeys()
    const dialog = page.getByRole('dialog')
    const screen = async (about: string): Promise<void> => {
      const text = await page.evaluate(() => document.querySelector('main')?.innerText ?? '')
      expect(text.trim(), about).not.toBe('')
      await expect(page.locator('h1, h2').first(), about).toBeVisible()
      expect(
        [played.say('fault.page.title'), played.say('fault.screen')].filter((fault) => text.includes(fault)),
        about,
      ).toEqual([])
    }
    for (const { made, as, yes, names, open } of questions)
      await test.step(`${made} ${as ?? ''}`, async () => {
        const about = `${made} ${as ?? ''}`
        await open(played)
        await expect(dialog, about).toBeVisible()
        const text = await dialog.innerText()
        expect(
          [...text.matchAll(/\b[a-z]\w*(?:\.\w+)+/gi)].map(([word]) => word).filter((word) => keys.has(word)),
          about,
        ).toEqual([])
        expect(text, about).not.toMatch(/\{\w+\}/)
        // Invented names have letters of both languages; everything else speaks that of the page.
        expect(/\p{Script=Han}/u.test(text.replaceAll(/深夜[\p{Script=Han}]*/gu, '')), about).toBe(language === 'zh')
        if (names !== undefined) expect(text, about).toContain(names)
        await expect(dialog.getByRole('button', { name: played.say('word.cancel'), exact: true }), about).toBeVisible()
        await page.keyboard.press('Escape')
        await expect(dialog, about).toHaveCount(0)
        await screen(about)
        // What comes of an answer is the same in both.
        if (language === 'zh') return expect(faults.splice(0), about).toEqual([])
        await open(played)
        await dialog.getByRole('button', { name: played.say(yes), exact: true }).click()
        // It is done, or says in the dialog why not.
        await expect
          .poll(async () => (await dialog.count()) === 0 || (await dialog.getByRole('alert').count()) > 0, {
            message: about,
          })
          .toBe(true)
        if ((await dialog.count()) > 0) {
          expect(await dialog.innerText(), about).not.toContain(played.say('failure.internal.sentence'))
          await page.keyboard.press('Escape')
          await expect(dialog, about).toHaveCount(0)
        }
        await screen(about)
        expect(faults.splice(0), about).toEqual([])
      })
  })
