import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { groups, type Group } from './groups.ts'
import { createLanguages, languageOf } from './i18n.ts'
import { allWords } from './messages.ts'
import { spoken, type Language } from '../format/languages.ts'

const flat = (tree: object, at = ''): Record<string, string> =>
  Object.fromEntries(
    Object.entries(tree).flatMap(([key, value]: [string, unknown]) =>
      typeof value === 'string' ? [[`${at}${key}`, value]] : Object.entries(flat(value as object, `${at}${key}.`)),
    ),
  )
const names = Object.keys(groups) as Group[]
const read = async (language: Language): Promise<readonly object[]> =>
  Promise.all(names.map((name) => groups[name][language]()))
const [inEnglish, inChinese] = await Promise.all([read('en'), read('zh')])
const english = flat(Object.assign({}, ...inEnglish) as object)
const chinese = flat(Object.assign({}, ...inChinese) as object)
const slots = (text: string): string[] =>
  [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''))].sort()
const root = fileURLToPath(new URL('..', import.meta.url))
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.(vue|ts)$/.test(file) && !/locales|testing|[\\/]words[-\w]*\.ts$|\.test\.ts$/.test(file),
)

it('has the same keys with the same slots in both languages, none empty', () => {
  expect(Object.keys(chinese).sort()).toEqual(Object.keys(english).sort())
  for (const [key, text] of Object.entries(english)) expect(slots(chinese[key] ?? ''), key).toEqual(slots(text))
})

it('has the names of units in Chinese sentences, and their symbols only in cells of a table', () => {
  // What commands are searched by has the words of both languages, and is not shown.
  const symbols = Object.entries(chinese).flatMap(([key, text]) =>
    /[\d}] ?(?:ms|s|min|h)\b/.test(text) && !key.startsWith('palette.words.') ? [key] : [],
  )
  expect(symbols).toEqual(['streamHealth.seconds'])
})

it('loads every file of words, and no group hides another', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^(?:features|ui)\b.*[\\/]words[-\w]*\.ts$/.test(file),
  )
  const loading = new Set(['locales/groups.ts'])
  for (const file of loading)
    for (const [, to = ''] of readFileSync(path.join(root, file), 'utf8').matchAll(
      /^(?!import type).*?'(\.[^']*\/words[-\w]*\.ts)(?:\?\w+)?'/gm,
    ))
      loading.add(path.join(path.dirname(file), to))
  expect(files.length).toBeGreaterThan(25)
  expect(files.filter((file) => !loading.has(file))).toEqual([])
  for (const texts of [inEnglish, inChinese]) {
    const tops = texts.flatMap((group) => Object.keys(group))
    expect(tops.filter((top, index) => tops.indexOf(top) !== index)).toEqual([])
  }
})

it('leaves the words of a group as they are when others are loaded', async () => {
  const before = Object.keys(await groups.frame.en())
  await createLanguages().words.need(names)
  expect(Object.keys(await groups.frame.en())).toEqual(before)
})

it('knows the words of all groups at once', () => {
  expect(spoken(allWords, 'en')).toEqual(Object.assign({}, ...inEnglish))
  expect(spoken(allWords, 'zh')).toEqual(Object.assign({}, ...inChinese))
})

it('shows a screen in the language that speaks, and changes it when all words that were asked for are there', async () => {
  const { plugin, words } = createLanguages()
  const { t, locale } = plugin.global
  expect([locale.value, t('nav.settings')]).toEqual(['en', 'Settings'])
  await words.need(['console'])
  expect(t('console.title')).toBe('API console')
  const speaking = words.speak('zh')
  // A screen that is opened while the language changes has its words in both.
  const needed = words.need(['copies'])
  expect(locale.value).toBe('en')
  await Promise.all([speaking, needed])
  expect([locale.value, t('nav.settings'), t('console.title'), t('copies.section')]).toEqual([
    'zh',
    '设置',
    'API 控制台',
    chinese['copies.section'],
  ])
  // The newest wish wins, however long each takes.
  await Promise.all([words.speak('zh'), words.speak('en')])
  expect([locale.value, t('copies.section')]).toEqual(['en', english['copies.section']])
})

it('has every key that the screens ask for', () => {
  const asked = new Set<string>()
  for (const file of sources)
    for (const [, key] of readFileSync(path.join(root, file), 'utf8').matchAll(/\bt\((?:\w+ \? )?'([\w.]+)'/g))
      if (key) asked.add(key)
  expect(asked.size).toBeGreaterThan(100)
  expect([...asked].filter((key) => english[key] === undefined)).toEqual([])
})

it('shows every text somewhere: its key stands in a source as a whole, or its beginning does before what is put in', () => {
  const text = sources.map((file) => readFileSync(path.join(root, file), 'utf8')).join('\n')
  const whole = new Set([...text.matchAll(/['"`]([a-zA-Z]\w*(?:\.\w+)+)['"`]/g)].map(([, key]) => key))
  const put = /\$\{(?:[^{}]|\{[^{}]*\})*\}/
  const made = [...text.matchAll(/`([a-zA-Z]\w*\.(?:[\w.]|\$\{(?:[^{}`]|\{[^{}`]*\})*\})+)`/g)]
    .map(([, key]) => key ?? '')
    .filter((key) => put.test(key))
  expect(made.length).toBeGreaterThan(50)
  const fits = made.map(
    (key) =>
      new RegExp(
        `^${key
          .split(new RegExp(put, 'g'))
          .map((part) => part.replaceAll('.', '\\.'))
          .join('[\\w.]+')}$`,
      ),
  )
  expect(Object.keys(english).filter((key) => !whole.has(key) && !fits.some((one) => one.test(key)))).toEqual([])
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
