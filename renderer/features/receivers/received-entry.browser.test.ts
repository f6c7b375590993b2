import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h } from 'vue'
import { began, mounted } from '../../testing/mounted.ts'
import ReceivedEntry from './received-entry.vue'

const show = async (change: { mark?: string; on?: boolean } = {}) => {
  const said: string[] = []
  await mounted(
    {
      render: () =>
        h('ul', [
          h(ReceivedEntry, {
            entry: { id: 4, at: began, test: null, fields: { cid: 'abc' } },
            mark: 'fine',
            verdict: 'Accepted',
            why: null,
            about: 'a.mp4',
            on: true,
            busy: null,
            ...change,
            onReplay: () => said.push('replay'),
            onTamper: () => said.push('tamper'),
          } as never),
        ]),
    },
    { path: '/settings/receivers' },
  )
  return said
}

describe('a message that came in', () => {
  it.each([
    ['replay', 0],
    ['tamper', 1],
  ] as const)('is sent again by its button: %s', async (what, index) => {
    const said = await show()
    await page.getByRole('button').nth(index).click()
    expect(said).toEqual([what])
  })

  it('is not sent again while the receiver does not listen, and says so', async () => {
    const said = await show({ on: false })
    for (const index of [0, 1]) {
      await expect.element(page.getByRole('button').nth(index)).toHaveAttribute('aria-disabled', 'true')
      await expect.element(page.getByRole('button').nth(index)).toHaveAttribute('title')
      await page.getByRole('button').nth(index).click({ force: true })
    }
    expect(said).toEqual([])
  })

  it('that was turned away cannot be sent again', async () => {
    await show({ mark: 'turned' })
    await expect.element(page.getByText('Accepted')).toBeVisible()
    expect(page.getByRole('button').query()).toBeNull()
  })
})
