import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { _electron, type ElectronApplication, expect, type Page, test } from 'playwright/test'
import { chooseShell, findElectron, hasDisplay } from '../../scripts/electron-binary.ts'

/**
 * The desktop window itself, wherever its binary exists and a window may be opened; `SIDESTAGE_PACKAGED_APP` names the program of a build,
 * which is then tried in its place.
 */
const root = join(import.meta.dirname, '..', '..')
const packaged = process.env['SIDESTAGE_PACKAGED_APP']
const binary = packaged ?? findElectron(root, process.env, process.platform)
const facts = { wanted: undefined, binary, platform: process.platform, environment: process.env, uid: process.getuid?.() }
const choice = chooseShell(facts)
const absent = packaged !== undefined && !existsSync(packaged) ? `there is no program at SIDESTAGE_PACKAGED_APP` : null
const reason = absent ?? (choice.shell === 'electron' ? null : (choice.reason ?? (hasDisplay(facts) ? 'no window can be opened here' : 'there is no display')))

let dataDir = ''
let app: ElectronApplication | undefined
const switches = (): string[] => ['--data', dataDir, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
/** Starts the app with a fresh profile, and with an address where one is given. */
const start = async (address?: string): Promise<Page> => {
  app = await _electron.launch({
    ...(binary === undefined ? {} : { executablePath: binary }),
    args: [...(packaged === undefined ? [root] : []), ...switches(), ...(address === undefined ? [] : [address])],
  })
  const window = await app.firstWindow()
  await expect(window.getByText('Service running', { exact: true })).toBeVisible()
  return window
}

test.beforeEach(() => {
  test.skip(reason !== null, reason ?? '')
  dataDir = mkdtempSync(join(tmpdir(), 'sidestage-desktop-'))
})
test.afterEach(async () => {
  await app?.close()
  app = undefined
  if (dataDir !== '') rmSync(dataDir, { recursive: true, force: true })
})

test('the desktop window opens hardened, connects and creates a channel', async () => {
  const window = await start()
  expect(new URL(window.url()).protocol).toBe('app:')
  expect(await window.evaluate(() => [typeof (globalThis as { require?: unknown }).require, typeof (globalThis as { process?: unknown }).process])).toEqual([
    'undefined',
    'undefined',
  ])
  await window.getByLabel('Name', { exact: false }).first().fill('Desktop_show')
  await window.getByRole('button', { name: 'Create channel' }).first().click()
  await expect(window.getByText('Desktop_show').first()).toBeVisible()
})

test('an address opens the channel that it names, when it starts the app and when the app runs, and another form nothing', async () => {
  const cid = '0123456789abcdef0123456789abcdef'
  const window = await start(`sidestage://channel/${cid}`)
  await expect.poll(() => new URL(window.url()).hash).toBe(`#/studio/${cid}`)
  const open = (address: string) =>
    app?.evaluate(({ app: running }, text) => {
      running.emit('second-instance', {}, ['sidestage', text])
    }, address)
  await open('sidestage://join?code=abc&fp=00')
  await expect(window.getByRole('heading', { name: 'Join as a moderator' })).toBeVisible()
  await open('sidestage://settings/profiles')
  await open('sidestage://channel/x"><script>')
  await open('sidestage://room/7')
  await expect.poll(() => new URL(window.url()).hash).toBe('#/room')
})

test('the window is as large as it was, and hides instead of ending when the settings say so', async () => {
  const window = await start()
  await app?.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.setBounds({ x: 60, y: 60, width: 1160, height: 720 })
  })
  await window.getByRole('link', { name: 'Settings' }).first().click()
  await window.getByRole('link', { name: 'Desktop', exact: true }).click()
  await window.getByRole('switch', { name: 'Keep running in the tray' }).click()
  await expect.poll(() => JSON.parse(readFileSync(join(dataDir, 'settings.json'), 'utf8')) as object).toMatchObject({ closeToTray: true })
  const isVisible = () => app?.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible())
  await app?.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.close()
  })
  await expect.poll(isVisible).toBe(false)
  await app?.evaluate(({ app: running }) => {
    running.emit('second-instance', {}, [])
  })
  await expect.poll(isVisible).toBe(true)
  await app?.close()
  app = undefined
  expect(JSON.parse(readFileSync(join(dataDir, 'window.json'), 'utf8'))).toMatchObject({ bounds: { width: 1160, height: 720 } })
})

test('a service that is killed is said to be down, comes back, and the window stays', async () => {
  const window = await start()
  const pid = await app?.evaluate(({ app: running }) => running.getAppMetrics().find(({ name }) => name === 'Sidestage service')?.pid)
  expect(pid).toBeGreaterThan(0)
  process.kill(pid ?? 0, 'SIGKILL')
  await expect
    .poll(() => app?.evaluate(({ app: running }) => running.getAppMetrics().find(({ name }) => name === 'Sidestage service')?.pid ?? null))
    .not.toBe(pid)
  await expect(window.getByText('Service running', { exact: true })).toBeVisible()
})
