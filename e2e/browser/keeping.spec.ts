import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, type Page, test } from 'playwright/test'
import { systemClock } from '../../platform/clock.ts'
import { createDatabaseCopies, listCopies } from '../../service/storage/database-copies.ts'
import { type RunningApp, startApp } from '../app.ts'
import { inEveryLook } from '../looks.ts'
import { createChannel, openPage } from '../page.ts'

/** What a person sees when something was set aside, and when the main database cannot be used: the same data folder over several starts of the app. */
const dataDir = mkdtempSync(path.join(tmpdir(), 'sidestage-keeping-'))
const service = path.join(dataDir, 'service')
const database = path.join(service, 'sidestage.db')
const content = Buffer.from('a picture that no row names')
const hash = createHash('sha256').update(content).digest('hex')
const upload = `files/${hash.slice(0, 2)}/${hash}`
let app: RunningApp | undefined

const makeCopy = async (): Promise<void> => {
  const copies = createDatabaseCopies({
    dataDir: service,
    clock: systemClock,
    log: { info: () => undefined, warn: () => undefined },
  })
  expect(await copies.make()).toBe('made')
  await copies.close()
}
/** The app is not running meanwhile. */
const damage = (file: string): Buffer => {
  const garbage = Buffer.alloc(8_192, 'no database ')
  writeFileSync(file, garbage)
  for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  return garbage
}
const quarantined = (): Buffer[] =>
  readdirSync(path.join(service, 'quarantine'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name === 'sidestage.db')
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name)))
const card = (page: Page, language: 'en' | 'zh' = 'en') =>
  page.getByRole('group', { name: language === 'en' ? 'Set aside' : '已隔离', exact: true })
const channels = async (page: Page): Promise<void> => {
  await page.getByRole('navigation').getByRole('link', { name: 'Channels' }).click()
}

test.afterAll(async () => {
  await app?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

test('a database of garbage: the screen says so, a copy is restored and the channels are back; an unknown upload is put back by its button', async ({
  page,
}) => {
  app = await startApp({ dataDir })
  await openPage(page, app)
  await createChannel(page, 'Kept_channel')
  await app.stop()
  await makeCopy()
  const garbage = damage(database)
  mkdirSync(path.dirname(path.join(service, upload)), { recursive: true })
  writeFileSync(path.join(service, upload), content)

  app = await startApp({ dataDir })
  await page.goto(await app.link())
  await expect(page.getByText('The main database is damaged. The service does not start with it.')).toBeVisible()
  // Nothing happens before a person decides.
  expect(readFileSync(database)).toEqual(garbage)
  await channels(page)
  await inEveryLook(page, 'keeping-database', async (language) => {
    await expect(
      page.getByRole('button', {
        name: language === 'en' ? /^Restore the copy of 20.+ \(.+B\)$/ : /^恢复 20.+ 的备份（.+B）$/,
      }),
    ).toBeVisible()
  })
  await page.getByRole('button', { name: /^Restore the copy of/ }).click()
  await expect(page.getByText('Service running', { exact: true })).toBeVisible()
  await expect(
    page.getByRole('region', { name: 'Channels' }).getByRole('link', { name: 'Kept_channel', exact: true }),
  ).toBeVisible()
  expect(quarantined()).toEqual([garbage])

  // What the start did not know, and the damaged database.
  const notice = page.getByText(/^2 things were set aside instead of being deleted \(.+B\)\.$/)
  await expect(notice).toBeVisible()
  expect(existsSync(path.join(service, upload))).toBe(false)
  await page.getByRole('link', { name: 'Show', exact: true }).click()
  await expect(card(page).getByText(upload)).toBeInViewport()
  await inEveryLook(page, 'keeping-card', async (language) => {
    await expect(card(page, language).getByText(upload)).toBeInViewport()
    await expect(
      card(page, language).getByText(language === 'en' ? 'The database does not know it.' : '数据库中没有它的记录。'),
    ).toBeVisible()
  })
  await card(page)
    .getByRole('button', { name: `Restore ${upload}` })
    .click()
  await expect(card(page).getByRole('status')).toHaveText('1 file restored.')
  await expect(card(page).getByText(upload)).toHaveCount(0)
  expect(readFileSync(path.join(service, upload))).toEqual(content)

  // The place of the database is taken: it stays set aside until somebody deletes it.
  await card(page).getByRole('button', { name: 'Restore sidestage.db' }).click()
  await expect(card(page).getByRole('status')).toContainText('Still set aside')
  expect(quarantined()).toEqual([garbage])
  await card(page).getByRole('button', { name: 'Delete sidestage.db…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(card(page).getByText('Nothing was set aside.')).toBeVisible()
  await expect(notice).toHaveCount(0)
  await app.stop()
})

test('a copy that is damaged too is not put in place; begin anew asks, and keeps what was there', async ({ page }) => {
  const garbage = damage(database)
  for (const { name } of listCopies(service)) writeFileSync(path.join(service, 'copies', name), 'no copy either')
  app = await startApp({ dataDir })
  await page.goto(await app.link())
  await page.getByRole('button', { name: /^Restore the copy of/ }).click()
  await expect(page.getByText(/^The copy of .+ was not put in its place\./)).toBeVisible()
  await expect(page.getByText(/the copy .+ is damaged too/)).toBeVisible()
  expect(readFileSync(database)).toEqual(garbage)
  await page.getByRole('button', { name: 'Open log' }).click()
  await expect(page.getByRole('dialog', { name: 'Log of the service' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.getByRole('button', { name: 'Begin anew…' }).click()
  await expect(page.getByRole('dialog')).toContainText('What is there now is set aside for 30 days')
  await page.getByRole('dialog').getByRole('button', { name: 'Begin anew', exact: true }).click()
  await expect(page.getByText('Service running', { exact: true })).toBeVisible()
  await channels(page)
  await expect(page.getByRole('heading', { name: 'No channels yet' })).toBeVisible()
  expect(quarantined()).toEqual([garbage])
  // Dismissed, it stays so over a reload.
  await page.getByRole('button', { name: 'Dismiss this notice' }).click()
  await expect(page.getByText('set aside instead of being deleted')).toHaveCount(0)
  await page.reload()
  await expect(page.getByText('Service running', { exact: true })).toBeVisible()
  await page.goto(page.url().replace(/#.*/, '#/settings/computer'))
  await expect(card(page).getByRole('button', { name: 'Restore sidestage.db' })).toBeVisible()
  await expect(page.getByText('set aside instead of being deleted')).toHaveCount(0)
})
