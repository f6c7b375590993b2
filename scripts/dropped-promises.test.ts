import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { droppedPromises, scriptOf, withoutVoid } from './dropped-promises.ts'

let dir: string
const write = (name: string, lines: readonly string[]): void => {
  mkdirSync(path.dirname(path.join(dir, name)), { recursive: true })
  writeFileSync(path.join(dir, name), lines.join('\n'))
}
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'sidestage-dropped-promises-'))
  mkdirSync(path.join(dir, 'node_modules'))
  const compilerOptions = {
    target: 'es2024',
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    types: [],
    allowImportingTsExtensions: true,
    noEmit: true,
  }
  write('tsconfig.json', [JSON.stringify({ compilerOptions, include: ['**/*.ts', '**/*.vue'], exclude: ['out'] })])
})
afterEach(() => rmSync(dir, { recursive: true }))

const found = (): string[] =>
  Array.from(
    droppedPromises(dir, ['tsconfig.json'], path.join(dir, 'out')).matchAll(/^([\w./]+:\d+):/gm),
    ([, place = '']) => place,
  ).sort()

it('finds a promise that void throws away, wherever it stands', () => {
  write('a.ts', [
    'export const work = (): Promise<void> => Promise.resolve()',
    'export const first = (): void => void work()',
    'export const list: number[] = []',
    'export const second = (): void => void list.push(1)',
    'export const third = { run: () => void work().catch(() => undefined) }',
    'export function fourth(): void { return void work().then(() => 1) }',
    'export const fifth = (most?: { work: typeof work }): void => {',
    '  if (most) return void most',
    '    .work()',
    '}',
    'export const sixth = [void list.pop()]',
  ])
  expect(found()).toEqual(['a.ts:11', 'a.ts:2', 'a.ts:6', 'a.ts:8'])
})

it('finds a promise that a component drops, and leaves what is heard', () => {
  write('folder/a.ts', ['export const work = (): Promise<void> => Promise.resolve()'])
  write('folder/b.vue', [
    '<!-- shows nothing -->',
    '<script setup lang="ts">',
    "import { work } from './a.ts'",
    'work()',
    'work().catch(() => undefined)',
    'await work()',
    'const kept = work()',
    'void kept',
    '</script>',
    '<template><p /></template>',
  ])
  expect(found()).toEqual(['folder/b.vue:4', 'folder/b.vue:8'])
})

it('finds the fault in a file that did not change, when what it calls becomes a promise', () => {
  write('a.ts', ['export const work = (): void => undefined'])
  write('folder/b.vue', ['<script setup lang="ts">', "import { work } from '../a.ts'", 'work()', '</script>'])
  write('c.ts', ["import { work } from './a.ts'", 'export const again = (): void => void work()'])
  expect(found()).toEqual([])
  write('a.ts', ['export const work = (): Promise<void> => Promise.resolve()'])
  expect(found()).toEqual(['c.ts:2', 'folder/b.vue:3'])
})

it('reads both scripts of a component, and writes void of what narrows as it was', () => {
  const component =
    '<script lang="ts">\nexport type A = 1\n</script>\n<script setup lang="ts">\nuse()\n</script>\n<p />'
  expect(scriptOf(component).split('\n').slice(0, 5)).toEqual(['', 'export type A = 1', '', '', 'use()'])
  expect(withoutVoid('a.ts', 'if (a) return void a.b()\nconst c = (d?: void) => void d')?.text).toBe(
    'if (a) { a.b(); return }\nconst c = (d?: void) => { d }',
  )
  expect(withoutVoid('a.ts', 'const a = (): void => {}')).toBeUndefined()
})
