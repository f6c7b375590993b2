import { expect, it, onTestFinished, vi } from 'vitest'
import { clock, count, say, span } from './words.ts'

it('puts figures into a sentence, and leaves a place that has none', () => {
  expect(say('since', { time: '10:00' })).toBe('on air since 10:00')
  expect(say('stillMuted', { name: '{name}' })).toContain('{name}')
  expect(say('behind')).toBe('{seconds} s behind')
})

it.each([
  [0, '0 s'],
  [-5, '0 s'],
  [1, '1 s'],
  [59.6, '1 min'],
  [61, '1 min 1 s'],
  [3600, '1 h'],
  [3661, '1 h 1 min'],
  [3601, '1 h'],
  [90_061, '1 d 1 h'],
  [86_400, '1 d'],
])('says %d s in the two largest units: %s', (seconds, words) => {
  expect(span(seconds)).toBe(words)
})

it('groups the digits of a count', () => {
  expect([count(12), count(1_234_567)]).toEqual(['12', '1,234,567'])
})

it.each([
  ['zh-CN', '10:00 开播', '1,234'],
  ['ZH', '10:00 开播', '1,234'],
  ['en-GB', 'on air since 10:00', '1,234'],
  ['fr', 'on air since 10:00', '1,234'],
])('speaks the language of the browser where it has it: %s', async (language, said, number) => {
  vi.stubGlobal('navigator', { language })
  vi.resetModules()
  onTestFinished(() => {
    vi.unstubAllGlobals()
    vi.resetModules()
  })
  const words = await import('./words.ts')
  expect([words.say('since', { time: '10:00' }), words.count(1234)]).toEqual([said, number])
})

it('has a clock of minutes, or of hours', () => {
  expect([clock(-1), clock(9.9), clock(600), clock(36_061)]).toEqual(['0:00', '0:09', '10:00', '10:01:01'])
})

it('has every text of the page in both languages, with the same figures', async () => {
  const { pageWords } = await import('./page-words.ts')
  const figures = (text: string): string[] => text.match(/\{\w+\}/g)?.toSorted() ?? []
  for (const [name, { en, zh }] of Object.entries(pageWords)) expect(figures(zh), name).toEqual(figures(en))
})
