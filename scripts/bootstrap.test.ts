import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { scratch } from '../companion/testing/rig.ts'

/** A checkout whose build is older than its sources, as after an update. */
function checkout(dir: string, installed: object): void {
  for (const folder of ['scripts', 'node_modules', 'service', 'out'])
    mkdirSync(path.join(dir, folder), { recursive: true })
  for (const name of ['bootstrap.mjs', 'launch-tether.mjs', 'build.ts', 'launch-build.ts'])
    copyFileSync(path.join(import.meta.dirname, name), path.join(dir, 'scripts', name))
  writeFileSync(path.join(dir, 'package.json'), '{"type":"module"}')
  writeFileSync(
    path.join(dir, 'package-lock.json'),
    JSON.stringify({ packages: { 'node_modules/a': { version: '2' } } }),
  )
  writeFileSync(path.join(dir, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }))
  writeFileSync(path.join(dir, 'service/main.ts'), '')
}

/** Starts the service where nothing may be written, also as root. */
function startReadOnly(dir: string): { readonly status: number | null; readonly said: string } {
  const command = [process.execPath, path.join(dir, 'scripts/bootstrap.mjs'), 'service', '--help']
  const none = '-dac_override'
  const asRoot = ['setpriv', `--inh-caps=${none}`, `--bounding-set=${none}`]
  const [program, ...args] = process.getuid?.() === 0 ? [...asRoot, ...command] : command
  chmodSync(dir, 0o555)
  try {
    const { status, stderr } = spawnSync(program!, args, { cwd: dir, encoding: 'utf8' })
    return { status, said: stderr }
  } finally {
    chmodSync(dir, 0o755)
  }
}
const remedy = (dir: string): string =>
  `, and this process may not write to ${dir}: ` +
  'run npm run --silent service -- --help there once, as a user who may, then start it again\n'

it.skipIf(process.platform !== 'linux')(
  'after an update without a build a unit that may not write says what to do',
  () => {
    using folder = scratch()
    checkout(folder.dir, { 'node_modules/a': { version: '2' } })
    const { status, said } = startReadOnly(folder.dir)
    expect(status).toBe(1)
    expect(said).toBe(
      `sidestage: the sources are newer than what was built${remedy(folder.dir)}` +
        'sidestage: nothing was started, see above\n',
    )
  },
)

it.skipIf(process.platform !== 'linux')('so does one whose packages are not those that are locked', () => {
  using folder = scratch()
  checkout(folder.dir, { 'node_modules/a': { version: '1' } })
  const { status, said } = startReadOnly(folder.dir)
  expect(status).toBe(1)
  expect(said).toBe(
    'sidestage: what is installed is not what is locked (node_modules/a is another version)' + remedy(folder.dir),
  )
})
