import { expect, test, type CDPSession, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { expectAccessible, openPage } from '../page.ts'
import { isInside, openViewer } from '../viewer.ts'

/** Without a pointer, enlarged to 200 %, without motion, and by what a screen reader is told. One app for all of it. */
test.describe.configure({ mode: 'serial' })
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
const channel = 'Keyboard_Show'
let app: RunningApp
let companion: CompanionClient
let encoder: Encoder | undefined
let cid = ''
let roomid = 0
test.beforeAll(async () => {
  app = await startApp()
  companion = await openCompanion(app)
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  companion?.close()
  await app?.dispose()
})

/** What has the focus, whether it is seen that it does, and whether it is in sight. */
interface Focus {
  readonly name: string
  readonly isMarked: boolean
  readonly isInSight: boolean
}
const focus = (page: Page): Promise<Focus> =>
  page.evaluate(() => {
    const at = document.activeElement
    if (!(at instanceof HTMLElement) || at === document.body) return { name: '', isMarked: true, isInSight: true }
    const look = (): string => {
      const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor } = getComputedStyle(at)
      return [outlineStyle === 'none' ? '' : `${outlineWidth} ${outlineColor}`, boxShadow, borderColor].join()
    }
    const focused = look()
    const box = at.getBoundingClientRect()
    at.blur()
    const isMarked = look() !== focused
    at.focus()
    const labels =
      at instanceof HTMLInputElement ? [...(at.labels ?? [])].map((label) => label.textContent).join(' ') : ''
    return {
      name: (at.getAttribute('aria-label') ?? (labels || at.textContent || '')).trim(),
      isMarked,
      isInSight: box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
    }
  })
/** Presses Tab until what is wanted has the focus; every stop on the way must show that it has it. */
async function tabTo(page: Page, wanted: RegExp): Promise<void> {
  const passed: string[] = []
  while (passed.length < 80) {
    await page.keyboard.press('Tab')
    const { name, isMarked, isInSight } = await focus(page)
    passed.push(name)
    expect([isMarked, isInSight], `focus on “${name}” is marked and in sight`).toEqual([true, true])
    if (wanted.test(name)) return
  }
  throw new Error(`no ${String(wanted)} within ${passed.length} stops: ${passed.join(' | ')}`)
}

test('a channel is made, its address copied, the push watched and recorded by keyboard alone', async ({ page }) => {
  await openPage(page, app)
  // The page begins in its first field; from the top, the way past the frame is the first stop.
  await expect(page.getByRole('heading', { level: 1, name: 'Channels' })).toBeVisible()
  await expect(page.getByRole('textbox', { name: /^Name/ })).toBeFocused()
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  await tabTo(page, /^Skip to the screen$/)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
  await tabTo(page, /^Name/)
  await page.keyboard.type(channel)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: channel })).toBeVisible()

  await tabTo(page, /^Copy push URL$/)
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^rtmp:\/\/.+wsSecret=/)
  encoder = startEncoder(await page.evaluate(() => navigator.clipboard.readText()), { gopSeconds: 1 })
  // The form of a first channel has it on.
  await tabTo(page, /^Every push$/)
  const every = page.getByRole('switch', { name: 'Every push' })
  await expect(every).toBeChecked()
  await page.keyboard.press('Space')
  await expect(every).not.toBeChecked()
  // It takes no key while the change before is being saved.
  await expect(every).toBeEnabled()
  await page.keyboard.press('Space')
  await expect(every).toBeChecked()
  // A running push is recorded from the next key frame.
  await expect(page.getByRole('banner')).toContainText(/On air/i)
  await expect(page.getByRole('banner')).toContainText(/Rec/i)

  // A question keeps the focus within itself, and gives it back.
  await tabTo(page, /^Disable channel…$/)
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toBeVisible()
  for (let stop = 0; stop < 4; stop++) {
    await page.keyboard.press('Tab')
    expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true)
  }
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Disable channel…' })).toBeFocused()

  // Arrow keys choose within a group, and the focus goes with the choice.
  await tabTo(page, /^FLV/)
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('radio', { name: /^HLS/ })).toBeFocused()
  await expect(page.getByRole('radio', { name: /^HLS/ })).toBeChecked()
})

interface Node {
  readonly role: string
  readonly name: string
  readonly live: string | undefined
}
async function tree(session: CDPSession): Promise<readonly Node[]> {
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  return nodes
    .filter(({ ignored }) => !ignored)
    .map(({ role, name, properties }) => ({
      role: String(role?.value ?? ''),
      name: String(name?.value ?? ''),
      live: properties?.find((one) => one.name === 'live')?.value.value as string | undefined,
    }))
}
const controls =
  /^(button|link|textbox|searchbox|combobox|checkbox|radio|switch|tab|slider|spinbutton|menuitem|listbox)$/i

