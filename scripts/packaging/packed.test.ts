import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build, Platform } from 'electron-builder'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { packaging } from './configuration.ts'
import { wrongFuses } from './fuses.ts'
import { binaryWithFuses } from './testing/binary-with-fuses.ts'

/** The real packager over what was built, around a file in place of Electron's binary, which needs no network. */
let dir = ''
interface Entry {
  readonly files?: Readonly<Record<string, Entry>>
  readonly unpacked?: boolean
  readonly size?: number
  readonly offset?: string
  readonly integrity?: { readonly algorithm: string; readonly hash: string }
}
const archive = (): Buffer => readFileSync(path.join(dir, 'out', 'linux-unpacked', 'resources', 'app.asar'))
/** Every file of the archive with its entry: after four lengths of 4 bytes its header is JSON. */
function entries(): Map<string, Entry> {
  const bytes = archive()
  const found = new Map<string, Entry>()
  const walk = (at: string, entry: Entry): void => {
    for (const [name, each] of Object.entries(entry.files ?? {})) {
      if (each.files) walk(`${at}${name}/`, each)
      else found.set(at + name, each)
    }
  }
  walk('', JSON.parse(bytes.toString('utf8', 16, 16 + bytes.readUInt32LE(12))) as Entry)
  return found
}

beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'sidestage-packed-'))
  const electron = path.join(dir, 'electron')
  binaryWithFuses(path.join(electron, 'electron'), '101100011')
  chmodSync(path.join(electron, 'electron'), 0o755)
  mkdirSync(path.join(electron, 'resources'))
  for (const name of ['version', 'LICENSE', 'LICENSES.chromium.html'])
    writeFileSync(path.join(electron, name), '45.4.1')
  await build({
    targets: Platform.LINUX.createTarget('dir'),
    config: {
      ...packaging('linux', {}),
      electronDist: electron,
      directories: { output: path.join(dir, 'out'), buildResources: 'resources' },
    },
    publish: 'never',
  })
}, 240_000)
afterAll(() => {
  rmSync(dir, { recursive: true, force: true })
})

it('packs what runs and its packages, no source, no test, no map and no second Node', () => {
  const names = [...entries().keys()]
  for (const one of [
    'out/main/index.js',
    'out/main/service.js',
    'out/main/recording-worker.js',
    'out/preload/preload.cjs',
    'out/renderer/index.html',
  ])
    expect(names).toContain(one)
  expect(names).toContain('out/watch/index.html')
  expect(names).toContain('node_modules/fastify/package.json')
  const own = names.filter((name) => !name.startsWith('node_modules/'))
  expect(
    own.filter(
      (name) =>
        !/^(out\/(main|preload|renderer|watch)\/|resources\/(icon|tray\/[a-zA-Z@0-9]+)\.png$|package\.json$|LICENSE$)/.test(
          name,
        ),
    ),
  ).toEqual([])
  expect(own.filter((name) => /\.(ts|vue|map)$|\.test\./.test(name))).toEqual([])
  expect(
    names.filter((name) => /^node_modules\/(node-(linux|win)-|electron\/|playwright|typescript)/.test(name)),
  ).toEqual([])
})

it('leaves the native parts of the keychain beside the archive, and gives every other file its digest', () => {
  const all = entries()
  const unpacked = [...all].filter(([, { unpacked: out }]) => out === true).map(([name]) => name)
  expect(unpacked.some((name) => name.startsWith('node_modules/keytar/prebuilds/linux-x64/'))).toBe(true)
  for (const name of unpacked) {
    expect(name).toMatch(/^node_modules\/keytar\//)
    expect(existsSync(path.join(dir, 'out', 'linux-unpacked', 'resources', 'app.asar.unpacked', name))).toBe(true)
  }
  expect([...all.values()].filter(({ integrity }) => integrity?.algorithm !== 'SHA256')).toEqual([])
})

it('sets the fuses of the packed binary', async () => {
  expect(await wrongFuses(path.join(dir, 'out', 'linux-unpacked', 'sidestage'))).toEqual([])
})

it('says in the packed package.json whether it is signed', () => {
  const bytes = archive()
  const { offset, size } = entries().get('package.json')!
  const from = 8 + bytes.readUInt32LE(4) + Number(offset)
  expect(JSON.parse(bytes.toString('utf8', from, from + size!))).toMatchObject({
    main: 'out/main/index.js',
    sidestage: { signed: false, updates: false },
  })
})
