import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { desktopWindow, systems } from '../../testing/desktop-window.ts'
import { mounted } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import SeatCaption from './seat-caption.vue'

const en = spoken(frameWords, 'en')

const bar = () => document.querySelector('#app .h-10')

describe("the caption of a moderator's window", () => {
  it('minimizes, maximizes and closes the window on Windows', async () => {
    const asked = desktopWindow(systems.windows)
    await mounted(SeatCaption)
    for (const name of ['minimize', 'maximize', 'close'] as const)
      await page.getByRole('button', { name: en.title[name] }).click()
    expect(asked).toEqual(['minimize', 'toggleMaximize', 'close'])
  })

  it('leaves only the place of the buttons of the system on a Mac', async () => {
    desktopWindow(systems.mac)
    await mounted(SeatCaption)
    expect(bar()).not.toBeNull()
    expect(page.getByRole('button').elements()).toEqual([])
  })

  it('is not there where the system draws a frame', async () => {
    desktopWindow(systems.linux)
    await mounted(SeatCaption)
    expect(bar()).toBeNull()
  })

  it('is not there in a browser', async () => {
    await mounted(SeatCaption)
    expect(bar()).toBeNull()
    expect(page.getByRole('button').elements()).toEqual([])
  })
})
