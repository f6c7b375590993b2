import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h, ref } from 'vue'
import { frameWords } from '../frame/words.ts'
import { spoken } from '../../format/languages.ts'
import { channel, mounted, tallies, tally } from '../../testing/mounted.ts'
import { messagingWords } from './words.ts'
import TokenDialog from './token-dialog.vue'

const en = spoken(frameWords, 'en')
const { messaging: words } = spoken(messagingWords, 'en')
const one = channel(1)
const live = tallies([tally({ ...one, status: 1 })])
const issued = { accid: 'ana', token: 'the-token-of-ana', kept: false }

const show = async () => {
  const closed = ref(0)
  const about = ref<typeof issued | null>(issued)
  const on = await mounted(
    { render: () => h(TokenDialog, { issued: about.value, onClose: () => (closed.value += 1) }) },
    { channels: [one] },
  )
  await expect.element(page.getByRole('dialog')).toBeVisible()
  return { ...on, about, closed }
}
const token = () => page.getByRole('note', { name: words.token.label })
const button = (name: string) => page.getByRole('button', { name, exact: true })

describe('a new token', () => {
  it('is covered while a channel is on air, and can be copied then', async () => {
    const { tell } = await show()
    await expect.element(token()).toHaveTextContent(issued.token)
    expect(page.getByText(en.word.covered).query()).toBeNull()
    await tell(live)
    await expect.element(token()).toHaveTextContent('••••••••')
    await expect.element(page.getByText(en.word.covered)).toBeVisible()
    expect(document.body.textContent).not.toContain(issued.token)
    await button(words.token.copy).click()
    await expect.element(page.getByText(words.token.copied)).toBeVisible()
    expect(await navigator.clipboard.readText()).toBe(issued.token)
    await tell(tallies([tally(one)]))
    await expect.element(token()).toHaveTextContent(issued.token)
  })

  it('has not been copied where another one takes its place', async () => {
    const { about } = await show()
    await button(words.token.copy).click()
    await expect.element(page.getByText(words.token.copied)).toBeVisible()
    about.value = { accid: 'mei', token: 'the-token-of-mei', kept: true }
    await expect.element(token()).toHaveTextContent('the-token-of-mei')
    expect(page.getByText(words.token.copied).query()).toBeNull()
    await expect.element(page.getByRole('dialog')).toHaveAccessibleDescription(words.token.kept)
  })

  it('is gone from the page with its dialog', async () => {
    const { about, closed } = await show()
    await button(en.word.close).click()
    expect(closed.value).toBe(1)
    about.value = null
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
    expect(document.body.textContent).not.toContain(issued.token)
  })
})
