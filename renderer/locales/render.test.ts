import { describe, expect, it } from 'vitest'
import { groups, type Group } from './groups.ts'
import { createLanguages } from './i18n.ts'
import type { Language } from '../format/languages.ts'

const names = Object.keys(groups) as Group[]
const flat = (tree: object, at = ''): [string, string][] =>
  Object.entries(tree).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'string' ? [[`${at}${key}`, value] as [string, string]] : flat(value as object, `${at}${key}.`),
  )
const slot = /\{(\w+)\}/g
const slotsOf = (text: string): string[] => [...text.matchAll(slot)].map(([, name]) => name ?? '')
/** What a message with these values must show, worked out without the library that shows it. */
const expected = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replaceAll(/\{'([^']*)'\}/g, '$1').replaceAll(slot, (_, name: string) => String(values[name] ?? ''))
/** Everything that means something in the syntax of messages, and markup. */
const hostile = `<b>@:a.b @ {x} {'y'} | $ % \\ </b>`

/** Two forms are for 1 and any other number, three for 0, 1 and any other. */
const formOf = (n: number, forms: number): number => (forms === 2 ? (n === 1 ? 0 : 1) : Math.min(n, 2))

describe.each(['en', 'zh'] as Language[])('every message in %s', async (language) => {
  const texts = await Promise.all(names.map((name) => groups[name][language]()))
  const all = flat(Object.assign({}, ...texts) as object)
  const { plugin, words } = createLanguages()
  await words.need(names)
  await words.speak(language)
  const t = plugin.global.t as (key: string, values?: Readonly<Record<string, string | number>>, n?: number) => string

  it('is shown whole with any values, also those that look like syntax', () => {
    expect(all.length).toBeGreaterThan(1000)
    for (const [key, text] of all) {
      const forms = text.split(' | ')
      const values = Object.fromEntries(slotsOf(text).map((name) => [name, hostile]))
      if (forms.length === 1) expect(t(key, values), key).toBe(expected(text, values))
      else
        for (const n of [0, 1, 2, 5, 1000])
          expect(t(key, { ...values, n }, n), key).toBe(
            expected(forms[formOf(n, forms.length)] ?? '', { ...values, n }),
          )
    }
  })

  it('is shown without its values as well, when a part of the page forgets them', () => {
    for (const [key] of all) expect(() => t(key), key).not.toThrow()
  })

  it('has one form, or one each for 1 and any other number, which is called n', () => {
    for (const [key, text] of all) {
      const forms = text.split(' | ')
      expect(forms.length, key).toBeLessThanOrEqual(3)
      expect(text.split('|').length, `${key}: a bar without spaces`).toBe(forms.length)
      if (forms.length > 1) expect(slotsOf(forms.at(-1) ?? ''), key).toContain('n')
    }
  })
})

/** Amounts that are never 1: limits, what is folded, and questions about several things that have another message for one. */
const never1: ReadonlySet<string> = new Set([
  'ask.removeManyTitle',
  'ask.disableManyTitle',
  'files.removeTitle',
  'name.long',
  'messaging.people.most',
  'messaging.team.filled',
  'messaging.words.most',
  'messaging.words.long',
  'recording.slices',
  'room.folded',
  'roomLists.held.beyond',
  'room.maxRobots',
  'support.licences.count',
])

it('has a form for 1 wherever an amount stands before a word in English that would be wrong for it', async () => {
  const english = flat(Object.assign({}, ...(await Promise.all(names.map((name) => groups[name].en())))) as object)
  // People, verbs of several, and words of three letters and more with the s of several; verbs and names after {name} and the like are no amounts.
  const amounts =
    /\{(?:n|left|count|files|limit|days|segments|all|most|max|minutes|hours|lines|people)\} (?:people\b|(?:of them )?(?:are|were|have)\b|(?:[a-z]+ )?[a-z]{2,}[^s'\s|]s\b)/
  const wrong = english.filter(([key, text]) => amounts.test(text) && !text.includes(' | ') && !never1.has(key))
  expect(wrong.map(([key, text]) => `${key}: ${text}`)).toEqual([])
})
