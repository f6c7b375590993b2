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
const budget = 320_000

/** What the page fetches before it starts: scripts and styles of index.html, and all that these import at once. */
function entryOf(): ReadonlySet<string> {
  const page = read('index.html').toString('utf8')
  const files = new Set([...page.matchAll(/<(?:script|link)\b[^>]*\b(?:src|href)="\.\/([^"]+\.(?:js|css))"/g)].map(([, file]) => file ?? ''))
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

  it('is at most 320 kB gzipped, scripts and styles together', () => {
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
    const isIn = (where: string): readonly string[] => Object.entries(marks).flatMap(([name, mark]) => (where.includes(mark) ? [name] : []))
    expect(isIn(text)).toEqual(['frame'])
    expect(isIn(later).length).toBe(Object.keys(marks).length - 1)
  })
})
