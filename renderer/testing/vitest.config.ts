import { fileURLToPath } from 'node:url'
import { playwright } from '@vitest/browser-playwright'
import { defineProject } from 'vitest/config'
import { chromium } from '../../e2e/chromium.ts'
import { rendererConfig } from '../vite.config.ts'

/** Component tests: in Debian's Chromium, with the components built as the page is. */
export default defineProject({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  plugins: rendererConfig().plugins ?? [],
  // What is imported late is known before the first test: a package that is found while tests run loads the page again.
  optimizeDeps: {
    include: ['flv.js', 'hls.js/light', 'uplot', '@orpc/client/message-port', '@orpc/client/websocket', '@orpc/server'],
  },
  test: {
    name: 'page',
    // Each test ends its own page; modules are read once for all files.
    isolate: false,
    testTimeout: 60_000,
    // After those of Node, so that two browsers do not share the processor with encoders.
    sequence: { groupOrder: 1 },
    maxWorkers: 2,
    include: ['renderer/**/*.browser.test.ts'],
    globalSetup: [fileURLToPath(new URL('browser-setup.ts', import.meta.url))],
    // Conditions are waited for this long; only a failing test waits so.
    expect: { poll: { timeout: 15_000 } },
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({
        launchOptions: chromium,
        contextOptions: { reducedMotion: 'reduce', permissions: ['clipboard-read', 'clipboard-write'] },
        actionTimeout: 10_000,
      }),
      instances: [{ browser: 'chromium' }],
      viewport: { width: 1440, height: 900 },
    },
  },
})
