import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { programOf, unheardIn } from './unheard.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'sidestage-unheard-'))
  mkdirSync(path.join(dir, 'node_modules'))
  writeFileSync(
    path.join(dir, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { target: 'es2024', module: 'esnext', moduleResolution: 'bundler', strict: true, types: [] },
      include: ['**/*.ts', '**/*.vue'],
    }),
  )
})
afterEach(() => rmSync(dir, { recursive: true }))

const found = (): string[] => unheardIn(programOf(path.join(dir, 'tsconfig.json')), dir).sort()

it('finds a promise that void throws away, wherever it stands', () => {
  writeFileSync(
    path.join(dir, 'a.ts'),
    [
      'export const work = (): Promise<void> => Promise.resolve()',
      'export const first = (): void => void work()',
      'export const list: number[] = []',
      'export const second = (): void => void list.push(1)',
      'export const third = { run: () => void work().catch(() => undefined) }',
      'export function fourth(): void { return void work().then(() => 1) }',
    ].join('\n'),
  )
  expect(found()).toEqual(['a.ts:2', 'a.ts:6'])
})

it('finds a promise that a component drops, and leaves what is heard', () => {
  writeFileSync(path.join(dir, 'a.ts'), 'export const work = (): Promise<void> => Promise.resolve()\n')
  writeFileSync(
    path.join(dir, 'b.vue'),
    [
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
    ].join('\n'),
  )
  expect(found()).toEqual(['b.vue:4', 'b.vue:8'])
})
