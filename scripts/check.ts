import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { runSteps, type Step } from './step.ts'

/**
 * `npm run check`: everything that can be said of the source without running it. What a step found out about files is kept in `out/`, by their
 * content, so that a later run reads only what changed and what depends on it.
 */
const kept = 'out/check'
/** Of another version of a tool, or other rules, nothing that was kept holds: the tools themselves look only at the files that they read. */
function dropStale(): void {
  const hash = createHash('sha256').update(process.version)
  for (const file of [
    'package-lock.json',
    ...globSync('{.,renderer,e2e,electron}/tsconfig*.json').sort(),
    ...globSync('scripts/lint/*').sort(),
    'scripts/check.ts',
  ])
    hash.update(`\0${file}\0`).update(readFileSync(file))
  const rules = hash.digest('hex')
  const stamp = `${kept}/rules.txt`
  try {
    if (readFileSync(stamp, 'utf8') === rules) return
  } catch {
    // A first run.
  }
  for (const folder of [kept, 'out/types']) rmSync(folder, { recursive: true, force: true })
  mkdirSync(kept, { recursive: true })
  writeFileSync(stamp, rules)
}
dropStale()

const fix = process.argv.includes('--fix')
/**
 * The types of a folder without components, by TypeScript 7. One checker: several would each work out the types of the contract, which takes
 * longer. Its package has no interface for other tools, so vue-tsc and the lint rules use TypeScript 6.
 */
const types = (config: string): readonly string[] => [
  'node',
  'node_modules/typescript-7/bin/tsc',
  '-p',
  config,
  '--checkers',
  '1',
]
const folders = [
  'contract',
  'platform',
  'service',
  'companion',
  'electron',
  'browser',
  'renderer',
  'scripts',
  'bench',
  'e2e',
]
/** The tools written in Go collect garbage less often: a fifth less time, for more memory (lint then has 2.5 GB). */
const env = { GOGC: '400' }
/** The longest first, so that both processes are busy to the end. */
const steps: Step[] = [
  {
    name: 'lint',
    env,
    command: [
      'oxlint',
      '--type-aware',
      '--deny-warnings',
      '-c',
      'scripts/lint/oxlint.json',
      ...(fix ? ['--fix'] : []),
      ...folders,
    ],
  },
  { name: 'types: web', command: ['vue-tsc', '-p', 'renderer/tsconfig.json'] },
  { name: 'lint: promises', env, command: ['node', 'scripts/dropped-promises.ts'] },
  { name: 'types: node', env, command: types('tsconfig.json') },
  {
    name: 'lint: components',
    command: [
      'eslint',
      '-c',
      'scripts/lint/eslint.config.mjs',
      '--max-warnings',
      '0',
      '--cache',
      '--cache-strategy',
      'content',
      '--cache-location',
      `${kept}/components.json`,
      'renderer/**/*.vue',
    ],
  },
  {
    name: 'import directions',
    command: [
      'depcruise',
      '--config',
      'scripts/lint/dependency-cruiser.cjs',
      '--cache',
      `${kept}/imports`,
      '--cache-strategy',
      'content',
      ...folders,
    ],
  },
  { name: 'dead code', command: ['knip', '--config', 'scripts/lint/knip.json', '--no-progress'] },
  { name: 'structure of the source', command: ['node', 'scripts/house.ts'] },
  { name: 'types: end-to-end tests', env, command: types('e2e/tsconfig.json') },
  {
    name: 'format',
    command: [
      'oxfmt',
      fix ? '--write' : '--check',
      '-c',
      'scripts/lint/oxfmt.json',
      `{${folders.join(',')}}/**/*.{ts,mjs,cjs,vue,css,json}`,
      '*.ts',
    ],
  },
  { name: 'types: preload', env, command: types('electron/tsconfig.preload.json') },
  { name: 'generated pages', command: ['node', 'scripts/documents.ts', ...(fix ? [] : ['--check'])] },
]
process.exitCode = (await runSteps(steps, 2)) ? 0 : 1
