import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sessionVault } from '../companion/secrets/session-vault.ts'
import { nodeLauncher } from '../companion/supervisor/launcher.ts'
import { scratch, serviceEntry, until } from '../companion/testing/rig.ts'
import { ensureBuilt } from '../scripts/launch-build.ts'
import { type BrowserMain, startBrowserMain } from './main.ts'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const chrome = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((file) => existsSync(file))
const folder = scratch()
const free = { host: '127.0.0.1', port: 0 }
let main: BrowserMain
let browser: Browser

/** A tab with everything that it complained of, and the addresses that it asked for. */
async function openTab(
  address: string,
): Promise<{ page: Page; complaints: string[]; asked: string[]; sockets: string[] }> {
  const page = await browser.newPage()
  const complaints: string[] = []
  const asked: string[] = []
  const sockets: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('websocket', (socket) => sockets.push(socket.url()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.exposeFunction('complain', (what: string) => complaints.push(what))
  await page.addInitScript(
    `document.addEventListener('securitypolicyviolation', (event) => window.complain('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + (event.sample || '')))`,
  )
  await page.goto(address)
  return { page, complaints, asked, sockets }
}

describe.skipIf(chrome === undefined)('the built page in Chromium', () => {
  beforeAll(async () => {
    await ensureBuilt(root, ['renderer'], () => undefined)
    main = await startBrowserMain({
      dataDir: folder.dir,
      port: 0,
      version: '0.0.0',
      shellReason: () => null,
      log: () => undefined,
      launch: nodeLauncher(serviceEntry),
      pageDir: path.join(root, 'out', 'renderer'),
      choices: { dataDir: path.join(folder.dir, 'service'), api: free, media: free, rtmp: free },
      vault: sessionVault({ kind: 'session', reason: 'chosen', detail: randomBytes(2).toString('hex') }),
    })
    browser = await chromium.launch({
      ...(chrome === undefined ? {} : { executablePath: chrome }),
      args: ['--no-sandbox'],
    })
  })
  afterAll(async () => {
    await browser.close()
    await main.close()
    folder[Symbol.dispose]()
  })

  it('signs in with its token, takes it out of the address, and works under the policy without a single violation', async () => {
    const address = main.address()
    const { page, complaints, asked, sockets } = await openTab(address)
    const origin = new URL(address).origin
    await until('the RPC', () => sockets.length > 0)
    await page.waitForFunction(`document.querySelector('#app')?.childElementCount > 0`)
    await page.waitForLoadState('networkidle')
    expect(page.url()).not.toContain('token')
    // The kit's menus, palette and dialogs put styles into the page when they open first.
    await page.keyboard.press('Control+k')
    await page.waitForSelector('[role=dialog]')
    await page.keyboard.press('Escape')
    for (const button of await page.locator('button[aria-haspopup]').all()) {
      await button.click({ timeout: 2_000 }).catch(() => undefined)
      await page.keyboard.press('Escape')
    }
    expect(complaints).toEqual([])
    expect(sockets.every((url) => url === `${origin.replace('http', 'ws')}/rpc`)).toBe(true)
    expect(asked.filter((url) => !url.startsWith(`${origin}/`))).toEqual([])
    expect(await page.evaluate('document.cookie')).toBe('')
    const [cookie] = await page.context().cookies()
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
    await page.close()
  })

  it('is closed to a browser that comes with a used token', async () => {
    const address = main.address()
    const first = await openTab(address)
    await until('the RPC', () => first.sockets.length > 0)
    const second = await openTab(address)
    await second.page.waitForLoadState('networkidle')
    expect(second.sockets).toEqual([])
    await Promise.all([first.page.close(), second.page.close()])
  })
})
