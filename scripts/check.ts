import { runSteps, type Step } from './step.ts'

/** `npm run check`: everything that can be said of the source without running it, in under a minute. */
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
const steps: Step[] = [
  { name: 'types: web', command: ['vue-tsc', '-p', 'renderer/tsconfig.json'] },
  { name: 'types: node', command: types('tsconfig.json') },
  { name: 'types: end-to-end tests', command: types('e2e/tsconfig.json') },
  { name: 'types: preload', command: types('electron/tsconfig.preload.json') },
  {
    name: 'format',
    command: [
      'oxfmt',
      fix ? '--write' : '--check',
      '-c',
      'scripts/lint/oxfmt.json',
      '{contract,platform,service,companion,electron,browser,renderer,scripts,bench,e2e}/**/*.{ts,mjs,cjs,vue,css,json}',
      '*.ts',
    ],
  },
  {
    name: 'lint',
    command: [
      'oxlint',
      '--type-aware',
      '--deny-warnings',
      '-c',
      'scripts/lint/oxlint.json',
      ...(fix ? ['--fix'] : []),
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
    ],
  },
  { name: 'lint: promises', command: ['node', 'scripts/unheard.ts'] },
  {
    name: 'lint: components',
    command: ['eslint', '-c', 'scripts/lint/eslint.config.mjs', '--max-warnings', '0', 'renderer/**/*.vue'],
  },
  {
    name: 'import directions',
    command: [
      'depcruise',
      '--config',
      'scripts/lint/dependency-cruiser.cjs',
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
    ],
  },
  { name: 'dead code', command: ['knip', '--config', 'scripts/lint/knip.json', '--no-progress'] },
  { name: 'generated pages', command: ['node', 'scripts/documents.ts', ...(fix ? [] : ['--check'])] },
  { name: 'exported things have a sentence', command: ['node', 'scripts/documented.ts'] },
  { name: 'structure of the source', command: ['node', 'scripts/house.ts'] },
  { name: 'references to behaviour.md', command: ['node', 'scripts/citations.ts'] },
]
process.exitCode = (await runSteps(steps, 2)) ? 0 : 1
