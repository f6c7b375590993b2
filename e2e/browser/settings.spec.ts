import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, type Locator, type Page, test } from 'playwright/test'
import type { AppReady, RunningApp } from '../app.ts'
import { startCommand } from '../command.ts'
import { startEncoder } from '../encoder.ts'
import { inEveryLook } from '../looks.ts'
import { copyPushUrl, createChannel, openPage } from '../page.ts'
import { askForRecording, recordedSeconds } from '../recording.ts'

/** Settings as a person walks them: every section by keyboard, then this computer's data, ports, keychain and file of settings. The app runs on its usual folder, so that it can move. */
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
const home = mkdtempSync(path.join(tmpdir(), 'sidestage-settings-'))
const moved = path.join(home, 'big disk')
let app: RunningApp

/** As `npm start` with no folder named; without a session bus, so that there is no keychain. */
const start = (): Promise<Omit<RunningApp, 'dataDir' | 'link' | 'dispose'>> => {
  const { DBUS_SESSION_BUS_ADDRESS: _, XDG_RUNTIME_DIR: __, ...others } = process.env
  return startCommand<AppReady>(
    [
      'scripts/start.ts',
      '--no-open',
      '--shell',
      'browser',
      '--port',
      '0',
      '--api-port',
      '0',
      '--media-port',
      '0',
      '--recording-minute',
      '1000',
    ],
    { ...others, XDG_DATA_HOME: home },
  )
}
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
const open = async (page: Page, section: string): Promise<void> => {
  await page.goto(page.url().replace(/#.*/, `#/settings/${section}`))
}
const card = (page: Page, name: string) => page.getByRole('group', { name, exact: true })

test.beforeAll(async () => {
  const command = await start()
  app = {
    ...command,
    dataDir: path.join(home, 'sidestage'),
    link: async () => (await start()).ready.url,
    dispose: async () => {
      await command.stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
})
test.afterAll(async () => {
  await app?.dispose()
})

test('every section opens from the keyboard with its heading, and has no fault of accessibility', async ({ page }) => {
  await openPage(page, app)
  await open(page, 'profiles')
  const sections = page.getByRole('navigation', { name: 'Sections' }).getByRole('link')
  await sections.first().focus()
  const count = await sections.count()
  expect(count).toBeGreaterThan(9)
  for (let at = 0; at < count; at++) {
    await expect(sections.nth(at)).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(sections.nth(at)).toHaveAttribute('aria-current', 'page')
    await expect(page.getByRole('heading', { level: 2 }).first()).toBeVisible()
    await page.keyboard.press('Tab')
  }
  await open(page, 'computer')
  await inEveryLook(page, 'settings-computer', async (language) => {
    await expect(page.getByRole('group', { name: language === 'en' ? 'Data folder' : '数据文件夹' })).toBeVisible()
    await expect(page.getByText(language === 'en' ? /free on this disk/ : /此磁盘剩余/)).toBeVisible()
  })
})

test('the forms of the data folder and the ports are sent empty, far too long, with markup and in another script: each is told', async ({
  page,
}) => {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  await openPage(page, app)
  await open(page, 'computer')
  const texts = ['q'.repeat(70_000), '"><script>alert(1)</script>{{7*7}}', 'مرحبا 深夜 👩‍👩‍👧']
  const enter = async (field: Locator, text: string): Promise<void> => {
    await field.evaluate((node) => node.removeAttribute('maxlength'))
    await field.fill(text)
  }
  const ports = card(page, 'Ports')
  for (const text of texts) {
    await enter(ports.getByLabel('RTMP'), text)
    await ports.getByRole('button', { name: 'Save and restart' }).dispatchEvent('click')
    await expect(ports.getByText('Enter a port from 1 to 65,535', { exact: false })).toBeVisible()
  }
  // Nothing is the usual port.
  await ports.getByLabel('RTMP').fill('')
  await expect(ports.getByText('Enter a port from 1 to 65,535', { exact: false })).toHaveCount(0)
  await card(page, 'Data folder').getByRole('button', { name: 'Move…' }).click()
  const form = page.getByRole('dialog')
  const check = form.getByRole('button', { name: 'Check', exact: true })
  await check.click()
  await expect(form.getByText('Enter the path of a folder.')).toBeVisible()
  for (const text of texts) {
    await enter(form.getByLabel('New folder'), text)
    await check.click()
    await expect(form.getByRole('alert')).toContainText(text.length > 4096 ? /\w/ : text)
  }
  await form.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'Data and ports' })).toBeVisible()
  expect(faults).toEqual([])
})

test('the data folder moves with a recording in it, which plays from there; a bad folder is refused in words', async ({
  page,
}) => {
  await openPage(page, app)
  await createChannel(page, 'Moving_day')
  await askForRecording(page, { format: 'MP4', filename: 'Moved' })
  const encoder = startEncoder(await copyPushUrl(page))
  // A slice under a second is dropped.
  await expect.poll(() => recordedSeconds(page)).toBeGreaterThan(2)
  await open(page, 'computer')
  const data = card(page, 'Data folder')
  const choose = async (folder: string): Promise<void> => {
    await page.getByLabel('New folder').fill(folder)
    await page.getByRole('button', { name: 'Check', exact: true }).click()
  }
  await data.getByRole('button', { name: 'Move…' }).click()
  await choose(path.join(home, 'sidestage', 'service', 'recordings', 'here'))
  await expect(page.getByRole('alert')).toContainText('lies within the present data folder')
  await choose(moved)
  await expect(page.getByRole('status').filter({ hasText: 'are copied to' })).toContainText(moved)
  // Not while somebody watches.
  await page.getByRole('button', { name: 'Move now' }).click()
  await expect(page.getByRole('alert')).toContainText('is on air')
  await encoder.stop('SIGTERM')
  const recorded = (): number =>
    readdirSync(path.join(home, 'sidestage', 'service', 'recordings'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.(mp4|flv)$/.test(name),
    ).length
  await expect.poll(recorded).toBeGreaterThan(0)
  await expect(async () => {
    await choose(moved)
    await page.getByRole('button', { name: 'Move now' }).click()
    await expect(page.getByRole('dialog')).toHaveCount(0, { timeout: 2_000 })
  }).toPass()
  await expect(data.getByText(`The data are in ${moved} now.`)).toBeVisible()
  await expect(page.getByText('Service running', { exact: true })).toBeVisible()
  expect(readdirSync(moved)).toContain('sidestage.db')
  await data.getByRole('button', { name: 'Remove old copy' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove old copy' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(data.getByRole('button', { name: 'Remove old copy' })).toHaveCount(0)
  await expect.poll(() => readdirSync(path.join(home, 'sidestage'))).not.toContain('service')
  await page.goto(page.url().replace(/#.*/, '#/recordings'))
  await page.getByRole('row').filter({ hasText: 'Moved' }).getByRole('button', { name: /^Play/ }).first().click()
  await expect.poll(() => page.evaluate(() => document.querySelector('video')?.readyState ?? 0)).toBeGreaterThan(1)
})

test('another RTMP port is used by the next push, a taken one is refused in words, and the command line wins', async ({
  page,
}) => {
  await openPage(page, app)
  await open(page, 'computer')
  const ports = card(page, 'Ports')
  await expect(ports.getByText('Named with --api-port')).toBeVisible()
  await expect(ports.getByLabel('API')).toBeDisabled()
  const blocker = createServer()
  const taken = await new Promise<number>((resolve) => {
    blocker.listen(0, '127.0.0.1', () => {
      const address = blocker.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
  await ports.getByLabel('RTMP').fill(String(taken))
  await ports.getByRole('button', { name: 'Save and restart' }).click()
  await expect(ports.getByText('Another program listens on this port.')).toBeVisible()
  blocker.close()
  const port = await freePort()
  await ports.getByLabel('RTMP').fill(String(port))
  await ports.getByRole('button', { name: 'Save and restart' }).click()
  await expect(ports.getByText('The service listens on these ports.')).toBeVisible()
  await expect(ports.getByText(`Now ${port}`)).toBeVisible()
  await createChannel(page, 'Other_port')
  const url = await copyPushUrl(page)
  expect(new URL(url).port).toBe(String(port))
  const encoder = startEncoder(url)
  await expect(page.getByRole('banner')).toContainText(/On air/i)
  // Beside it, the time zone: it asks before it cuts the push.
  await open(page, 'computer')
  const zone = card(page, 'Time zone')
  await zone.getByLabel('Zone').selectOption('Pacific/Kiritimati')
  await expect(zone.getByText('UTC+14', { exact: false })).toBeVisible()
  await zone.getByRole('button', { name: 'Save and restart' }).click()
  await expect(page.getByRole('dialog')).toContainText('its push is cut')
  await page.getByRole('dialog').getByRole('button', { name: 'Restart' }).click()
  await expect(zone.getByText('Saved.')).toBeVisible()
  await expect(page.getByRole('contentinfo')).toContainText('UTC+14')
  await encoder.stop('SIGKILL')
})

test('an absent keychain is named with its remedy, and settings go to a file and come back without a secret', async ({
  page,
}) => {
  await openPage(page, app)
  await open(page, 'computer')
  const secrets = card(page, 'Secrets')
  await secrets.getByRole('button', { name: 'Test it' }).click()
  await expect(secrets.getByText('It does not work.')).toBeVisible()
  await expect(secrets.getByText(/no D-Bus/).first()).toBeVisible()
  await expect(secrets.getByText('Keys of this computer')).toBeVisible()

  await open(page, 'appearance')
  await page.getByRole('radio', { name: /^Light/ }).click()
  await expect(page.locator('html')).not.toHaveClass(/dark/)
  await open(page, 'computer')
  const file = card(page, 'Settings as a file')
  const coming = page.waitForEvent('download')
  await file.getByRole('button', { name: 'Export…' }).click()
  const saved = path.join(home, 'settings.json')
  await (await coming).saveAs(saved)
  const text = readFileSync(saved, 'utf8')
  expect(text).toContain('"theme": "light"')
  expect(text).not.toMatch(/secret|token|wsSecret/i)
  await file.getByRole('button', { name: 'Reset…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reset', exact: true }).click()
  await expect(page.locator('html')).toHaveClass(/dark/)
  const pick = async (name: string, content: string): Promise<void> => {
    await page
      .getByLabel('File with settings')
      .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(content) })
  }
  await pick('new.json', text.replace(/"version": \d+/, '"version": 99'))
  await expect(file.getByText('A newer Sidestage wrote this file.')).toBeVisible()
  await pick('strange.json', text.replace('"theme"', '"autoplay": true, "theme"'))
  await expect(file.getByText('does not know “settings.autoplay”')).toBeVisible()
  await expect(page.locator('html')).toHaveClass(/dark/)
  await pick('settings.json', text)
  const plan = page.getByRole('dialog')
  await expect(plan.getByRole('row', { name: /Theme Dark Light/ })).toBeVisible()
  await plan.getByRole('button', { name: /^Import/ }).click()
  await expect(file.getByText('Imported.')).toBeVisible()
  await expect(page.locator('html')).not.toHaveClass(/dark/)
})