test('a screen reader has the lines of the room as a log, and hears of them at most every 2 s however fast they come', async ({
  page,
}) => {
  const { channels } = await companion.rpc.channels.list({ profileId: 'local' })
  cid = channels.find(({ name }) => name === channel)?.cid ?? ''
  roomid = (
    await companion.rpc.rooms.create({ profileId: 'local', accid: 'ana', name: 'Late night', announcement: '' })
  ).roomid
  await companion.rpc.rooms.link({ profileId: 'local', cid, roomid })

  await openPage(page, app)
  await page.goto(page.url().replace(/#.*/, '#/room'))
  const log = page.getByRole('log', { name: 'Lines of the room' })
  await expect(log).toBeVisible()
  let sent = 0
  const say = (): Promise<void> =>
    companion.call('/chatroom/sendMsg.action', {
      roomid,
      msgId: `m${++sent}`,
      fromAccid: 'ana',
      msgType: 0,
      attach: `line ${sent}`,
    })
  await say()
  await expect(log.getByText('line 1', { exact: true })).toBeVisible()

  const session = await page.context().newCDPSession(page)
  await session.send('Accessibility.enable')
  const nodes = await tree(session)
  expect(nodes.filter(({ role }) => role === 'log')).toEqual([expect.objectContaining({ name: 'Lines of the room' })])
  expect(nodes.filter(({ role, name }) => controls.test(role) && name.trim() === '')).toEqual([])
  for (const landmark of ['banner', 'navigation', 'main', 'contentinfo'])
    expect(nodes.filter(({ role }) => role === landmark).length, landmark).toBe(1)
  expect(nodes.some(({ role, live }) => role === 'status' && live === 'polite')).toBe(true)

  // What is put into the polite region of the pane, with when. The log itself says nothing by itself.
  await expect(log).toHaveAttribute('aria-live', 'off')
  await page.evaluate(() => {
    const heard: { at: number; text: string }[] = []
    Object.assign(window, { heard })
    new MutationObserver((records) => {
      for (const { target, addedNodes } of records) {
        const region =
          target.parentElement?.closest('[role="status"]') ?? (target as Element).closest?.('[role="status"]')
        if (
          region?.closest('section')?.querySelector('[role="log"]') &&
          addedNodes.length > 0 &&
          (region.textContent ?? '').trim() !== ''
        )
          heard.push({ at: performance.now(), text: region.textContent ?? '' })
      }
    }).observe(document.body, { childList: true, subtree: true })
  })
  const heard = (): Promise<{ at: number; text: string }[]> =>
    page.evaluate(() => (window as unknown as { heard: { at: number; text: string }[] }).heard)
  // Fast until three announcements came, however long that takes here.
  await expect
    .poll(
      async () => {
        for (let line = 0; line < 10; line++) await say()
        return (await heard()).filter(({ text }) => /new lines in the room/.test(text)).length
      },
      { intervals: [50] },
    )
    .toBeGreaterThanOrEqual(3)
  const told = await heard()
  for (const [index, { at, text }] of told.entries()) {
    expect(text.length).toBeLessThan(450)
    // The page's clock ticks once a second, by a timer that may be a little late and then a little early.
    if (index > 0) expect(at - (told[index - 1]?.at ?? 0)).toBeGreaterThan(1_500)
  }
  expect(told.length).toBeLessThan(sent / 10)

  // The keys mark a line, which is read out.
  await log.focus()
  await page.keyboard.press('ArrowUp')
  await expect(
    page
      .locator('section', { has: log })
      .getByRole('status')
      .filter({ hasText: /line \d+$/ }),
  ).toBeAttached()
})

/** Every screen of the app with what is there when it stands. */
const screens = [
  '/channels',
  '/studio',
  '/recordings',
  '/room',
  '/messaging',
  '/messaging/accounts',
  '/messaging/words',
  '/console/app/channel/create',
  '/settings/profiles',
  '/settings/computer',
  '/settings/recordings',
  '/settings/receivers',
  '/settings/copies',
  '/settings/room',
  '/settings/keys',
  '/settings/moderators',
  '/settings/appearance',
  '/settings/support',
  '/settings/about',
  '/join',
] as const
async function show(page: Page, screen: string): Promise<void> {
  await page.goto(page.url().replace(/#.*/, `#${screen}`))
  await expect(page.locator(`a[aria-current="page"][href$="#${screen}"]`).first()).toBeVisible()
  await expect(page.locator('main .waiting')).toHaveCount(0)
}
/** What cannot be reached or reaches out sideways; tables and time lines may scroll by themselves (WCAG 1.4.10). */
const faults = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const told = (element: Element, fault: string): string =>
      `${fault}: ${element.tagName} ${(element.getAttribute('class') ?? '').slice(0, 40)} “${(element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40)}”`
    const found: string[] = []
    if (document.documentElement.scrollWidth > innerWidth)
      found.push(`the page is ${document.documentElement.scrollWidth} wide`)
    for (const element of document.querySelectorAll<HTMLElement>('main, main *')) {
      const scrolls = /auto|scroll/.test(getComputedStyle(element).overflowX)
      if (
        scrolls &&
        element.clientWidth > 0 &&
        element.scrollWidth > element.clientWidth + 1 &&
        !element.querySelector('table')
      )
        found.push(told(element, 'scrolls sideways'))
    }
    for (const element of document.querySelectorAll<HTMLElement>(
      'a[href], button, input, select, textarea, [tabindex="0"]',
    )) {
      if (!element.checkVisibility({ visibilityProperty: true }) || element.closest('.skip, .sr-only')) continue
      element.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      const { left, right, top, bottom, width, height } = element.getBoundingClientRect()
      if (width === 0) continue
      if (left < -1 || right > innerWidth + 1 || top < -1 || (height < innerHeight && bottom > innerHeight + 1))
        found.push(told(element, 'out of sight'))
      const above = document.elementFromPoint(
        Math.min(innerWidth - 1, left + width / 2),
        Math.min(innerHeight - 1, top + Math.min(height, innerHeight) / 2),
      )
      if (
        above &&
        above !== element &&
        !element.contains(above) &&
        !above.contains(element) &&
        !(element instanceof HTMLInputElement && element.labels?.length)
      )
        found.push(told(element, `under ${above.tagName} ${above.getAttribute('class') ?? ''}`))
    }
    return found
  })

for (const { width, height } of [
  { width: 640, height: 400 },
  { width: 720, height: 450 },
])
  test(`at 200 % of ${2 * width} x ${2 * height} everything is in reach and nothing scrolls both ways, without motion`, async ({
    browser,
  }) => {
    const context = await browser.newContext({
      viewport: { width, height },
      deviceScaleFactor: 2,
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    await openPage(page, app)
    const complaints: string[] = []
    for (const screen of screens) {
      await show(page, screen)
      complaints.push(...(await faults(page)).map((fault) => `${screen} ${fault}`))
      const moving = await page.evaluate(
        () => document.getAnimations().filter(({ playState }) => playState === 'running').length,
      )
      if (moving > 0) complaints.push(`${screen} moves`)
    }
    expect(complaints).toEqual([])
    // What opens above a screen neither moves nor leaves the window.
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog')
    await expect(palette.getByRole('option').first()).toBeVisible()
    const box = await palette.boundingBox()
    expect((box?.y ?? -1) >= 0 && (box?.y ?? 0) + (box?.height ?? height) <= height).toBe(true)
    expect(
      await page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length),
    ).toBe(0)

    // Pages without the frame: a room's own window, the way in without a session, and what viewers see.
    await page.goto(page.url().replace(/#.*/, `#/pop-out/room/${roomid}`))
    await expect(page.getByRole('log')).toBeVisible()
    expect(await faults(page)).toEqual([])
    await context.clearCookies()
    await page.goto('about:blank')
    await page.goto(new URL(app.ready.url).origin)
    await expect(page.getByRole('heading', { level: 1, name: 'This page needs its link' })).toBeVisible()
    expect(await faults(page)).toEqual([])
    await expectAccessible(page)
    await context.close()
    for (const colorScheme of ['dark', 'light'] as const) {
      const viewer = await openViewer(browser, app.ready.service.mediaUrl, cid, {
        viewport: { width, height },
        deviceScaleFactor: 2,
        reducedMotion: 'reduce',
        colorScheme,
      })
      await isInside(viewer)
      expect(await faults(viewer)).toEqual([])
      await expectAccessible(viewer)
      await viewer.context().close()
    }
  })

test('the page says which language it speaks, and begins each screen with one heading of the first order, without leaps', async ({
  page,
}) => {
  await openPage(page, app)
  const leaps: string[] = []
  for (const screen of screens) {
    await show(page, screen)
    const levels = await page
      .locator('main')
      .evaluate((main) => [...main.querySelectorAll('h1, h2, h3, h4')].map(({ tagName }) => Number(tagName[1])))
    if (levels.filter((level) => level === 1).length !== 1) leaps.push(`${screen} ${levels.join()}`)
    // The others are looked at in both themes and languages where they are tried.
    if (/words|computer|desktop|support|about/.test(screen)) await expectAccessible(page)
    if (levels.some((level, index) => index > 0 && level > (levels[index - 1] ?? 1) + 1))
      leaps.push(`${screen} ${levels.join()}`)
  }
  expect(leaps).toEqual([])
  await show(page, '/settings/appearance')
  await page.getByRole('radio', { name: '简体中文' }).click()
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN')
  await page.getByRole('radio', { name: 'English' }).click()
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')
})
