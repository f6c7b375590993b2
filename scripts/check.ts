import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { runSteps, type Step } from './step.ts'

/** `npm run check`: checks without running the source. Results are kept in `out/` by the content of files. */
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
/** One checker: several would each work out the types of the contract. vue-tsc and the lint rules need TypeScript 6. */
const types = (config: string): string => `node node_modules/typescript-7/bin/tsc -p ${config} --checkers 1`
const folders = 'contract platform service companion electron browser renderer scripts bench e2e'
/** The tools written in Go collect garbage less often: a fifth less time, for more memory (lint then has 2.5 GB). */
const env = { GOGC: '400' }
/** The longest first, so that both processes are busy to the end. */
const commands: readonly (readonly [name: string, command: string, env?: Step['env']])[] = [
  ['lint', `oxlint --type-aware --deny-warnings -c scripts/lint/oxlint.json ${fix ? '--fix ' : ''}${folders}`, env],
  ['types: web', 'vue-tsc -p renderer/tsconfig.json'],
  ['lint: promises', 'node scripts/dropped-promises.ts', env],
  ['types: node', types('tsconfig.json'), env],
  [
    'lint: components',
    `eslint -c scripts/lint/eslint.config.mjs --max-warnings 0 --cache --cache-strategy content --cache-location ${kept}/components.json renderer/**/*.vue`,
  ],
  [
    'import directions',
    `depcruise --config scripts/lint/dependency-cruiser.cjs --cache ${kept}/imports --cache-strategy content ${folders}`,
  ],
  ['dead code', 'knip --config scripts/lint/knip.json --no-progress'],
  ['structure of the source', 'node scripts/house.ts'],
  ['types: end-to-end tests', types('e2e/tsconfig.json'), env],
  [
    'format',
    `oxfmt ${fix ? '--write' : '--check'} -c scripts/lint/oxfmt.json {${folders.replaceAll(' ', ',')}}/**/*.{ts,mjs,cjs,vue,css,json} *.ts`,
  ],
  ['types: preload', types('electron/tsconfig.preload.json'), env],
  ['generated pages', `node scripts/documents.ts${fix ? '' : ' --check'}`],
]
const steps = commands.map(([name, command, env = {}]): Step => ({ name, command: command.split(' '), env }))
process.exitCode = (await runSteps(steps, 2)) ? 0 : 1
