import { expect, it } from 'vitest'
import { doubledAnchors } from './citations.ts'
import { undocumentedIn } from './documented.ts'
import { circlesOf, hasReason, importsOf, notToUse, parse, textsOf, wordsIn } from './house.ts'

const graph = (edges: readonly (readonly [string, string])[]) => {
  const found = new Map<string, Set<string>>()
  for (const [from, to] of edges) found.set(from, (found.get(from) ?? new Set()).add(to))
  return found
}

it('finds every circle once, however long, and none where the ways only meet', () => {
  expect(
    circlesOf(
      graph([
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'a'],
        ['c', 'd'],
        ['d', 'e'],
        ['e', 'd'],
        ['a', 'e'],
      ]),
    ),
  ).toEqual([
    ['d', 'e'],
    ['a', 'b', 'c'],
  ])
  expect(
    circlesOf(
      graph([
        ['a', 'b'],
        ['a', 'c'],
        ['b', 'd'],
        ['c', 'd'],
      ]),
    ),
  ).toEqual([])
})

const importsIn = (file: string, text: string) => importsOf(file, parse(file, text)!)

it('reads imports of scripts and components, types included', () => {
  const script = `
import { a } from './a.ts'
import type { B } from '../b.ts'
export * from './g.ts'
import z from 'zod'`
  const expected = ['x/y/a.ts', 'x/b.ts', 'x/y/g.ts']
  expect(importsIn('x/y/z.ts', script)).toEqual(expected)
  expect(
    importsIn('x/y/z.vue', `<script setup lang="ts">${script}\n</script>\n<template>import q from './q.ts'</template>`),
  ).toEqual(expected)
})

it('reads which identifiers the glossary does not want', () => {
  const page = [
    '| Word | Meaning | Not |',
    '|---|---|---|',
    '| a | An `a`. | `b`, `c` |',
    '| d | A d. | |',
    'A line with `e`.',
  ].join('\n')
  expect(notToUse(page).identifiers).toEqual(['b', 'c'])
})

it('reads which words the glossary does not want in prose, and finds them there alone', () => {
  const { identifiers, words } = notToUse('| a | A "z". | "nudge", `tally`, "seat of honour" |')
  expect([identifiers, words]).toEqual([['tally'], ['nudge', 'seat of honour']])
  expect(wordsIn('Nudges it, nudgeable.', words)).toEqual(['nudge'])
  expect(wordsIn('A nudgeable seat.', words)).toEqual([])
  const source = [
    "const nudge = 'https://nudge' // said of a nudge",
    'const b = `/* ${nudge /* within */} // not */`',
    "/** Of it's own. */",
    'const c = /\\/\\/ no/',
  ].join('\n')
  expect(textsOf(parse('a.ts', source)!)).toEqual({
    strings: ['https://nudge', '/* ', ' // not */'],
    comments: ['// said of a nudge', '/* within */', "/** Of it's own. */"],
  })
})

it('takes a reason for a long file from its first comment alone', () => {
  expect(hasReason('// What it is.\n// Long because it is one table.\nimport a')).toBe(true)
  expect(hasReason('<!-- Longer than other files: one table. -->\n<script>')).toBe(true)
  expect(hasReason('/** A table. */\n// Long because\n')).toBe(false)
  expect(hasReason("import a from 'a'\n// Long because it is one table.\n")).toBe(false)
})

it('finds what is exported without a sentence, once for a value and its type', () => {
  const source = [
    '/** A. */',
    'export const a = 1',
    'export type a = typeof a',
    'export function b(): void {}',
    'const c = 1',
    '/** D. */',
    'export const d = 1',
  ].join('\n')
  expect(undocumentedIn(parse('a.ts', source)!)).toEqual(['4: b is exported without a sentence'])
})

it('finds headings of a page that have one anchor', () => {
  expect(doubledAnchors(['a', 'b', 'a'])).toEqual(['a'])
})
