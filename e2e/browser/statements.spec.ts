import { expect, test, type Page } from 'playwright/test'
import type { AppEvent } from '../../contract/rpc/index.ts'
import type { FakeCompanion } from '../../renderer/testing/fake-companion.ts'
import { makeService } from '../../renderer/testing/fake-state.ts'
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
    const over = [...document.querySelectorAll('[data-slot="overlay"], [role="dialog"]')].map((each) =>
      each.getBoundingClientRect(),
    )
    return lamp !== undefined && lamp.width > 0 && over.length > 1 && over.every(({ top }) => top >= lamp.bottom)
  })

test('a drawer, a dialog and the palette leave the lamp in sight', async ({ page }) => {
  const { go, press, say } = await openPlayed(page, fake, 'en')
  await go(`/studio/${live}`)
  await page.locator('[data-of="window"]').waitFor()
  const dialog = page.getByRole('dialog')
  const opened: readonly (readonly [string, () => Promise<void>])[] = [
    ['drawer', async () => page.locator('[data-health] button[aria-haspopup=dialog]').click()],
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

test('a recording that is switched off goes on until the next key frame, and the card says so beside its lamp', async ({
  page,
}) => {
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
  fake.air(true)
  await expect(lamp).toHaveCount(0)
  await expect(card.getByText(say('recording.ending'))).toHaveCount(0)
  fake.air('recorded')
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
  await expect(form.getByText(say('recording.filenameFault', { what: say('name.space') }))).toBeVisible()
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
  for (const name of names)
    await page.getByRole('checkbox', { name: say('channels.select', { name }), exact: true }).click()
  await press('batch.remove', { n: '3' })
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('list', { name: say('channels.title') }).getByRole('listitem')).toHaveText(names)
})

test('the sections of Settings are grouped, what a streamer looks for first, and none of them is empty here', async ({
  page,
}) => {
  const { go, say } = await openPlayed(page, fake, 'en')
  await go('/settings/appearance')
  const nav = page.getByRole('navigation', { name: say('settings.sections') })
  const groups = (['broadcast', 'recording', 'chat', 'people', 'computer', 'developers'] as const).map((name) =>
    say(`settings.group.${name}`),
  )
  await expect(nav.getByRole('group')).toHaveCount(groups.length)
  for (const [index, name] of groups.entries()) {
    await expect(nav.getByRole('group').nth(index)).toHaveAccessibleName(name)
    await expect(nav.getByRole('group').nth(index).getByRole('link').first()).toBeVisible()
  }
  const names = await nav.getByRole('link').allInnerTexts()
  // "Keys" would be taken for stream keys, and the desktop's settings are the window's.
  expect(names).not.toContain('Keys')
  expect(names).not.toContain(say('desktop.section'))
  expect(names.indexOf(say('retention.section'))).toBeLessThan(names.indexOf(say('receiver.section')))
})

test('the palette marks a second where it is asked to mark, and says so', async ({ page }) => {
  const { go, say } = await openPlayed(page, fake, 'en')
  await go(`/studio/${live}`)
  await page.locator('[data-of="window"]').waitFor()
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog')
  await palette.locator('input').fill('mark')
  await palette.getByRole('option', { name: new RegExp(say('palette.mark')) }).click()
  await expect(page.getByText(say('palette.marked')).first()).toBeVisible()
})

test('a log of the service opens at its newest line, in words, and is copied whole', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { press, say } = await openPlayed(page, fake, 'en')
  const down = { ...makeService(Date.now(), 'stopped'), attempts: 5 }
  fake.tell({ type: 'service', service: down })
  await press('service.openLog')
  const log = page.getByRole('dialog').getByRole('list', { name: say('service.logTitle') })
  await expect(log.getByRole('listitem')).toHaveText([
    /^\d\d:\d\d:\d\drtmp listeningport 1935$/,
    /listen EADDRINUSE/,
    /restart 1 failed/,
  ])
  // So low that not all lines fit.
  await page.setViewportSize({ width: 1120, height: 180 })
  await press('word.refresh', {}, page.getByRole('dialog'))
  await expect
    .poll(() =>
      log.evaluate(
        (list) => list.scrollHeight > list.clientHeight && list.scrollTop + list.clientHeight >= list.scrollHeight - 1,
      ),
    )
    .toBe(true)
  await press('service.logCopy')
  await expect(page.getByRole('dialog').getByRole('button', { name: say('word.copied') })).toBeVisible()
  const copied = (await page.evaluate(() => navigator.clipboard.readText()))
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string })
  expect(copied.map(({ msg }) => msg)).toEqual([
    'rtmp listening',
    'listen EADDRINUSE 127.0.0.1:1935',
    'restart 1 failed',
  ])
  fake.tell({ type: 'service', service: makeService(Date.now(), 'recording') })
})

