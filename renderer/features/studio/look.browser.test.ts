import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { makeTargets } from '../../testing/fake-targets.ts'
import { began } from '../../testing/mounted.ts'
import { openBefore } from '../../testing/mounted-studio.ts'

it.each([
  ['dark', 'en', 1440, 900],
  ['light', 'zh', 1440, 900],
  ['dark', 'en', 1120, 700],
  ['light', 'zh', 1120, 700],
  ['dark', 'en', 1920, 1080],
] as const)('%s %s %i %i', async (theme, language, width, height) => {
  await page.viewport(width, height)
  await openBefore({ language, answers: { 'targets.list': () => makeTargets('ready', began) } })
  await expect.element(page.getByRole('button', { name: /Connect OBS|连接 OBS/ })).toBeVisible()
  document.documentElement.classList.toggle('dark', theme === 'dark')
  document.documentElement.classList.toggle('light', theme === 'light')
  await new Promise((resolve) => setTimeout(resolve, 1500))
  await page.screenshot({ path: `../../../out/x/${theme}-${language}-${width}.png` })
  await page.viewport(1440, 900)
})
