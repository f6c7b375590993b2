import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, type Page, test } from 'playwright/test'
import { firstStream } from '../first-stream.ts'
import { absence, type DesktopDesk, desktopDesk } from './desktop-app.ts'

/**
 * The desktop window itself, wherever its binary exists and a window may be opened; `SIDESTAGE_PACKAGED_APP` names the program of a build,
 * which is then tried in its place. A build that is fused is driven from outside: what only its main process knows is left out there.
 */
const fused = 'the fuses of this build let nobody look into its main process'
let desk: DesktopDesk

test.beforeEach(() => {
  test.skip(absence !== null, absence ?? '')
  desk = desktopDesk()
})
test.afterEach(async () => {
  if (absence === null) await desk.clear()
})

/** What a page of the app finds when it tries to get out. */
const attempts = (page: Page) =>
  page.evaluate(async () => {
    const refused = (work: Promise<unknown>): Promise<boolean> =>
      work.then(
        () => false,
        () => true,
      )
    const before = location.href
    location.href = 'https://elsewhere.invalid/'
    return {
      node: [
        typeof (globalThis as { require?: unknown }).require,
        typeof (globalThis as { process?: unknown }).process,
      ],
      bridge: Object.isFrozen((globalThis as { sidestage?: unknown }).sidestage),
      opened: window.open('https://elsewhere.invalid/') === null,
      fetched: await refused(fetch('http://127.0.0.1:9/')),
      camera: await refused(navigator.mediaDevices.getUserMedia({ video: true })),
      clipboard: await refused(navigator.clipboard.readText()),
      stayed: location.href === before,
    }
  })
const held = {
  node: ['undefined', 'undefined'],
  bridge: true,
  opened: true,
  fetched: true,
  camera: true,
  clipboard: true,
  stayed: true,
}

test('a fresh profile: a channel is made, its address copied, pushed to, watched, recorded and listed', async () => {
  const { page, clipboard } = await desk.start()
  expect(new URL(page.url()).protocol).toBe('app:')
  await firstStream(page, clipboard, 'Desktop')
  await expect(page.getByRole('banner')).toContainText(/Idle/i)
})

test('every window is shut in: no Node, no other place, no permission', async () => {
  const { page, main } = await desk.start()
  expect(await attempts(page)).toEqual(held)
  const next = page.context().waitForEvent('page')
  expect(await page.evaluate('sidestage.popOut({ roomid: 7, profileId: "local", joined: null })')).toBe('opened')
  const room = await next
  expect(new URL(room.url()).hash).toMatch(/^#\/pop-out\/room\/7/)
  expect(await attempts(room)).toEqual(held)
  if (!main) return
  const preferences = await main.evaluate(({ webContents }) =>
    webContents
      .getAllWebContents()
      .filter((contents) => contents.getType() === 'window')
      .map((contents) =>
        (contents as unknown as { getLastWebPreferences(): Record<string, unknown> }).getLastWebPreferences(),
      ),
  )
  expect(preferences).toHaveLength(2)
  for (const one of preferences)
    expect(one).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
    })
})

test('an address opens the channel that it names, when it starts the app and when the app runs, and another form nothing', async () => {
  const cid = '0123456789abcdef0123456789abcdef'
  const app = await desk.start({ address: `sidestage://channel/${cid}` })
  const hash = (): string => new URL(app.page.url()).hash
  await expect.poll(hash).toBe(`#/studio/${cid}`)
  await app.open('sidestage://join?host=127.0.0.1:9&code=abcdefgh')
  await expect.poll(hash).toMatch(/^#\/join/)
  await app.open('sidestage://settings/profiles')
  await app.open('sidestage://channel/x"><script>')
  await app.open('sidestage://room/7')
  await expect.poll(hash).toBe('#/room')
})

test('the window is as large as it was, and hides instead of ending when the settings say so', async () => {
  const app = await desk.start()
  const { page, main } = app
  test.skip(main === null, fused)
  if (!main) return
  await main.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.setBounds({ x: 60, y: 60, width: 1160, height: 720 })
  })
  await page.getByRole('link', { name: 'Settings' }).first().click()
  await page.getByRole('link', { name: 'Desktop', exact: true }).click()
  await page.getByRole('switch', { name: 'Keep running in the tray' }).click()
  await expect
    .poll(() => JSON.parse(readFileSync(path.join(desk.dataDir, 'settings.json'), 'utf8')) as object)
    .toMatchObject({ closeToTray: true })
  const isVisible = () => main.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible())
  await main.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.close()
  })
  await expect.poll(isVisible).toBe(false)
  await app.open('sidestage://room/7')
  await expect.poll(isVisible).toBe(true)
  await app.close()
  expect(JSON.parse(readFileSync(path.join(desk.dataDir, 'window.json'), 'utf8'))).toMatchObject({
    bounds: { width: 1160, height: 720 },
  })
})

test('a service that is killed is said to be down, comes back, and the window stays', async () => {
  const { page, services } = await desk.start()
  const before = services()
  expect(before).toHaveLength(1)
  process.kill(before[0] ?? 0, 'SIGKILL')
  await expect(page.getByText(/service is restarting/i).first()).toBeVisible()
  await expect.poll(() => services().filter((pid) => !before.includes(pid))).toHaveLength(1)
  await expect(page.getByText('Service running', { exact: true })).toBeVisible()
})
