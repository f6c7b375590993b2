import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { en } from './en.ts'
import { languageOf } from './i18n.ts'
import { zh } from './zh.ts'

const flat = (tree: object, at = ''): Record<string, string> =>
  Object.fromEntries(
    Object.entries(tree).flatMap(([key, value]: [string, unknown]) =>
      typeof value === 'string' ? [[`${at}${key}`, value]] : Object.entries(flat(value as object, `${at}${key}.`)),
    ),
  )
const english = flat(en)
const chinese = flat(zh)
const slots = (text: string): string[] => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''))].sort()
const root = fileURLToPath(new URL('..', import.meta.url))
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(vue|ts)$/.test(file) && !/locales|testing|\.test\.ts$/.test(file))

it('has the same keys with the same slots in both languages, none empty', () => {
  expect(Object.keys(chinese).sort()).toEqual(Object.keys(english).sort())
  for (const [key, text] of Object.entries(english)) expect(slots(chinese[key] ?? ''), key).toEqual(slots(text))
})

it('has every key that the screens ask for', () => {
  const asked = new Set<string>()
  for (const file of sources)
    for (const [, key] of readFileSync(path.join(root, file), 'utf8').matchAll(/\bt\((?:\w+ \? )?'([\w.]+)'/g)) if (key) asked.add(key)
  expect(asked.size).toBeGreaterThan(100)
  expect([...asked].filter((key) => english[key] === undefined)).toEqual([])
})

it('writes no exclamation mark, no oops, no please, no successfully; Chinese with full-width punctuation and without 您', () => {
  for (const [key, text] of Object.entries(english)) expect(text, key).not.toMatch(/!|oops|\bplease\b|successfully/i)
  for (const [key, text] of Object.entries(chinese))
    expect(text, key).not.toMatch(/您|！|[\u4e00-\u9fff][,?!:;]|[\u4e00-\u9fff][A-Za-z]|[A-Za-z][\u4e00-\u9fff]/)
})

it('keeps markup and inline styles out of the templates', () => {
  for (const file of sources.filter((each) => each.endsWith('.vue')))
    expect(readFileSync(path.join(root, file), 'utf8'), file).not.toMatch(/v-html|innerHTML|\sstyle="/)
})

it('follows the system where the setting says so', () => {
  expect(languageOf('system', ['zh-TW', 'en'])).toBe('zh')
  expect(languageOf('system', ['de', 'zh'])).toBe('en')
  expect(languageOf('zh', ['en'])).toBe('zh')
})
