import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { pageWords } from '../watch/page-words.ts'
import { spoken } from '../format/languages.ts'
import { allWords } from './messages.ts'

const flat = (tree: object, at = ''): [string, string][] =>
  Object.entries(tree).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'string' ? [[`${at}${key}`, value] as [string, string]] : flat(value as object, `${at}${key}.`),
  )
const chinese = flat(spoken(allWords, 'zh'))
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
const ends = /[。？！]$/
/** A sentence that is put before another one, by its key; a slot of a key stands for any text. */
const isSentence = (key: string): boolean => {
  const pattern = new RegExp(
    `^${key
      .split(/\$\{[^}]*\}/)
      .map((part) => escaped(part))
      .join('.+')}$`,
  )
  return chinese.some(([each, text]) => pattern.test(each) && text.split(' | ').some((one) => ends.test(one)))
}

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(vue|ts)$/.test(file) && !/locales|testing|[\\/]words[-\w]*\.ts$|\.test\.ts$/.test(file))
  .map((file) => [file, readFileSync(path.join(root, file), 'utf8')] as const)
const keysIn = (code: string): string[] => [...code.matchAll(/\bt\(\s*[`']([^`']+)[`']/g)].map(([, key = '']) => key)
/** Keys of what an expression shows: its own, else those of what it is called in its file. */
const keysOf = (expression: string, source: string): string[] => {
  const own = keysIn(expression)
  if (own.length > 0) return own
  const [name = ''] = /^[\w$]+/.exec(expression.trim()) ?? []
  if (name === '') return []
  const [body = ''] =
    new RegExp(`(?:const|let) ${escaped(name)}\\b[^]*?\\n(?=const |let |</script>|\\w)`).exec(source) ?? []
  return keysIn(body)
}
/** An expression, and after a blank another one, with or without an element around them. */
const pairs = [
  /\{\{((?:(?!\}\}).)*)\}\}(?:<\/\w+>)? +(?:<(?:span|b|strong|em|bdi|code|button)\b[^>]*>)?\{\{/gs,
  /\{\{((?:(?!\}\}).)*)\}\}\s+<(?:span|b|strong|em|bdi|code|button)\b/gs,
  /\{\{((?:(?!\}\}).)*)\}\}\s+\{\{/gs,
  /\$\{([^{}]*)\} \$\{/g,
] as const
const blanks = (source: string): string[] =>
  pairs.flatMap((pair) =>
    [...source.matchAll(pair)].flatMap(([, left = '']) => keysOf(left, source).filter((key) => isSentence(key))),
  )

describe('a sentence in Chinese', () => {
  it('has no blank after its stops, which have one of their own', () => {
    const texts = [...chinese, ...Object.entries(pageWords).map(([key, { zh }]) => [`watch ${key}`, zh] as const)]
    expect(texts.length).toBeGreaterThan(2_000)
    const wrong = texts.filter(([, text]) =>
      text.split(/ \| /).some((one) => /[。，、；：？！]\s|\s[。，、：？！]/.test(one)),
    )
    expect(wrong).toEqual([])
  })

  it('stands before another one without a blank of English between them', () => {
    expect(blanks(`<template>{{ t('studio.disabledBanner') }} <span>{{ two }}</span></template>`)).toContain(
      'studio.disabledBanner',
    )
    expect(blanks("const one = t('studio.disabledBanner')\nconst two = `${one} ${other}`\n")).toContain(
      'studio.disabledBanner',
    )
    expect(sources.flatMap(([file, source]) => blanks(source).map((key) => `${file}: ${key}`))).toEqual([])
  })
})
