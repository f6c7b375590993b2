import { existsSync } from 'node:fs'
import { chromium as playwright } from 'playwright'
import { chromium } from '../../e2e/chromium.ts'

/** Fails with what to install where Chromium is missing: component tests must not pass by being left out. */
export function requireChromium(file: string): void {
  if (!existsSync(file))
    throw new Error(
      `${file} is missing; it comes with: apt-get install chromium-headless-shell, or npx playwright install chromium`,
    )
}

/** Runs once before the component tests. */
export default function setup(): void {
  requireChromium(chromium.executablePath ?? playwright.executablePath())
}
