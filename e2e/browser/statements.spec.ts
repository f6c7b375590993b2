import { expect, test, type Page } from 'playwright/test'
import type { AppEvent } from '../../contract/rpc/index.ts'
import type { FakeCompanion } from '../../renderer/testing/fake-companion.ts'
import { openPlayed, startPlayed } from '../played.ts'

/** What screens say that a person acts on, in states that are quickest to play. */
const live = '7e3a91c40123456789abcdef01234567'
const untouched = 'c2d955100123456789abcdef01234567'
let fake: FakeCompanion
test.beforeAll(async () => {
  fake = await startPlayed('recording')
})
test.afterAll(() => fake?.close())

/** Nothing that floats or dims lies over the window's lamp or the bar above it. */
const lampIsSeen = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const lamp = document.querySelector('[data-of="window"]')?.getBoundingClientRect()
    const over = [...document.querySelectorAll('[data-slot="overlay"], [role="dialog"]')].map((each) => each.getBoundingClientRect())
    return lamp !== undefined && lamp.width > 0 && over.length > 1 && over.every(({ top }) => top >= lamp.bottom)
  })

test('a drawer, a dialog and the palette leave the lamp in sight', async ({ page }) => {
  const { go, press, say } = await openPlayed(page, fake, 'en')
  await go(`/studio/${live}`)
  await page.locator('[data-of="window"]').waitFor()
  const dialog = page.getByRole('dialog')
  const opened: readonly (readonly [string, () => Promise<void>])[] = [
    ['drawer', async () => page.locator('.health button[aria-haspopup=dialog]').click()],
    ['dialog', async () => press('recording.settings')],
    ['palette', async () => page.keyboard.press('Control+k')],
  ]
  for (const [what, open] of opened) {
    await open()
    await expect(dialog, what).toBeVisible()
    await expect.poll(() => page.locator('[data-slot="overlay"]').count(), { message: what }).toBeGreaterThan(0)
    await expect.poll(() => lampIsSeen(page), { message: what }).toBe(true)
    await page.keyboard.press('Escape')
    await expect(dialog, what).toHaveCount(0)
  }
  await expect(page.locator('[data-of="window"]')).toContainText(say('tally.recording'))
})

test('a recording that is switched off goes on until the next key frame, and the card says so beside its lamp', async ({ page }) => {
  const { go, say } = await openPlayed(page, fake, 'en')
  await go(`/studio/${live}`)
  const card = page.getByRole('region', { name: say('recording.title'), exact: true })
  const lamp = card.getByText(say('tally.recording'), { exact: true })
  await expect(lamp).toBeVisible()
  await expect(card.getByText(say('recording.ending'))).toHaveCount(0)
  await card.getByRole('switch').click()
  await expect(card.getByRole('status').filter({ hasText: say('recording.ending') })).toBeVisible()
  await expect(lamp).toBeVisible()
  const off = { state: 'off', reason: null, since: null, bytes: 0, cut: null, diskFree: 1e11 } as const
  fake.tell({ type: 'recording', profileId: 'local', cid: live, at: Date.now(), recording: off } satisfies AppEvent)
  await expect(lamp).toHaveCount(0)
  await expect(card.getByText(say('recording.ending'))).toHaveCount(0)
})

test('the form of a recording shows every error at once, and the rule of names before any', async ({ page }) => {
  const { go, press, say } = await openPlayed(page, fake, 'en')
  await go(`/studio/${live}`)
  await press('recording.settings')
  const form = page.getByRole('dialog')
  await expect(form.getByText(say('recording.filenameHelp'))).toBeVisible()
  await form.locator('input[name=minutes]').fill('3')
  await form.locator('input[name=filename]').fill('late night')
  await expect(form.getByText(say('recording.minutesFault', { min: 5, max: 120 }))).toBeVisible()
  await expect(form.getByText(say('recording.filenameFault'))).toBeVisible()
  await form.locator('[type=submit]').click()
  await expect(form).toBeVisible()
})

test('a channel that nobody has set begins with what Settings say, in its form and by one click', async ({ page }) => {
  const { go, press, say } = await openPlayed(page, fake, 'en')
  await go('/settings/recordings')
  const panel = page.getByRole('region', { name: say('recordingDefaults.title') })
  await panel.locator('input[name=minutes]').fill('15')
  await panel.getByRole('button', { name: say('recording.save') }).click()
  await expect(panel.getByRole('status')).toContainText(say('retention.saved'))
  await go(`/studio/${untouched}`)
  await press('recording.settings')
  const form = page.getByRole('dialog')
  await expect(form.locator('input[name=minutes]')).toHaveValue('15')
  await expect(form.locator('input[name=filename]')).toHaveValue('KitchenCam')
  await expect(form.getByRole('radio', { name: 'MP4' })).toBeChecked()
  await page.keyboard.press('Escape')
  const card = page.getByRole('region', { name: say('recording.title'), exact: true })
  await card.getByRole('switch').click()
  await expect(card).toContainText(say('recording.slices', { format: 'MP4', minutes: 15 }))
})

test('the question before several channels are deleted names them', async ({ page }) => {
  const { press, say } = await openPlayed(page, fake, 'en')
  const names = ['Kitchen_Cam', 'Chess_with_Ana', 'Sunday_Vinyl_Replay']
  for (const name of names) await page.getByRole('checkbox', { name: say('channels.select', { name }), exact: true }).click()
  await press('batch.remove', { n: '3' })
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('list', { name: say('ask.named') }).getByRole('listitem')).toHaveText(names)
})

test('the sections of Settings are grouped, what a streamer looks for first, and none of them is empty here', async ({ page }) => {
  const { go, say } = await openPlayed(page, fake, 'en')
  await go('/settings/appearance')
  const nav = page.getByRole('navigation', { name: say('settings.sections') })
  await expect(nav.getByRole('group')).toHaveCount(4)
  await expect(nav.getByRole('group').first()).toHaveAccessibleName(say('settings.group.show'))
  const names = await nav.getByRole('link').allInnerTexts()
  // "Keys" would be taken for stream keys, and the desktop's settings are the window's.
  expect(names).not.toContain('Keys')
  expect(names).not.toContain(say('desktop.section'))
  expect(names.indexOf(say('retention.section'))).toBeLessThan(names.indexOf(say('settings.profiles')))
})