test('the log of a broadcast shows the whole name of a file that has no spaces', async ({ page }) => {
  const { go } = await openPlayed(page, fake, 'en')
  await go(`/studio/${live}`)
  const detail = `${'LongName'.repeat(16)}_20261122-201500_20261122-221500.mp4`
  fake.tell({ type: 'push', profileId: 'local', cid: live, at: Date.now(), kind: 'replaced', detail, remedy: null })
  const row = page.locator('[data-figure="logLine"]').filter({ hasText: detail })
  await expect(row).toBeVisible()
  expect(
    await row.evaluate((element) =>
      [element, ...element.querySelectorAll('*')].every(
        (each) => each.scrollWidth <= each.clientWidth + 1 || each.clientWidth === 0,
      ),
    ),
  ).toBe(true)
  const [inner, outer] = await Promise.all([
    row.getByText(detail).boundingBox(),
    page.locator('section.log').boundingBox(),
  ])
  expect(inner!.x + inner!.width).toBeLessThanOrEqual(outer!.x + outer!.width)
})

test('the status bar says how many channels are recorded and how many callbacks wait, and leads to them', async ({
  page,
}) => {
  const { say } = await openPlayed(page, fake, 'en')
  const bar = page.getByRole('contentinfo')
  // One on this computer, and one under the hosted profile.
  await expect(bar.locator('[data-figure="recorded"]')).toHaveText(say('status.recording', { n: 2 }))
  const callbacks = bar.locator('[data-figure="callbacks"]')
  await expect(callbacks).toHaveText(/^\d+ /)
  await callbacks.click()
  await expect(page).toHaveURL(/#\/recordings/)
})

test('a profile that was added and does not answer is not chosen, and says so', async ({ page }) => {
  const { go, press, say } = await openPlayed(page, fake, 'en')
  await go('/settings/profiles')
  await press('settings.add')
  const form = page.getByRole('dialog')
  const entries = [
    ['settings.profileName', 'Nobody'],
    ['settings.liveUrl', 'https://down.example.com'],
    ['settings.messagingUrl', 'https://down.example.com'],
    ['settings.appKey', 'key'],
    ['settings.appSecret', 'secret'],
  ] as const
  for (const [label, text] of entries) await form.getByLabel(say(label), { exact: true }).fill(text)
  await form.locator('[type=submit]').click()
  const told = page.getByText(say('settings.notChosen', { name: 'Nobody' }))
  await expect(told).toBeVisible()
  const chooser = page.getByRole('button', { name: /^Profile/ })
  await expect(chooser).toContainText(say('title.thisComputer'))
  // It is not said while the screens show that profile.
  await chooser.click()
  await page.getByRole('menu').getByText('Nobody', { exact: true }).click()
  await expect(chooser).toContainText('Nobody')
  await expect(page.getByRole('heading', { level: 2, name: say('settings.profiles') })).toBeVisible()
  await expect(told).toHaveCount(0)
})

test('what was refused for a full disk is told until there is room, on the card and at the input of the chat', async ({
  page,
}) => {
  const { go, say } = await openPlayed(page, fake, 'en')
  const room = (diskFree: number): void =>
    fake.tell({ type: 'service', service: { ...makeService(Date.now(), 'recording'), diskFree } })
  const told = page.getByRole('alert').filter({ hasText: say('failure.full.sentence') })
  fake.refuse('recordings.configure', 'full')
  fake.refuse('rooms.say', 'full')
  await go(`/studio/${untouched}`)
  room(0)
  await page
    .getByRole('region', { name: say('recording.title'), exact: true })
    .getByRole('switch')
    .click()
  await expect(told).toHaveCount(1)
  room(412e9)
  await expect(told).toHaveCount(0)
  await go('/room')
  room(0)
  const input = page.locator('section.pane form.composer input')
  await input.fill('back in five minutes')
  await input.press('Enter')
  await expect(told).toHaveCount(1)
  room(412e9)
  await expect(told).toHaveCount(0)
  await expect(input).toHaveValue('back in five minutes')
  fake.refuse('recordings.configure', null)
  fake.refuse('rooms.say', null)
})

for (const language of ['en', 'zh'] as const)
  test(`the status bar names every port that moved, and nothing is cut at 1120 × 700, in ${language === 'en' ? 'English' : 'Chinese'}`, async ({
    page,
  }) => {
    await page.setViewportSize({ width: 1120, height: 700 })
    const { go, say } = await openPlayed(page, fake, language)
    const listeners = ['api', 'media', 'rtmp'] as const
    const notes = listeners.map((listener, index) => ({
      listener,
      wanted: 8710 + index,
      used: 53_422 + index,
      holder: 'node (pid 4021)',
    }))
    const addresses = {
      api: 'http://127.0.0.1:53422',
      media: 'http://127.0.0.1:53423',
      rtmp: 'rtmp://127.0.0.1:53424/live',
      publicMedia: null,
    }
    fake.tell({
      type: 'service',
      service: { ...makeService(Date.now(), 'recording'), notes, addresses, diskFree: 878e6 },
    })
    const bar = page.getByRole('contentinfo')
    const moved = bar.locator('[data-figure="ports"]')
    await expect(moved).toContainText(say('status.portsMoved', { listeners: 'api, media, rtmp' }))
    for (const { wanted, used } of notes)
      for (const port of [wanted, used]) await expect(moved).toContainText(String(port))
    const parts = await bar.evaluate((element) =>
      [...element.children].map((part) => part.getBoundingClientRect()).filter(({ width }) => width > 0),
    )
    for (const [index, { right }] of parts.slice(0, -1).entries())
      expect(right).toBeLessThanOrEqual(parts[index + 1]!.left)
    // What is wider than its place is cut or has a bar to scroll.
    const wide = (): Promise<string[]> =>
      page.evaluate(() =>
        [...document.querySelectorAll('footer *, main *')]
          .filter(
            (node) =>
              node.clientWidth > 0 &&
              node.scrollWidth > node.clientWidth + 1 &&
              node.closest('.sr-only, .row-name, input, select') === null,
          )
          .map((node) => (node.textContent ?? '').trim().slice(0, 60)),
      )
    expect(await wide()).toEqual([])
    await go('/room')
    await page.getByRole('log').waitFor()
    expect(await wide()).toEqual([])
    fake.tell({ type: 'service', service: makeService(Date.now(), 'recording') })
  })

test('files of all channels have the name of theirs, and a second that tells two of a minute apart, also beside a merge', async ({
  page,
}) => {
  const { go, say } = await openPlayed(page, fake, 'en')
  await go('/recordings')
  const rows = page.getByRole('region', { name: say('files.table') }).getByRole('row')
  const file = rows.filter({ hasText: 'LateNightRadio_' }).first()
  // A file of a broadcast is of the channel of its group.
  const channel = rows.filter({ hasText: 'Night Radio 214' }).first().locator('[data-channel]').locator('visible=true')
  await expect(channel).toHaveText('LateNight_Radio')
  const other = rows.filter({ hasText: '深夜电台_' }).first()
  await expect(other.locator('[data-channel]')).toHaveText('深夜电台')
  await file.getByRole('checkbox').click()
  await other.getByRole('checkbox').click()
  await page.getByRole('button', { name: say('groups.merge'), exact: true }).click()
  await expect(page.getByRole('complementary', { name: say('merge.title') })).toContainText(/\d\d-\d\d \d\d:\d\d:\d\d/)
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 1120, height: 700 },
  ]) {
    await page.setViewportSize(viewport)
    await expect(file.locator('[data-figure="begin"]').locator('visible=true')).toHaveText(
      /^(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d$/,
    )
    await expect(other.locator('[data-figure="begin"]').locator('visible=true')).toHaveText(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/,
    )
    await expect(other.locator('[data-channel]')).toBeVisible()
    await expect(channel).toHaveText('LateNight_Radio')
  }
})

