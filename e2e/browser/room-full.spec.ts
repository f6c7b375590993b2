import { expect, test } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { openPage } from '../page.ts'
import { openSpeakers, type Speakers } from '../soak/chat-speakers.ts'

/** The Room while many people speak at once. */
let app: RunningApp
let companion: CompanionClient
let speakers: Speakers | undefined
test.beforeAll(async () => {
  app = await startApp()
  companion = await openCompanion(app)
})
test.afterAll(async () => {
  speakers?.close()
  companion?.close()
  await app?.dispose()
})

test('hundreds of lines leave fewer than 120 row nodes in the page, the newest shown, and a reader above stays where it is', async ({
  page,
}) => {
  const { roomid } = await companion.rpc.rooms.create({
    profileId: 'local',
    accid: 'ana',
    name: 'Late night',
    announcement: '',
  })
  const accounts = Array.from({ length: 30 }, (_, index) => ({ accid: `person${index}`, token: 'of-the-test' }))
  for (const { accid, token } of accounts) await companion.call('/user/create.action', { accid, name: accid, token })
  await openPage(page, app)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Room' }).click()
  const log = page.getByRole('log')
  const rows = log.locator('[data-id]')
  await expect(log).toBeVisible()
  speakers = await openSpeakers(app.ready.service, accounts, roomid)
  await page.evaluate(() => {
    const kept = globalThis as unknown as { most: number }
    kept.most = 0
    new MutationObserver(
      () => (kept.most = Math.max(kept.most, document.querySelectorAll('[role="log"] [data-id]').length)),
    ).observe(document.body, {
      childList: true,
      subtree: true,
    })
  })

  await speakers.say(400, 100)
  // Ids of the speakers' lines begin at 3.
  await expect(rows.filter({ hasText: /\b402 / })).toBeInViewport()
  const end = () => log.evaluate((node) => node.scrollHeight - node.scrollTop - node.clientHeight)
  expect(await end()).toBeLessThan(2)

  await log.evaluate((node) => (node.scrollTop = 1500))
  const first = () =>
    log.evaluate(
      (node) =>
        [...node.querySelectorAll('[data-id]')].find(
          (row) => row.getBoundingClientRect().bottom > node.getBoundingClientRect().top + 40,
        )?.textContent,
    )
  const seen = await first()
  await speakers.say(200, 100)
  await expect(page.locator('button.fresh')).toHaveText(/200/)
  expect(await first()).toBe(seen)
  await page.locator('button.fresh').click()
  await page.mouse.move(1, 1)
  await expect(rows.filter({ hasText: /\b602 / })).toBeInViewport()
  const most = await page.evaluate(() => (globalThis as unknown as { most: number }).most)
  expect(most).toBeGreaterThan(50)
  expect(most).toBeLessThan(120)
})
