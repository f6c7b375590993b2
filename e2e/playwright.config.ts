import { defineConfig } from 'playwright/test'
import { chromium } from './chromium.ts'

/** Browser tests drive the real app: companion, service and encoders in their own processes, the page in Debian's Chromium. */
export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: '../out/test/results',
  fullyParallel: false,
  // Most of a test waits for pictures and sockets, so four files at a time fit two cores.
  workers: 4,
  retries: 0,
  // Every wait is for a condition, so patience costs nothing where it is not needed; a slow machine needs it.
  timeout: 900_000,
  expect: { timeout: 60_000 },
  reporter: [['list'], ['json', { outputFile: '../out/test/e2e.json' }]],
  use: {
    viewport: { width: 1440, height: 900 },
    actionTimeout: 60_000,
    // A trace costs a third of the time of a test: `--trace retain-on-failure` makes them where one is looked into.
    screenshot: 'only-on-failure',
    launchOptions: chromium,
  },
})
