import path from 'node:path'
import type { Page } from 'playwright/test'
import { startFakeCompanion, type FakeCompanion } from '../renderer/testing/fake-companion.ts'
import { makeObs } from '../renderer/testing/fake-obs.ts'
import type { Scenario } from '../renderer/testing/fake-state.ts'
import { ensureBuilt } from '../scripts/launch-build.ts'
import { readWords } from './screens/words.ts'
import type { Played } from './forms/questions.ts'

const root = path.dirname(import.meta.dirname)

/** Starts a companion that is played, with the page that is built when its source is newer. */
export async function startPlayed(scenario: Scenario): Promise<FakeCompanion> {
  await ensureBuilt(root, ['renderer'], (line) => process.stderr.write(`${line}\n`))
  return startFakeCompanion({ scenario, page: path.join(root, 'out/renderer') })
}

/** Opens its page in a language; what the page must not do is told in `faults`. */
export async function openPlayed(
  page: Page,
  fake: FakeCompanion,
  language: 'en' | 'zh',
  faults: string[] = [],
): Promise<Played> {
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`))
  page.on('console', (message) => {
    // Nothing is on air behind a companion that is played.
    if (/^(error|warning)$/.test(message.type()) && !/^Failed to load resource: .* 404 /.test(message.text()))
      faults.push(`console: ${message.text()}`)
  })
  fake.setSettings({ language })
  const say = readWords(language)
  await page.goto(`${fake.url}#/channels`)
  await page.getByRole('heading', { level: 1, name: say('channels.title') }).waitFor()
  return {
    page,
    obsSends: () => fake.tell({ type: 'obs', obs: makeObs('live', Date.now()) }),
    say,
    go: async (route) => {
      // A screen that is shown already begins anew only after another one.
      if ((await page.evaluate(() => location.hash)) !== `#${route}`)
        return page.evaluate((to) => void (location.hash = to), route)
      const [from, heading] = route === '/channels' ? ['/join', 'joining.title'] : ['/channels', 'channels.title']
      await page.evaluate((to) => void (location.hash = to), from)
      await page.getByRole('heading', { level: 1, name: say(heading) }).waitFor()
      await page.evaluate((to) => void (location.hash = to), route)
    },
    press: (key, named = {}, within = page.locator('body')) =>
      within
        .getByRole('button', { name: say(key, named) })
        .locator('visible=true')
        .first()
        .click(),
  }
}
