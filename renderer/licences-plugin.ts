import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'

interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly license?: string | { readonly type?: string }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Fonts, icons, style rules, re-exports and the Electron binary have no code of their own in the page. */
const besides = [
  'vue',
  '@fontsource-variable/ibm-plex-sans',
  '@fontsource/ibm-plex-mono',
  '@iconify-json/lucide',
  'tailwindcss',
  'electron',
]
/** Node binaries are used only from source and contain their licence. */
const left = /^node-(linux|win|darwin)-/

const read = (folder: string): Manifest =>
  JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest

/** Undefined for our own files. */
function packageOf(file: string): string | undefined {
  const at = file.lastIndexOf('/node_modules/')
  if (at < 0) return undefined
  const [scope = '', name = ''] = file.slice(at + 14).split('/')
  return path.join(file.slice(0, at), 'node_modules', scope, scope.startsWith('@') ? name : '')
}

/** As Node does; undefined for an optional package that is not installed. */
function resolved(name: string, from: string): string | undefined {
  for (let at = from; ; at = path.dirname(at)) {
    const folder = path.join(at, 'node_modules', name)
    if (existsSync(path.join(folder, 'package.json'))) return folder
    if (at === path.dirname(at)) return undefined
  }
}

function addWithNeeds(name: string, from: string, folders: Set<string>): void {
  const folder = left.test(name) ? undefined : resolved(name, from)
  if (folder === undefined || folders.has(folder)) return
  folders.add(folder)
  const { dependencies, optionalDependencies } = read(folder)
  for (const need of Object.keys({ ...dependencies, ...optionalDependencies })) addWithNeeds(need, folder, folders)
}

/** Null without licence and notice files. */
function textOf(folder: string): string | null {
  const files = readdirSync(folder).filter(
    (file) => /^(licen[cs]e|copying|notice)([.-].*)?$/i.test(file) && !/\.(js|ts|json)$/i.test(file),
  )
  const texts = files
    .sort()
    .map((file) => readFileSync(path.join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim())
  return texts.length === 0 ? null : texts.join('\n\n')
}

/** Sorted by name; equal texts are stored once. */
function licencesOf(folders: Iterable<string>): {
  readonly packages: readonly object[]
  readonly texts: readonly string[]
} {
  const texts: string[] = []
  const seen = new Map<string, object>()
  for (const folder of folders) {
    const { name, version, license } = read(folder)
    // Folders within a package may have a manifest with the module type only.
    if (name === undefined || version === undefined) continue
    const text = textOf(folder)
    if (text !== null && !texts.includes(text)) texts.push(text)
    const kind = typeof license === 'string' ? license : (license?.type ?? null)
    seen.set(`${name} ${version}`, { name, version, licence: kind, text: text === null ? null : texts.indexOf(text) })
  }
  return { packages: [...seen].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one), texts }
}

/** Writes licences.json with every package that ships, in the page or in the app's runtime. */
export const licences = (root: string): Plugin => ({
  name: 'sidestage:licences',
  apply: 'build',
  generateBundle(_options, bundle) {
    const folders = new Set<string>()
    // Modules without code after tree shaking do not ship.
    const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? Object.entries(file.modules) : []))
    for (const [id, { renderedLength }] of modules) {
      if (renderedLength === 0) continue
      const folder = packageOf(id.replaceAll('\\', '/').replace(/[?#].*$/, ''))
      if (folder !== undefined && existsSync(path.join(folder, 'package.json'))) folders.add(folder)
    }
    const { dependencies, optionalDependencies } = read(root)
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) addWithNeeds(name, root, folders)
    for (const name of besides) {
      const folder = resolved(name, root)
      if (folder !== undefined) folders.add(folder)
    }
    this.emitFile({ type: 'asset', fileName: 'licences.json', source: JSON.stringify(licencesOf(folders)) })
  },
})
