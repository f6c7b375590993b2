import { expect, it } from 'vitest'
import { wordsOf } from './words.ts'

const [en, zh] = [wordsOf('en', ''), wordsOf('zh', '')]

it.each([
  ['en', 'zh-CN', en],
  ['zh', 'en-GB', zh],
  ['system', 'en-GB', en],
  ['system', 'zh-CN', zh],
  ['system', 'ZH', zh],
  ['system', 'zhx', en],
  ['system', '', en],
  [undefined, 'zh-TW', zh],
] as const)('speaks for the language %s on a computer of %s', (language, system, words) => {
  expect(wordsOf(language, system)).toBe(words)
})

/** Every text of a language by its place, with functions called. */
function textsOf(value: unknown, at = ''): [string, string][] {
  if (typeof value === 'string') return [[at, value]]
  if (typeof value === 'function') return textsOf((value as (...given: unknown[]) => unknown)('NAME', true), at)
  return Object.entries(value as object).flatMap(([name, each]) => textsOf(each, `${at}.${name}`))
}

it('says everything in both languages, and names in both what it is about', () => {
  const [english, chinese] = [new Map(textsOf(en)), new Map(textsOf(zh))]
  expect([...chinese.keys()]).toEqual([...english.keys()])
  for (const [at, text] of english) {
    const other = chinese.get(at) ?? ''
    expect(other, at).toMatch(/\p{Script=Han}|Sidestage|NAME/u)
    expect([at, other.includes('NAME')]).toEqual([at, text.includes('NAME')])
  }
})

it('says of a recording that stopped whether the disk is full', () => {
  expect(en.notices.recordingStopped('show', true)[1]).toContain('disk is full')
  expect(en.notices.recordingStopped('show', false)[1]).not.toContain('disk')
})

it('says of what did not work what it was about, or only where to look', () => {
  expect([en.outcomes.failed('show')[1], en.outcomes.failed('')[1]]).toEqual([
    'show: look in Sidestage.',
    'Look in Sidestage.',
  ])
})
