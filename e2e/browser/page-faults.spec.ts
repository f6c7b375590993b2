import { expect, test, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion } from '../companion-client.ts'
import { openPage } from '../page.ts'

/** Faults of the page that nobody expected: the screen stays, and they are said once. */
let app: RunningApp
test.beforeAll(async () => {
  app = await startApp()
})
test.afterAll(async () => {
  await app?.dispose()
})

const logged = (page: Page): string[] => {
  const lines: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') lines.push(message.text())
  })
  page.on('pageerror', (error) => lines.push(error.message))
  return lines
}

test('faults that nobody caught are told in one notice, and the screen stays', async ({ page }) => {
  const lines = logged(page)
  await openPage(page, app)
  const screen = page.getByRole('button', { name: /Create channel|新建频道/ }).first()
  await expect(screen).toBeVisible()
  await page.evaluate(() => {
    // Rejections that nobody hears are what is tried.
    const unheard: Promise<never>[] = []
    for (let n = 0; n < 50; n++) {
      setTimeout(() => {
        throw new Error(`thrown ${n}`)
      })
      setTimeout(() => {
        unheard.push(Promise.reject(new Error(`rejected ${n}`)))
      })
    }
  })
  const notice = page.getByText('Something in this page went wrong.')
  await expect(notice).toHaveCount(1)
  await expect(screen).toBeVisible()
  expect(lines.filter((line) => /thrown 0|rejected 0/.test(line)).length).toBeGreaterThan(1)
  await page.screenshot({ path: 'out/screenshots/app/fault-notice.png' })
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(notice).toHaveCount(0)
})

/** A screen whose setup throws until it is mended. */
const broken = `export default { setup() { if (globalThis.mended) return () => 'shown whole'; throw new Error('broken on purpose') } }`

