import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright'

/** WCAG 2 A and AA. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/**
 * Every violation of WCAG 2 A or AA on the page as it stands, each with where it is. Axe runs in the page itself and is put there once: a second page
 * for its result, as its own wrapper opens one, takes three times as long. Throws where the page has frames, as those would not be looked at.
 */
export async function axeViolations(page: Page): Promise<string[]> {
  if (page.frames().length > 1) throw new Error('axe looks into no frames')
  // A colour on its way from one theme to the other is that of neither.
  await page.evaluate(async () => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(ending.map(({ finished }) => finished))
  })
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const { violations } = await page.evaluate(
    (runOnly) =>
      (window as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run({
        runOnly,
        resultTypes: ['violations'],
      }),
    tags,
  )
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join('; ')}`)
}
