import { describe, expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import { departures } from '../../testing/departures.ts'
import { mounted, withParts } from '../../testing/mounted.ts'
import FaultNotice from './fault-notice.vue'
import FrameNotes from './frame-notes.vue'
import { useFaults, type PageFault } from './faults.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from './words.ts'

const en = spoken(frameWords, 'en')
const zh = spoken(frameWords, 'zh')

const show = (faults: readonly PageFault[], options: Parameters<typeof mounted>[1] & { missed?: string } = {}) =>
  mounted(withParts(FrameNotes, FaultNotice), {
    ...options,
    before: (pinia) => {
      for (const fault of faults) useFaults(pinia).heard(fault)
      if (options.missed !== undefined) useFaults(pinia).miss(options.missed)
    },
  })
const said = () => page.getByRole('status')
const button = (name: string) => page.getByRole('button', { name, exact: true })

describe('a fault of the page', () => {
  it('is not told of while there is none', async () => {
    await show([])
    expect(said().query()).toBeNull()
  })

  it.each([
    ['thrown', 'en', en.fault.page],
    ['notLoaded', 'en', en.fault.part],
    ['thrown', 'zh', zh.fault.page],
    ['notLoaded', 'zh', zh.fault.part],
  ] as const)('is told of with what to do: %s, in %s', async (fault, language, words) => {
    await show([fault], { language })
    await expect.element(said()).toHaveTextContent(words.title)
    await expect.element(page.getByText(words.text)).toBeVisible()
  })

  it('is told of once, however often it happens, until it is put away', async () => {
    const { pinia } = await show(['thrown', 'thrown', 'thrown'])
    expect(said().elements()).toHaveLength(1)
    await button(en.word.close).click()
    await expect.element(said()).not.toBeInTheDocument()
    useFaults(pinia).heard('thrown')
    await expect.element(said()).toHaveTextContent(en.fault.page.title)
  })

  it('is mended by loading the page anew', async () => {
    const gone = departures()
    await show(['thrown'])
    await button(en.fault.reload).click()
    await expect.poll(() => gone).toEqual(['reload'])
  })

  it('of a screen that could not be opened is mended by loading that screen', async () => {
    const before = window.location.href
    onTestFinished(() => window.history.replaceState(null, '', before))
    const gone = departures()
    await show(['notLoaded'], { missed: '/room' })
    await button(en.fault.reload).click()
    await expect.poll(() => gone).toEqual(['reload'])
    expect(window.location.hash).toBe('#/room')
  })

  it('that was put away is forgotten with its missing part and its screen', async () => {
    const before = window.location.href
    onTestFinished(() => window.history.replaceState(null, '', before))
    const gone = departures()
    const { pinia } = await show(['notLoaded'], { missed: '/room' })
    await button(en.word.close).click()
    await expect.element(said()).not.toBeInTheDocument()
    useFaults(pinia).heard('thrown')
    await expect.element(said()).toHaveTextContent(en.fault.page.title)
    await button(en.fault.reload).click()
    await expect.poll(() => gone).toEqual(['reload'])
    expect(window.location.href).toBe(before)
  })
})
