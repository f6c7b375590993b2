import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { _electron, expect, test } from 'playwright/test'
import { chooseShell, findElectron } from '../../scripts/electron-binary.ts'

/** The desktop window itself, wherever its binary exists and a window may be opened. */
const root = join(import.meta.dirname, '..', '..')
const binary = findElectron(root, process.env, process.platform)
const choice = chooseShell({ wanted: undefined, binary, platform: process.platform, environment: process.env, uid: process.getuid?.() })

test('the desktop window opens hardened, connects and creates a channel', async () => {
  test.skip(choice.shell !== 'electron', choice.reason ?? 'no window can be opened here')
  const dataDir = mkdtempSync(join(tmpdir(), 'sidestage-desktop-'))
  const app = await _electron.launch({
    ...(binary ? { executablePath: binary } : {}),
    args: [root, '--data', dataDir, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'],
  })
  try {
    const window = await app.firstWindow()
    await expect(window.getByText('Service running', { exact: true })).toBeVisible()
    expect(new URL(window.url()).protocol).toBe('app:')
    expect(await window.evaluate(() => [typeof (globalThis as { require?: unknown }).require, typeof (globalThis as { process?: unknown }).process])).toEqual([
      'undefined',
      'undefined',
    ])
    await window.getByLabel('Name', { exact: false }).first().fill('Desktop_show')
    await window.getByRole('button', { name: 'Create channel' }).first().click()
    await expect(window.getByText('Desktop_show').first()).toBeVisible()
  } finally {
    await app.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
