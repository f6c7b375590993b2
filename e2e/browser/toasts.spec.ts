import { expect, test } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { copyPushUrl, createChannel, endWithEncoder, openPage } from '../page.ts'

/** Messages that come and go by themselves. */
let app: RunningApp
test.beforeAll(async () => {
  app = await startApp()
})
test.afterAll(() => app.dispose())

test('several with long names stand below each other, cover no actions of rows, and no name runs under their buttons', async ({
  page,
}) => {
  await openPage(page, app)
  const main = page.getByRole('main')
  // The first one opens in the Studio without a message.
  for (const letter of ['A', 'B']) await createChannel(page, letter.repeat(60))
  const toasts = page.locator('ol[data-slot="viewport"] > li')
  await expect(toasts).toHaveCount(1)
  // They stay while another window is in front, so that a slow machine shows all of them at once.
  await page.evaluate(() => window.dispatchEvent(new Event('blur')))
  for (const letter of ['C', 'D']) await createChannel(page, letter.repeat(60))
  await expect(toasts).toHaveCount(3)
  // They stay while the pointer is on them.
  await toasts.first().hover()
  await page.evaluate(() => void (location.hash = '#/channels'))
  await expect(main.getByRole('row')).toHaveCount(5)
  const boxes = async (): Promise<readonly { x: number; y: number; width: number; height: number }[]> =>
    toasts.evaluateAll((all) =>
      all.map((each) => {
        const { x, y, width, height } = each.getBoundingClientRect()
        return { x, y, width, height }
      }),
    )
  const standBelowEachOther = (): Promise<void> =>
    expect
      .poll(async () => {
        const sorted = [...(await boxes())].sort((one, other) => one.y - other.y)
        return (
          sorted.length === 3 &&
          sorted.every((box, index) => index === 0 || box.y >= sorted[index - 1]!.y + sorted[index - 1]!.height)
        )
      })
      .toBe(true)
  await standBelowEachOther()
  const overlaps = await toasts.evaluateAll((all) =>
    all.filter((each) => {
      const [text, close] = [each.querySelector('[data-slot="title"]'), [...each.querySelectorAll('button')].at(-1)]
      if (!text || !close) return true
      const range = document.createRange()
      range.selectNodeContents(text)
      return range.getBoundingClientRect().right > close.getBoundingClientRect().left
    }),
  )
  expect(overlaps).toHaveLength(0)
  const covered = await main
    .getByRole('row')
    .getByRole('button')
    .evaluateAll(
      (buttons) =>
        buttons.filter((button) => {
          const { x, y, width, height } = button.getBoundingClientRect()
          return document.elementFromPoint(x + width / 2, y + height / 2)?.closest('ol[data-slot="viewport"]')
        }).length,
    )
  expect(covered).toBe(0)
  // Names take more lines once the window, or a page that is zoomed, is narrow.
  const heights = async (): Promise<number> => (await boxes()).reduce((sum, { height }) => sum + height, 0)
  const before = await heights()
  await page.setViewportSize({ width: 240, height: 900 })
  await toasts.first().hover({ force: true })
  await expect.poll(heights).toBeGreaterThan(before)
  await standBelowEachOther()
})

test('a channel whose encoder falls silent while Studio shows another is told as without a picture, then as off air, which stays', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await openPage(page, app)
  const encoders: Encoder[] = []
  for (const name of ['Silent', 'Shown']) {
    await createChannel(page, name)
    await endWithEncoder(page)
    await page.evaluate(() => void (location.hash = '#/channels'))
    await page.getByRole('row').filter({ hasText: name }).getByRole('link').first().click()
    encoders.push(startEncoder(await copyPushUrl(page)))
    await expect(page.locator('[data-figure="onAir"]')).toHaveText(`${encoders.length} on air`)
  }
  const told = (text: string) => page.locator('ol[data-slot="viewport"] > li').filter({ hasText: text })
  const [silent] = encoders
  const stopped = Date.now()
  silent?.process.kill('SIGSTOP')
  await expect(told('Silent sends no picture')).toBeVisible()
  await expect(told('Silent went off air')).toBeVisible()
  // The one before goes away in its own time, and takes nothing with it.
  await expect(told('Silent sends no picture')).toHaveCount(0)
  const gone = performance.now()
  await expect.poll(() => performance.now() - gone).toBeGreaterThan(1_000)
  await expect(told('Silent went off air')).toBeVisible()
  expect(Date.now() - stopped).toBeGreaterThan(9_000)
  for (const encoder of encoders) await encoder.stop('SIGKILL')
})
