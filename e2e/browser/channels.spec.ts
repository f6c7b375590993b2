import { expect, test } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion } from '../companion-client.ts'
import { createChannel, openPage } from '../page.ts'

let app: RunningApp
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
test.beforeAll(async () => {
  app = await startApp()
})
test.afterAll(async () => app?.dispose())

test('the profile "This computer" is ready and the first channel is made where the list will stand', async ({
  page,
}) => {
  await openPage(page, app)
  await expect(page.getByRole('heading', { name: 'No channels yet' })).toBeVisible()
  await expect(page.getByRole('banner')).toContainText('This computer')
  await createChannel(page, 'Evening_show')
  await expect(page.getByRole('heading', { name: 'Evening_show' })).toBeVisible()
})

test('server and key are split as OBS wants them; the key is masked, shown for a moment, copied without being shown', async ({
  page,
}) => {
  await openPage(page, app)
  const cid = await createChannel(page, 'Keys')
  const card = page.getByRole('region', { name: 'Push to this channel' })
  await expect(card).toContainText(app.ready.service.rtmpUrl)
  await expect(card).not.toContainText('wsSecret')
  await card.getByRole('button', { name: 'Copy key without showing it' }).click()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toMatch(new RegExp(`^${cid}\\?wsSecret=[0-9a-f]{32}&wsTime=\\d+$`))
  const key = await page.evaluate(() => navigator.clipboard.readText())
  await expect(card).not.toContainText('wsSecret')
  await card.getByRole('button', { name: 'Show the key for 8 s' }).click()
  await expect(card).toContainText(key)
  await expect(card).not.toContainText('wsSecret')
  await page.reload()
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await page
    .getByRole('region', { name: 'Push to this channel' })
    .getByRole('button', { name: 'Copy key without showing it' })
    .click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(key)

  await page.getByRole('region', { name: 'Push to this channel' }).getByRole('button', { name: 'Replace key…' }).click()
  await expect(page.getByRole('dialog')).toContainText(
    'Every address given out so far stops working for new pushes. The push now on air goes on.',
  )
  await page.getByRole('dialog').getByRole('button', { name: 'Replace key' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page
    .getByRole('region', { name: 'Push to this channel' })
    .getByRole('button', { name: 'Copy key without showing it' })
    .click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).not.toBe(key)
})

test('a dialog that a row’s menu opened gives the focus back to the menu’s button', async ({ page }) => {
  await openPage(page, app)
  await createChannel(page, 'Focus_back')
  await page.getByRole('navigation').getByRole('link', { name: 'Channels' }).click()
  const button = page.getByRole('button', { name: 'Actions for Focus_back' })
  for (const item of ['Rename…', 'Delete…']) {
    await button.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: item }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(button).toBeFocused()
  }
})

test('the Studio of a disabled channel says that every push is refused and nothing is recorded', async ({ page }) => {
  await openPage(page, app)
  const cid = await createChannel(page, 'Closed')
  await page.getByRole('region', { name: 'Recording' }).getByRole('switch').click()
  await expect(page.getByRole('region', { name: 'Recording' })).toContainText('The next push is recorded.')
  const companion = await openCompanion(app)
  await companion.call('/app/channel/pause', { cid })
  companion.close()
  await expect(page.getByRole('region', { name: 'Recording' })).toContainText(
    'Nothing is recorded while the channel is disabled.',
  )
  await expect(page.getByRole('region', { name: 'Recording' })).not.toContainText('ARMED')
  await expect(page.getByRole('region', { name: 'Go-live check' })).toContainText(
    'Channel disabled: every push is refused',
  )
})

test('channels are renamed, disabled, resumed and deleted, singly and in batches with a report', async ({ page }) => {
  await openPage(page, app)
  for (const name of ['Batch_1', 'Batch_2', 'Batch_3']) await createChannel(page, name)
  await page.getByRole('navigation').getByRole('link', { name: 'Channels' }).click()
  const table = page.getByRole('region', { name: 'Channels' })
  const row = (name: string) => table.getByRole('row').filter({ hasText: name })

  await row('Batch_3').getByRole('button', { name: 'Actions for Batch_3' }).click()
  await page.getByRole('menuitem', { name: 'Rename…' }).click()
  await page.getByRole('dialog').getByLabel('Name', { exact: false }).fill('Batch_2')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await expect(page.getByRole('dialog')).toContainText('A channel with this name exists.')
  await page.getByRole('dialog').getByLabel('Name', { exact: false }).fill('批次_三')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await expect(row('批次_三')).toBeVisible()

  await row('Batch_1').getByRole('button', { name: 'Actions for Batch_1' }).click()
  await page.getByRole('menuitem', { name: 'Disable' }).click()
  await expect(row('Batch_1')).toContainText(/Disabled/i)

  for (const name of ['Batch_1', 'Batch_2', '批次_三'])
    await page.getByRole('checkbox', { name: `Select ${name}` }).click()
  const bar = page.getByRole('region', { name: 'Selected channels' })
  await expect(bar).toContainText('3 selected')
  await bar.getByRole('button', { name: 'Disable 2' }).click()
  await expect(row('Batch_2')).toContainText(/Disabled/i)
  await expect(bar).toContainText('1 selected')
  await expect(bar).toContainText('Last batch: 2 of 2 disabled')
  for (const name of ['Batch_2', '批次_三']) await page.getByRole('checkbox', { name: `Select ${name}` }).click()
  await bar.getByRole('button', { name: 'Resume 3' }).click()
  await expect(row('批次_三')).toContainText(/Idle/i)
  await expect(bar).toContainText('Last batch: 3 of 3 resumed')
  await bar.getByRole('button', { name: 'Report' }).click()
  await expect(page.getByRole('dialog')).toContainText('Batch_1')
  await page.keyboard.press('Escape')
  for (const name of ['Batch_1', 'Batch_2', '批次_三'])
    await page.getByRole('checkbox', { name: `Select ${name}` }).click()
  await bar.getByRole('button', { name: 'Delete 3…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete 3' }).click()
  await expect(row('Batch_2')).toHaveCount(0)
})

test('a link works once, and a page without one says what it needs', async ({ page, browser }) => {
  const link = await app.link()
  await page.goto(link)
  await expect(page.getByText('Service running')).toBeVisible()
  const stranger = await browser.newContext()
  const other = await stranger.newPage()
  await other.goto(link)
  await expect(other.getByText('This page needs its link')).toBeVisible()
  // A link that is pasted into the open tab changes what stands behind # only.
  await other.goto(await app.link())
  await expect(other.getByText('Service running')).toBeVisible()
  expect(other.url()).not.toContain('token')
  await stranger.close()
})
