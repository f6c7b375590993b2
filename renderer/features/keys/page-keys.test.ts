import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { pageKeyNames, pageKeyOf } from './page-keys.ts'

const en = spoken(frameWords, 'en')
const zh = spoken(frameWords, 'zh')

const press = (
  key: string,
  held: {
    readonly ctrlKey?: boolean
    readonly metaKey?: boolean
    readonly altKey?: boolean
    readonly repeat?: boolean
  } = {},
) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  repeat: false,
  isComposing: false,
  ...held,
})

it('says what a key asks for, by the character and with what is held', () => {
  expect(['b', 'B', 'c', 'n', 'e', '+', '-', '/', '?'].map((key) => pageKeyOf(press(key)))).toEqual([
    'mark',
    'mark',
    'clip',
    'create',
    'trim',
    'zoomIn',
    'zoomOut',
    'search',
    'help',
  ])
  expect(pageKeyOf(press('k', { ctrlKey: true }))).toBe('palette')
  expect(pageKeyOf(press('k', { metaKey: true }))).toBe('palette')
  expect(pageKeyOf({ ...press('C', { ctrlKey: true }), shiftKey: true })).toBe('copyKey')
  expect(pageKeyOf(press('g', { altKey: true }))).toBe('goLive')
  expect(pageKeyOf({ ...press('©', { altKey: true }), code: 'KeyG' })).toBe('goLive')
  expect(pageKeyOf({ ...press('и'), code: 'KeyB' })).toBe('mark')
  expect(
    [press('k'), press('b', { ctrlKey: true }), press('n', { altKey: true }), press('b', { repeat: true })].map(
      pageKeyOf,
    ),
  ).toEqual([null, null, null, null])
})

it('has every key in both languages, and no handler of the page reads a character by itself', () => {
  for (const words of [en.keys, zh.keys]) expect(Object.keys(words.page)).toEqual(pageKeyNames)
  const root = path.dirname(import.meta.dirname)
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.(vue|ts)$/.test(name) && !/\.test\.ts$|^(watch|testing)/.test(name),
  )
  const byItself = files.filter((name) =>
    /\.key(\.toLowerCase\(\))? (===|!==) '.'/.test(readFileSync(path.join(root, name), 'utf8')),
  )
  expect(byItself).toEqual([])
})

it('asks for nothing while an input method composes', () => {
  expect(pageKeyOf({ ...press('b'), isComposing: true })).toBeNull()
})
