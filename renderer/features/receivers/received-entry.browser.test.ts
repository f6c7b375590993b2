import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h } from 'vue'
import { began, mounted } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { callbacksWords } from '../recordings/words-callbacks.ts'
import ReceivedEntry from './received-entry.vue'

const callbacksEn = spoken(callbacksWords, 'en')

const { receiver: words, callbacks } = callbacksEn
const entry = { id: 4, at: began, test: null, fields: { cid: 'abc' } }
const show = async (change: Readonly<Record<string, unknown>> = {}) => {
  const said: string[] = []
  await mounted(
    {
      render: () =>
        h('ul', [
          h(ReceivedEntry, {
            entry,
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

const button = (name: string) => page.getByRole('button', { name: name.replace('{n}', '4'), exact: true })

describe('a message that came in', () => {
  it.each(
    (['fine', 'dropped'] as const).flatMap((mark) => [
      [mark, 'replay', words.replayThis] as const,
      [mark, 'tamper', words.tamperThis] as const,
    ]),
  )('and is genuine is sent again by its button, also where nothing comes of it: %s, %s', async (mark, what, name) => {
    const said = await show({ mark })
    await button(name).click()
    expect(said).toEqual([what])
  })

  it.each([
    ['replay', words.replayThis, words.tamperThis],
    ['tamper', words.tamperThis, words.replayThis],
  ])('waits at the button that was pressed: %s', async (what, pressed, free) => {
    await show({ busy: `${what}4` })
    await expect.element(button(pressed)).toBeDisabled()
    await expect.element(button(free)).toBeEnabled()
  })

  it('does not wait for another message', async () => {
    await show({ busy: 'replay40' })
    for (const name of [words.replayThis, words.tamperThis]) await expect.element(button(name)).toBeEnabled()
  })

  it.each(['replay', 'tamper'] as const)('says that it came of a test: %s', async (test) => {
    await show({ entry: { ...entry, test } })
    await expect.element(page.getByRole('listitem')).toMatchTextContent(`Accepted · ${callbacks.test[test]}`)
  })

  it('says why it was turned away', async () => {
    await show({ mark: 'turned', verdict: 'Forged', why: 'The signature is wrong.' })
    await expect.element(page.getByRole('listitem')).toMatchTextContent('Forged · The signature is wrong.')
  })

  it('shows its fields as they came when it is opened', async () => {
    await show({ entry: { ...entry, fields: { cid: 'abc', body: '<b>晚会</b> {n}' } } })
    expect(page.getByText('<b>晚会</b> {n}').element()).not.toBeVisible()
    await page.getByText(/a\.mp4/).click()
    for (const text of ['cid', 'abc', 'body', '<b>晚会</b> {n}'])
      await expect.element(page.getByText(text, { exact: true })).toBeVisible()
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
