import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h, ref } from 'vue'
import { desktopWindow } from '../../testing/desktop-window.ts'
import { mounted } from '../../testing/mounted.ts'
import type { LampState } from '../../ui/tally.ts'
import { spoken } from '../../format/languages.ts'
import { desktopWords } from '../desktop/words.ts'
import { frameWords } from '../frame/words.ts'
import { roomPanelWords } from './words-panel.ts'
import PopOutTitle from './pop-out-title.vue'

const desktopEn = spoken(desktopWords, 'en')
const en = spoken(frameWords, 'en')
const roomPanelEn = spoken(roomPanelWords, 'en')

const { roomPanel: words } = roomPanelEn
const { desktop } = desktopEn
type Options = Parameters<typeof mounted>[1] & { readonly state?: LampState | null; readonly hasPicture?: boolean }
const show = async ({ state = 'live', hasPicture = true, ...options }: Options = {}) => {
  const picture = ref(false)
  await mounted(
    {
      render: () =>
        h(PopOutTitle, {
          state,
          name: 'Studio one',
          hasPicture,
          picture: picture.value,
          'onUpdate:picture': (next: boolean) => (picture.value = next),
        }),
    },
    options,
  )
  return picture
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const inShell = { shell: 'electron', capabilities: ['stayOnTop', 'windowControls'] } as const

describe("the title of a room's own window", () => {
  it('has the name, and the lamp of the channel', async () => {
    await show()
    await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent('Studio one')
    await expect.element(page.getByText(en.tally.live, { exact: true })).toBeVisible()
  })

  it('has no lamp and no picture to show where the room belongs to no channel', async () => {
    await show({ state: null, hasPicture: false })
    await expect.element(page.getByRole('heading', { level: 1 })).toBeVisible()
    expect(document.querySelector('[data-figure="lamp"]')).toBeNull()
    expect(button(desktop.picture).query()).toBeNull()
  })

  it('shows the picture and hides it again', async () => {
    const picture = await show()
    await expect.element(button(desktop.picture)).toHaveAttribute('aria-pressed', 'false')
    await expect.element(button(desktop.picture)).toHaveAttribute('title', desktop.picture)
    await button(desktop.picture).click()
    expect(picture.value).toBe(true)
    await expect.element(button(desktop.picture)).toHaveAttribute('aria-pressed', 'true')
    await expect.element(button(desktop.picture)).toHaveAttribute('title', desktop.noPicture)
    await button(desktop.picture).click()
    expect(picture.value).toBe(false)
  })

  it('stays above other windows from the start, until it is let go', async () => {
    const asked = desktopWindow()
    await show({ about: { ...inShell, capabilities: [...inShell.capabilities] } })
    await expect.element(button(words.pin)).toHaveAttribute('aria-pressed', 'true')
    await expect.element(button(words.pin)).toHaveAttribute('title', words.unpin)
    expect(asked).toEqual(['pin'])
    await button(words.pin).click()
    await expect.element(button(words.pin)).toHaveAttribute('aria-pressed', 'false')
    await expect.element(button(words.pin)).toHaveAttribute('title', words.pin)
    await button(words.pin).click()
    expect(asked).toEqual(['pin', 'unpin', 'pin'])
  })

  it.each(['in a browser', 'on a desktop that cannot'])('says that it cannot stay above others: %s', async (where) => {
    if (where !== 'in a browser') desktopWindow()
    await show()
    await expect.element(page.getByRole('img', { name: words.noPin })).toBeVisible()
    expect(button(words.pin).query()).toBeNull()
  })

  it('is minimized and closed where the system draws no frame', async () => {
    const asked = desktopWindow()
    await show({ about: { ...inShell, capabilities: [...inShell.capabilities] } })
    await button(en.title.minimize).click()
    await button(en.title.close).click()
    expect(asked).toEqual(['pin', 'minimize', 'close'])
  })

  it('has no such buttons where the system has them', async () => {
    desktopWindow()
    await show({ about: { shell: 'electron', capabilities: ['stayOnTop'] } })
    await expect.element(button(words.pin)).toBeVisible()
    expect(button(en.title.close).query()).toBeNull()
  })

  it('keeps the place of the buttons of a Mac free', async () => {
    desktopWindow()
    await show({ about: { shell: 'electron', platform: 'darwin' } })
    await expect.element(page.getByRole('heading', { level: 1 })).toBeVisible()
    expect(getComputedStyle(page.getByRole('banner').element()).paddingInlineStart).toBe('76px')
  })
})