test('a channel that goes off air while Studio shows another is told until it is back, and leads to it', async ({
  page,
}) => {
  const { go, say } = await openPlayed(page, fake, 'en')
  await go('/studio/b81f02de0123456789abcdef01234567')
  await page.getByRole('heading', { level: 1, name: '深夜电台' }).waitFor()
  const told = page
    .locator('ol[data-slot="viewport"] > li')
    .filter({ hasText: say('toast.air.offAir', { name: 'LateNight_Radio' }) })
  fake.air(false)
  await expect(told).toBeVisible()
  fake.air(true)
  await expect(told).toHaveCount(0)
  fake.air(false)
  await told.getByRole('button', { name: say('word.open'), exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'LateNight_Radio' })).toBeVisible()
  await expect(told).toHaveCount(0)
  fake.air(true)
})

test('the clock of the status bar changes at the full second', async ({ page }) => {
  await page.clock.install({ time: 1_800_000_000_700 })
  await openPlayed(page, fake, 'en')
  const clock = page.locator('[data-figure="clock"]')
  // The next full second after the page stands still, with what was due by then done.
  const still = Math.ceil((await page.evaluate(() => Date.now())) / 1_000) * 1_000 + 60_400
  await page.clock.pauseAt(still)
  const shown = await clock.textContent()
  await page.clock.runFor(599)
  expect(await clock.textContent()).toBe(shown)
  await page.clock.runFor(1)
  await expect(clock).not.toHaveText(shown ?? '')
})
