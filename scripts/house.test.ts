import { expect, it } from 'vitest'
import { circlesOf, identifiersNotToUse, importsOf } from './house.ts'

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

it('reads imports of scripts and components, types included', () => {
  const script = `
import { a } from './a.ts'
import type { B } from '../b.ts'
export * from './g.ts'
import z from 'zod'`
  const expected = ['x/y/a.ts', 'x/b.ts', 'x/y/g.ts']
  expect(importsOf('x/y/z.ts', script)).toEqual(expected)
  expect(
    importsOf('x/y/z.vue', `<script setup lang="ts">${script}\n</script>\n<template>import q from './q.ts'</template>`),
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
  expect(identifiersNotToUse(page)).toEqual(['b', 'c'])
})
