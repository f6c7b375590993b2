import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import { defineComponent, h, ref } from 'vue'
import { mounted } from '../../testing/mounted.ts'
import ScreenBoundary from './screen-boundary.vue'
import { spoken } from '../../format/languages.ts'
import { frameWords } from './words.ts'

const en = spoken(frameWords, 'en')
const zh = spoken(frameWords, 'zh')

/** Messages of the errors that are reported as uncaught, until the end of the test. */
const reported = (): readonly string[] => {
  const seen: string[] = []
  const report = vi.spyOn(window, 'reportError').mockImplementation((error: Error) => void seen.push(error.message))
  onTestFinished(() => report.mockRestore())
  return seen
}
const show = async (options: Parameters<typeof mounted>[1] = {}) => {
  const of = ref('/room')
  const isBroken = ref(true)
  const Screen = defineComponent(() => () => {
    if (isBroken.value) throw new Error('cannot be rendered')
    return h('p', 'the screen')
  })
  const seen = reported()
  await mounted({ render: () => h(ScreenBoundary, { of: of.value }, () => h(Screen)) }, options)
  return { of, isBroken, seen }
}
const note = () => page.getByRole('alert')
const screen = () => page.getByText('the screen')

describe('a screen that cannot be rendered', () => {
  it.each([
    ['en', en.fault],
    ['zh', zh.fault],
  ] as const)('is replaced by a sentence, and reported, in %s', async (language, words) => {
    const { seen } = await show({ language })
    await expect.element(note()).toMatchTextContent(words.screen)
    await expect.element(note()).toMatchTextContent(words.screenNext)
    expect(seen).toEqual(['cannot be rendered'])
  })

  it('is shown again by its button', async () => {
    const { isBroken } = await show()
    await expect.element(note()).toBeVisible()
    isBroken.value = false
    await page.getByRole('button', { name: en.fault.again }).click()
    await expect.element(screen()).toBeVisible()
    await expect.element(note()).not.toBeInTheDocument()
  })

  it('does not keep another screen away', async () => {
    const { isBroken, of } = await show()
    await expect.element(note()).toBeVisible()
    isBroken.value = false
    of.value = '/channels'
    await expect.element(screen()).toBeVisible()
    await expect.element(note()).not.toBeInTheDocument()
  })
})

it('a fault in the handler of a button leaves the screen as it is', async () => {
  const seen: string[] = []
  const Screen = defineComponent(
    () => () =>
      h(
        'button',
        {
          onClick: () => {
            throw new Error('in a handler')
          },
        },
        'press',
      ),
  )
  const Outer = defineComponent({
    errorCaptured: (error) => {
      seen.push((error as Error).message)
      return false
    },
    render: () => h(ScreenBoundary, { of: '/room' }, () => h(Screen)),
  })
  await mounted(Outer)
  await page.getByRole('button', { name: 'press' }).click()
  await expect.poll(() => seen).toEqual(['in a handler'])
  await expect.element(page.getByRole('button', { name: 'press' })).toBeVisible()
  expect(note().query()).toBeNull()
})
