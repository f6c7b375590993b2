import { expect, it } from 'vitest'
import { groups, type Group } from './groups.ts'
import type { Language } from '../format/languages.ts'
import { sectionLabels } from '../features/settings/section-labels.ts'

const flat = (tree: object, at = ''): [string, string][] =>
  Object.entries(tree).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'string' ? [[`${at}${key}`, value] as [string, string]] : flat(value as object, `${at}${key}.`),
  )
const read = async (language: Language): Promise<ReadonlyMap<string, string>> => {
  const parts = await Promise.all((Object.keys(groups) as Group[]).map((name) => groups[name][language]()))
  return new Map(flat(Object.assign({}, ...parts) as object))
}
/** Keys of what the pages of the settings are called. */
const pages = Object.values(sectionLabels)

it.each([
  ['en', /Settings(?: ›|,) (?=[A-Z])/g],
  ['zh', /设置 › /g],
] as const)('a page of the settings is called what it is called there: %s', async (language, leads) => {
  const messages = await read(language)
  const names = pages.map((key) => messages.get(key) ?? '')
  expect(names).toHaveLength(12)
  expect(names).not.toContain('')
  // OBS has settings of its own.
  const known = [...names, language === 'en' ? 'Stream' : '直播']
  const isRight = (rest: string): boolean =>
    known.some((name) => rest.startsWith(name) && !/^\p{L}/u.test(rest.slice(name.length)))
  const wrong = [...messages].filter(([, text]) =>
    [...text.matchAll(leads)].some(({ 0: lead, index }) => !isRight(text.slice(index + lead.length))),
  )
  expect(wrong).toEqual([])
})
