import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { openBefore } from '../../testing/studio-before.ts'
it('x', async () => {
  await openBefore({ keyLeft: 3_600_000, obs: 'idle' })
  await new Promise((resolve) => setTimeout(resolve, 500))
  console.log([...document.querySelectorAll('.get-on-air .card-part')].map((e) => e.outerHTML.slice(0, 150)).join('\n'), document.querySelector('#targets-before')?.outerHTML, document.querySelector('[data-part=targets]')?.outerHTML)
  await page.screenshot({ path: '../../../out/x/idle.png' })
})
