import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, type Page, test } from 'playwright/test'
import { systemClock } from '../../platform/clock.ts'
import { keychainService, loadKeytar, openVault } from '../../companion/secrets/keychain-vault.ts'
import type { Vault } from '../../companion/secrets/vault.ts'
import { absence, type DesktopDesk, desktopDesk } from './desktop-app.ts'

/** Where the pair of this computer's service is kept: in the keychain, which these tests ask too, or for the session where there is none. */
let desk: DesktopDesk

test.beforeEach(() => {
  test.skip(absence !== null, absence ?? '')
  desk = desktopDesk()
})
test.afterEach(async () => {
  if (absence === null) await desk.clear()
})

const showProfiles = async (page: Page): Promise<void> => {
  await page.getByRole('link', { name: 'Settings' }).first().click()
  await page.getByRole('link', { name: 'Profiles', exact: true }).click()
}

/** On macOS a program that reads another one's entry asks a person: there only what stands beside its value is read. */
const security = (verb: string, entry: string): string =>
  execFileSync('security', [verb, '-s', keychainService, '-a', entry], { encoding: 'utf8' })
const isMac = process.platform === 'darwin'
const read = async (vault: Vault, entry: string): Promise<string> =>
  isMac ? security('find-generic-password', entry) : ((await vault.get(entry)) ?? '')

test('the pair is an entry of the keychain and survives a restart', async () => {
  const vault = await openVault({
    clock: systemClock,
    load: loadKeytar,
    platform: process.platform,
    environment: process.env,
    random: randomBytes,
  })
  test.skip(
    vault.mode.kind === 'session',
    vault.mode.kind === 'session' ? `no keychain here: ${vault.mode.detail}` : '',
  )
  const first = await desk.start()
  await showProfiles(first.page)
  await expect(first.page.getByText('AppSecret in the keychain').first()).toBeVisible()
  const { installation } = JSON.parse(readFileSync(path.join(desk.dataDir, 'profiles.json'), 'utf8')) as {
    installation: string
  }
  const entry = `${installation}:local`
  try {
    const kept = await read(vault, entry)
    expect(kept).toContain(isMac ? entry : 'appSecret')
    await first.close()
    const second = await desk.start()
    await showProfiles(second.page)
    await expect(second.page.getByText('AppSecret in the keychain').first()).toBeVisible()
    expect(await read(vault, entry)).toBe(kept)
  } finally {
    if (isMac) security('delete-generic-password', entry)
    else await vault.delete(entry)
  }
})

test('without a keychain the app says that the pair is for this session only', async () => {
  test.skip(process.platform !== 'linux', 'only on Linux can a program be started without the keychain')
  const { page } = await desk.start({
    environment: { DBUS_SESSION_BUS_ADDRESS: undefined, XDG_RUNTIME_DIR: undefined },
  })
  await showProfiles(page)
  await expect(page.getByText('AppSecret in memory until Sidestage ends').first()).toBeVisible()
  await expect(page.getByText('This computer has no keychain that works', { exact: false }).first()).toBeVisible()
})