test('a screen that cannot be shown leaves the frame and the other screens, and is shown again', async ({ page }) => {
  const lines = logged(page)
  await page.route(/\/assets\/recordings-view-[^/]*\.js$/, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: broken }),
  )
  await openPage(page, app)
  await page.goto(page.url().replace(/#.*/, '#/recordings'))
  const sentence = page.getByText('This screen cannot be shown.')
  await expect(sentence).toBeVisible()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  expect(lines.some((line) => line.includes('broken on purpose'))).toBe(true)
  await page.screenshot({ path: 'out/screenshots/app/screen-broken.png' })
  await page.goto(page.url().replace(/#.*/, '#/channels'))
  await expect(page.getByRole('button', { name: /Create channel|新建频道/ }).first()).toBeVisible()
  await page.goto(page.url().replace(/#.*/, '#/recordings'))
  await expect(sentence).toBeVisible()
  await page.evaluate(() => Object.assign(globalThis, { mended: true }))
  await page.getByRole('button', { name: 'Show again' }).click()
  await expect(page.getByText('shown whole')).toBeVisible()
  await expect(sentence).toHaveCount(0)
})

/** Ends the first requests of a file, as a network that changes does. */
async function endFirst(page: Page, file: RegExp, times: number): Promise<() => number> {
  let ended = 0
  await page.route(file, (route) => (ended < times ? ((ended += 1), route.abort('failed')) : route.continue()))
  return () => ended
}

test('a page whose files did not come is loaded again until it is whole, and a screen that did not come at first needs no word', async ({
  page,
}) => {
  const scripts = await endFirst(page, /\/assets\/index-[^/]*\.js$/, 2)
  const styles = await endFirst(page, /\/assets\/index-[^/]*\.css$/, 1)
  await openPage(page, app)
  expect([scripts(), styles()]).toEqual([2, 1])
  expect(await page.evaluate(() => getComputedStyle(document.body).overflow)).toBe('hidden')
  const screen = await endFirst(page, /\/assets\/room-view-[^/]*\.js$/, 2)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Room' }).click()
  await expect(page.getByRole('heading', { name: 'Room', exact: true })).toBeVisible()
  expect(screen()).toBe(2)
  await expect(page.getByText('A part of this page could not be loaded.')).toHaveCount(0)
})

test('a page without any of its scripts says so, and is whole after a reload', async ({ page }) => {
  await page.route(/\.js$/, (route) => route.abort())
  await page.goto(await app.link())
  await expect(page.getByText('Sidestage could not be loaded whole.')).toBeVisible()
  await page.screenshot({ path: 'out/screenshots/app/not-started.png' })
  await page.unroute(/\.js$/)
  await page.reload()
  await expect(page.getByText('Service running', { exact: true })).toBeVisible()
  await expect(page.getByText('Sidestage could not be loaded whole.')).toHaveCount(0)
})

test('the page of a viewer is loaded again as well', async ({ page }) => {
  const scripts = await endFirst(page, /\/assets\/index-[^/]*\.js$/, 2)
  await page.goto(`${app.ready.service.mediaUrl}/watch/${'0'.repeat(32)}`)
  await expect(page.getByRole('alert')).toBeVisible()
  expect(scripts()).toBe(2)
  await expect(page.getByText('Sidestage could not be loaded whole.')).toHaveCount(0)
})

test('a screen that could not be fetched is told with a way on, which opens it', async ({ page }) => {
  const lines = logged(page)
  const address = /\/assets\/room-view-[^/]*\.js$/
  await page.route(address, (route) => route.abort())
  await openPage(page, app)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Room' }).click()
  const notice = page.getByText('A part of this page could not be loaded.')
  await expect(notice).toHaveCount(1)
  // What was open stays.
  await expect(page.getByRole('button', { name: /Create channel|新建频道/ }).first()).toBeVisible()
  expect(lines.some((line) => line.includes('room-view'))).toBe(true)
  await page.screenshot({ path: 'out/screenshots/app/part-missing.png' })
  await page.unroute(address)
  await page.getByRole('button', { name: 'Reload the page' }).click()
  await expect(page.getByRole('heading', { name: 'Room', exact: true })).toBeVisible()
  await expect(notice).toHaveCount(0)
})

test('a dialog that could not be fetched is told, and the screen stays', async ({ page }) => {
  await page.route(/\/assets\/command-palette-[^/]*\.js$/, (route) => route.abort())
  await openPage(page, app)
  await page.keyboard.press('Control+k')
  await expect(page.getByText('A part of this page could not be loaded.')).toHaveCount(1)
  await expect(page.getByRole('button', { name: /Create channel|新建频道/ }).first()).toBeVisible()
})

const throwOnce = (page: Page): Promise<unknown> =>
  page.evaluate(() => {
    setTimeout(() => {
      throw new Error('thrown on purpose')
    })
  })

test('the window of a room and the page of a moderator tell of faults as well', async ({ page, browser }) => {
  const companion = await openCompanion(app)
  const { rpc } = companion
  const { roomid } = await rpc.rooms.create({ profileId: 'local', accid: 'ana', name: 'Late night', announcement: '' })
  await openPage(page, app)
  await page.setViewportSize({ width: 340, height: 480 })
  await page.goto(page.url().replace(/#.*/, `#/pop-out/room/${roomid}`))
  await expect(page.getByRole('log')).toBeVisible()
  await throwOnce(page)
  const sentence = 'Something in this page went wrong.'
  await expect(page.getByText(sentence)).toBeVisible()
  await expect(page.getByRole('log')).toBeVisible()
  await page.screenshot({ path: 'out/screenshots/app/fault-notice-pop-out.png' })
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(page.getByText(sentence)).toHaveCount(0)

  await rpc.seats.listen({ on: true, open: false, port: 0 })
  const { link, token } = await rpc.seats.invite({ profileId: 'local', roomid, accid: 'lee', name: 'Lee' })
  companion.close()
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } })
  const seat = await context.newPage()
  await seat.goto(link ?? '')
  await seat.getByLabel('Account (accid)').fill('lee')
  await throwOnce(seat)
  await expect(seat.getByText(sentence)).toBeVisible()
  await expect(seat.getByRole('heading', { name: 'Sign in as a moderator' })).toBeVisible()
  await seat.screenshot({ path: 'out/screenshots/app/fault-notice-sign-in.png' })
  await seat.getByRole('button', { name: 'Close' }).click()
  await seat.getByLabel('Token', { exact: true }).fill(token)
  await seat.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(seat.getByRole('log')).toBeVisible()
  await expect(seat.getByText(sentence)).toHaveCount(0)
  await throwOnce(seat)
  await expect(seat.getByText(sentence)).toBeVisible()
  await expect(seat.getByRole('log')).toBeVisible()
  await seat.screenshot({ path: 'out/screenshots/app/fault-notice-seat.png' })
  await context.close()
})
