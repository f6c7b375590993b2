import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { mounted } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { seatsWords } from '../moderators/words.ts'
import SeatLook from './seat-look.vue'
import { useSeatPage } from './seat-page.ts'

const seatsEn = spoken(seatsWords, 'en')
const seatsZh = spoken(seatsWords, 'zh')

const { seatPage: words } = seatsEn
const choice = (name: string) => page.getByRole('combobox', { name, exact: true })

describe("the look of a moderator's page", () => {
  it.each(['dark', 'light', 'system'] as const)('is the theme that is chosen, and remembered: %s', async (theme) => {
    const memory = new Map([['sidestage.seat.theme', theme === 'dark' ? 'light' : 'dark']])
    const { pinia } = await mounted(SeatLook, { memory })
    await choice(words.theme).selectOptions(theme)
    expect(useSeatPage(pinia).theme).toBe(theme)
    expect(memory.get('sidestage.seat.theme')).toBe(theme)
    expect(memory.has('sidestage.seat.language')).toBe(false)
  })

  it.each(['en', 'zh', 'system'] as const)('is the language that is chosen, and remembered: %s', async (language) => {
    const memory = new Map([['sidestage.seat.language', language === 'en' ? 'zh' : 'en']])
    const { pinia } = await mounted(SeatLook, { memory })
    await choice(words.language).selectOptions(language)
    expect(useSeatPage(pinia).language).toBe(language)
    expect(memory.get('sidestage.seat.language')).toBe(language)
    expect(memory.has('sidestage.seat.theme')).toBe(false)
  })

  it('begins with what the browser remembers, else with that of the system', async () => {
    await mounted(SeatLook, { memory: new Map([['sidestage.seat.theme', 'light']]) })
    await expect.element(choice(words.theme)).toHaveValue('light')
    await expect.element(choice(words.language)).toHaveValue('system')
  })

  it.each([
    ['en', words],
    ['zh', seatsZh.seatPage],
  ] as const)('has the names of its themes in %s', async (language, each) => {
    await mounted(SeatLook, { language })
    await expect.element(page.getByRole('group', { name: each.look })).toBeVisible()
    const names = ['system', 'dark', 'light'].map(
      (theme) => `${each.theme} · ${each.themes[theme as keyof typeof each.themes]}`,
    )
    expect([...(choice(each.theme).element() as HTMLSelectElement).options].map(({ text }) => text)).toEqual(names)
  })
})
