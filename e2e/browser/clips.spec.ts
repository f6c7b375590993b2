import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { copyPushUrl, createChannel, openPage } from '../page.ts'
import { recordingCard } from '../recording.ts'

let app: RunningApp
let encoder: Encoder | undefined
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
test.beforeAll(async () => {
  app = await startApp()
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  await app?.dispose()
})

test('C saves what was just on air, also of a push that is not recorded, and Enter names it', async ({ page }) => {
  await openPage(page, app)
  const cid = await createChannel(page, 'Clipped')
  encoder = startEncoder(await copyPushUrl(page), { gopSeconds: 1 })
  const card = recordingCard(page)
  await expect(card.getByRole('button', { name: /^Clip last 60 s/ })).toBeVisible()
  await expect.poll(() => (encoder!.progress().at(-1)?.frames ?? 0) > 90).toBe(true)

  await page.locator('body').press('c')
  const saved = card.getByRole('status').filter({ hasText: 'Clip saved' })
  await expect(saved).toBeVisible()
  const [file, ...others] = globSync(`**/${cid}/*.mp4`, { cwd: app.dataDir })
  expect(others).toEqual([])
  const seconds = execFileSync('ffprobe', [
    '-v',
    'error',
    '-show_entries',
    'format=duration',
    '-of',
    'csv=p=0',
    join(app.dataDir, file!),
  ])
  expect(Number(seconds)).toBeGreaterThan(1)

  const name = card.getByRole('textbox', { name: 'Name of the clip' })
  await name.fill('Lighthouse horn')
  await name.press('Enter')
  await expect(saved).toContainText('Lighthouse horn')
  await expect(name).toBeHidden()
  await card.getByRole('link', { name: 'Open in Recordings' }).click()
  await expect(page.getByRole('table').getByText('Lighthouse horn')).toBeVisible()
})
