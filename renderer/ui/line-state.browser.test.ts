import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { useCompanion } from '../data/companion.ts'
import FrameNotes from '../features/frame/frame-notes.vue'
import { spoken } from '../format/languages.ts'
import { frameWords } from '../features/frame/words.ts'
import { mounted, withParts } from '../testing/mounted.ts'
import LineState from './line-state.vue'

const en = spoken(frameWords, 'en')
const zh = spoken(frameWords, 'zh')

const show = async (options: Parameters<typeof mounted>[1] = {}) => {
  const calls: string[] = []
  const connection = { retry: () => void calls.push('retry'), restart: () => void calls.push('restart') }
  return { calls, ...(await mounted(withParts(FrameNotes, LineState), { connection, ...options })) }
}
const said = () => page.getByRole('status')

describe('the line to the app', () => {
  it('is not told of while it is open', async () => {
    await show()
    expect(said().query()).toBeNull()
  })

  it.each([
    ['en', en.line],
    ['zh', zh.line],
  ] as const)('is told of when it is lost, with the time of what is shown, in %s', async (language, words) => {
    const { lose, pass, pinia } = await show({ language })
    const companion = useCompanion(pinia)
    const title = words.lost.replace('{time}', companion.zone.clock(Date.now()))
    await lose()
    await expect.element(said()).toHaveTextContent(title)
    await expect.element(page.getByText(words.lostNext)).toBeVisible()
    // The time does not go on: what is shown stays that old.
    await pass(120_000)
    await expect.element(said()).toHaveTextContent(title)
  })

  it('is opened at once by the button', async () => {
    const { calls, lose } = await show()
    await lose()
    await page.getByRole('button', { name: en.line.retry }).click()
    expect(calls).toEqual(['retry'])
  })

  it('is not told of any more once it is open again', async () => {
    const { lose, pinia } = await show()
    await lose()
    await expect.element(said()).toBeVisible()
    useCompanion(pinia).lineIs('open')
    await expect.element(said()).not.toBeInTheDocument()
  })

  it('is not told of where nothing is shown yet', async () => {
    const { lose } = await show({ before: (pinia) => void (useCompanion(pinia).profiles = null) })
    await lose()
    expect(said().query()).toBeNull()
  })
})
