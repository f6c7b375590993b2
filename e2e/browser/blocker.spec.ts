import { expect, test } from 'playwright/test'
import { openPlayed, startPlayed } from '../played.ts'

/** What the page says and offers while it has lost its line to the app. */
for (const language of ['en', 'zh'] as const)
  test(`without the app nothing is offered and nothing is stated that is not known, in ${language === 'en' ? 'English' : 'Chinese'}`, async ({
    page,
  }) => {
    const fake = await startPlayed('full')
    try {
      const { go, say } = await openPlayed(page, fake, language)
      await go('/studio/c2d955100123456789abcdef01234567')
      const main = page.locator('main')
      await expect(main.getByText(say('preview.idle'), { exact: true })).toBeVisible()
      await expect(main.getByRole('button', { name: say('push.replace') })).toBeVisible()
      await fake.close()
      const later = say('blocker.offline')
      for (const key of ['push.replace', 'studio.disable']) {
        const button = main.getByRole('button', { name: say(key) })
        await expect(button, key).toHaveAttribute('aria-disabled', 'true')
        await expect(button, key).toHaveAttribute('title', later)
      }
      await expect(main.getByRole('switch')).toHaveCount(3)
      for (const each of await main.getByRole('switch').all()) await expect(each).toBeDisabled()
      await expect(main.getByText(say('preview.unknown'))).toBeVisible()
      await expect(main.getByText(say('recording.unknown'))).toBeVisible()
      for (const key of ['preview.idle', 'recording.off', 'recording.asked'])
        await expect(main.getByText(say(key), { exact: true }), key).toHaveCount(0)
    } finally {
      await fake.close()
    }
  })

test('the keys that are listed are all there are, and ? shows them where no room is open; the search of the API is not cut', async ({
  page,
}) => {
  const fake = await startPlayed('full')
  try {
    await page.setViewportSize({ width: 1120, height: 700 })
    const { go, say } = await openPlayed(page, fake, 'zh')
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: say('keys.title') })
    await expect(dialog.locator('dt')).toHaveText(
      [
        'palette',
        'create',
        'search',
        'mark',
        'clip',
        'copyKey',
        'copyLink',
        'goLive',
        'trim',
        'zoomIn',
        'zoomOut',
        'help',
      ].map((key) => say(`keys.page.${key}`)),
    )
    await page.keyboard.press('Escape')
    await go('/console')
    const field = page.getByPlaceholder(say('console.search'))
    await expect(field).toBeVisible()
    const spare = await field.evaluate((node: HTMLInputElement) => {
      const style = getComputedStyle(node)
      const pen = document.createElement('canvas').getContext('2d')!
      pen.font = style.font
      return (
        node.clientWidth -
        parseFloat(style.paddingLeft) -
        parseFloat(style.paddingRight) -
        pen.measureText(node.placeholder).width
      )
    })
    expect(spare).toBeGreaterThanOrEqual(0)
  } finally {
    await fake.close()
  }
})
