import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { pastedClipboard } from '../clipboard.ts'
import { startOverCdp } from '../desktop/over-cdp.ts'
import { descendants } from '../desktop/process-table.ts'
import { firstStream } from '../first-stream.ts'

/**
 * The way into a packaged build, tried with Debian's Chromium in its place: started as a program of its own, driven over its debugging
 * port, the clipboard read by pasting. The steps are those of e2e/desktop.
 */
let app: RunningApp
const profile = mkdtempSync(path.join(tmpdir(), 'sidestage-chromium-'))
test.beforeAll(async () => {
  app = await startApp()
})
test.afterAll(async () => {
  await app?.dispose()
  rmSync(profile, { recursive: true, force: true, maxRetries: 3 })
})

test('a program that lets nobody look into its main process is driven from outside through the first stream', async () => {
  const { launchOptions } = test.info().project.use
  const driven = await startOverCdp('/usr/bin/chromium', [
    ...(launchOptions?.args ?? []),
    '--headless',
    '--window-size=1440,900',
    `--user-data-dir=${profile}`,
    app.ready.url,
  ])
  try {
    await firstStream(driven.page, pastedClipboard(driven.page), 'Outside')
    expect(descendants(driven.process.pid ?? 0, '--type=renderer').length).toBeGreaterThan(0)
    expect(descendants(driven.process.pid ?? 0, '--type=no-such-thing')).toEqual([])
  } finally {
    await driven.close()
  }
  expect(driven.process.exitCode ?? driven.process.signalCode).not.toBeNull()
})

test('a program that ends before it can be driven says so with its words', async () => {
  await expect(startOverCdp(process.execPath, ['-e', 'console.log("no window here")'])).rejects.toThrow('ended with 9')
})
