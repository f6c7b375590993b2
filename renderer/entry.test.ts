import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../scripts/launch-build.ts'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const built = path.join(root, 'out', 'renderer')
const read = (file: string): Buffer => readFileSync(path.join(built, file))

/** Bytes of the entry, gzipped: what comes before the first screen stands. */
const budget = 312_000

/** What the page fetches before it starts: scripts and styles of index.html, and all that these import at once. */
function entryOf(): ReadonlySet<string> {
  const page = read('index.html').toString('utf8')
  const files = new Set(
    [...page.matchAll(/<(?:script|link)\b[^>]*\b(?:src|href)="\.\/([^"]+\.(?:js|css))"/g)].map(
      ([, file]) => file ?? '',
    ),
  )
  for (const file of files) {
    if (!file.endsWith('.js')) continue
    for (const [, to] of read(file)
      .toString('utf8')
      .matchAll(/(?:^|[;}\n])(?:import|export)\s*(?:[\w*$\s{},]+?\s*from\s*)?["'](\.\.?\/[^"']+\.js)["']/g))
      files.add(path.posix.join(path.posix.dirname(file), to ?? ''))
  }
  return files
}

describe("the page's entry", () => {
  let entry: ReadonlySet<string> = new Set()
  beforeAll(async () => {
    await ensureBuilt(root, ['renderer'], () => undefined)
    entry = entryOf()
  }, 240_000)

  it('is at most 312 kB gzipped, scripts and styles together', () => {
    const sizes = [...entry].map((file) => [file, gzipSync(read(file), { level: 9 }).length] as const)
    expect(sizes.filter(([file]) => file.endsWith('.css')).length).toBeGreaterThan(0)
    expect(sizes.filter(([file]) => file.endsWith('.js')).length).toBeGreaterThan(1)
    const whole = sizes.reduce((sum, [, size]) => sum + size, 0)
    expect(whole, JSON.stringify(sizes)).toBeGreaterThan(100_000)
    expect(whole, JSON.stringify(sizes)).toBeLessThan(budget)
  })

  it('leaves players, charts, console, messaging, the search and the second language in chunks of their own', () => {
    const text = [...entry].map((file) => read(file).toString('utf8')).join('\n')
    const later = readdirSync(path.join(built, 'assets'))
      .filter((file) => file.endsWith('.js') && !entry.has(`assets/${file}`))
      .map((file) => read(`assets/${file}`).toString('utf8'))
      .join('\n')
    const marks = {
      frame: 'Skip to the screen',
      'the second language': '跳到内容',
      'hls.js': 'hlsDestroying',
      'flv.js': 'loading_complete',
      uPlot: 'u-legend',
      'words of the console': 'Made from the contract',
      'words of Messaging': 'Requests and news',
      'words of a room': 'Up to six lengths',
      'the search': 'useExtendedSearch',
    }
    const isIn = (where: string): readonly string[] =>
      Object.entries(marks).flatMap(([name, mark]) => (where.includes(mark) ? [name] : []))
    expect(isIn(text)).toEqual(['frame'])
    expect(isIn(later).length).toBe(Object.keys(marks).length - 1)
  })

  it('lists the licences of what ships beside it: modules of the page, needs of the app, fonts, icons and the window', () => {
    const { packages, texts } = JSON.parse(read('licences.json').toString('utf8')) as {
      packages: { name: string; version: string; licence: string | null; text: number | null }[]
      texts: string[]
    }
    const named = packages.map(({ name }) => name)
    const app = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
    }
    for (const name of [
      ...Object.keys(app.dependencies),
      'vue',
      'hls.js',
      'flv.js',
      'uplot',
      '@fontsource/ibm-plex-mono',
      'electron',
      'avvio',
    ])
      expect(named, name).toContain(name)
    expect(named).not.toContain('playwright')
    expect(packages.filter(({ licence }) => licence === null)).toEqual([])
    for (const { name, text } of packages) if (text !== null) expect(texts[text]?.length, name).toBeGreaterThan(20)
    expect(packages.filter(({ text }) => text !== null).length / packages.length).toBeGreaterThan(0.8)
    expect(entry.has('licences.json')).toBe(false)
  })
})
