import { expect, type Page, test } from 'playwright/test'
import { startFeed, type UpdateFeed } from '../../electron/testing/update-feed.ts'
import { startEncoder } from '../encoder.ts'
import { copyPushUrl, createChannel } from '../page.ts'
import { absence, type DesktopDesk, desktopDesk, packaged } from './desktop-app.ts'

/**
 * Newer versions, as About tells of them. From source a feed of loopback is tried; a packaged build asks the feed that it was built with and
 * no other, so of one that nobody signed only what it says is looked at.
 */
let desk: DesktopDesk
let feed: UpdateFeed | undefined

test.beforeEach(async () => {
  test.skip(absence !== null, absence ?? '')
  desk = desktopDesk()
  feed = await startFeed(
    desk.dataDir,
    `sidestage-test-${process.pid}`,
    process.platform === 'win32' ? 'CN=Nobody' : undefined,
  )
})
test.afterEach(async () => {
  if (absence !== null) return
  await desk.clear()
  await feed?.close()
})

const about = async (page: Page): Promise<void> => {
  await page.getByRole('link', { name: 'Settings' }).first().click()
  await page.getByRole('link', { name: 'About', exact: true }).click()
}
const told = (page: Page) => page.getByRole('region', { name: 'About Sidestage' }).getByRole('status').first()
const look = (page: Page): Promise<void> => page.getByRole('button', { name: 'Look now' }).click()

test('an older version is not taken, a tampered one is refused and the app runs on, nothing is fetched while live, a newer one is offered', async () => {
  test.skip(packaged !== undefined, 'a packaged build asks no feed but its own')
  // An AppImage is what can be replaced on Linux.
  const { page, clipboard } = await desk.start({
    environment: { SIDESTAGE_UPDATE_FEED: feed?.file, APPIMAGE: `${desk.dataDir}/Sidestage.AppImage` },
  })
  await about(page)
  feed?.offer({ version: '0.0.1' })
  await look(page)
  await expect(told(page)).toContainText('There is no newer version.')
  feed?.offer({ version: '99.0.0', tampered: true })
  await look(page)
  await expect(told(page)).toContainText(/could not be had: .*This version keeps running/)
  await expect(page.getByText('Service running', { exact: true })).toBeVisible()

  feed?.offer({ version: '99.0.1' })
  await createChannel(page, 'Update_show')
  const encoder = startEncoder(await copyPushUrl(page, clipboard))
  try {
    await expect(page.getByRole('banner')).toContainText(/On air/i)
    await about(page)
    await look(page)
    await expect(told(page)).toContainText('Version 99.0.1 is there. It is fetched when nothing is on air or recorded.')
    expect(feed?.asked.filter((name) => name.includes('99.0.1'))).toEqual([])
  } finally {
    await encoder.stop('SIGKILL')
  }
  await expect(page.getByRole('banner')).toContainText(/Idle/i)
  await look(page)
  // Nobody has signed what this feed offers: Windows refuses it for that when it was fetched, macOS at the latest when it is installed.
  const outcomes = {
    linux: /Version 99\.0\.1 is ready/,
    win32: /could not be had: .*This version keeps running/,
  } as const
  await expect(told(page)).toContainText(
    process.platform === 'linux' || process.platform === 'win32'
      ? outcomes[process.platform]
      : /99\.0\.1 is ready|could not be had/,
  )
})

test('a packaged build asks no other feed than its own, and an unsigned one says that it never renews itself', async () => {
  test.skip(packaged === undefined, 'this is the app from source')
  const { page } = await desk.start({ environment: { SIDESTAGE_UPDATE_FEED: feed?.file } })
  await about(page)
  await expect(told(page)).toContainText(/This build is unsigned|no place to look for newer versions|Not looked yet/)
  if (process.platform === 'linux') await expect(told(page)).toContainText('This build is unsigned')
  expect(feed?.asked).toEqual([])
})
