import { execFileSync } from 'node:child_process'
import { expect, test } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { copyPushUrl, createChannel, openPage } from '../page.ts'

test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
let app: RunningApp
let encoder: Encoder | undefined
test.beforeAll(async () => {
  app = await startApp()
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  await app?.dispose()
})

test('a hold by hand that outlasts a crash of the service is told before the next push and during it', async ({
  page,
}) => {
  await openPage(page, app)
  await createChannel(page, 'Crash')
  const pushUrl = await copyPushUrl(page)
  encoder = startEncoder(pushUrl)
  const card = page.locator('[data-figure="hold"]')
  await card.getByRole('button', { name: 'Hold now' }).click()
  await expect(card).toContainText('Viewers and targets see the last picture')
  const [service] = execFileSync('pgrep', ['-P', String(app.process.pid), '-f', 'out/main/service.js'])
    .toString()
    .split('\n')
  process.kill(Number(service), 'SIGKILL')
  await encoder.stop('SIGKILL')
  await expect(card).toContainText('Next push is held')
  await expect(card).toContainText('stays held by hand: no picture is sent until Back to live.')
  encoder = startEncoder(pushUrl)
  await expect(card).toContainText('No picture is sent until Back to live')
  await expect(page.locator('[data-part="log"]')).toContainText('Still held by hand, no picture is sent')
})
