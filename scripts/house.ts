import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

/**
 * Measures the structure of the source: circles of folders and of files, long files, lines without tests. Fails when a figure is above the most
 * that is allowed, which only ever goes down. `node scripts/house.ts [--circles]` names what is in each circle.
 */
const most = { folderCircles: 0, fileCircles: 0, longFiles: 32, wordsNotToUse: 0 } as const
/** Lines of a long file. */
const long = 300

/** A file of the source without tests, and the files that it imports. */
interface SourceFile {
  readonly path: string
  readonly lines: number
  readonly imports: readonly string[]
}

/** Nodes and those that they lead to. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** Groups of two or more nodes of a graph that all lead to each other, each in alphabetical order (Tarjan's algorithm). */
export function circlesOf(graph: Graph): string[][] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (node: string): void => {
    const own = index.size
    index.set(node, own)
    low.set(node, own)
    stack.push(node)
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next)
      if (stack.includes(next)) low.set(node, Math.min(low.get(node)!, low.get(next)!))
    }
    if (low.get(node) !== own) return
    const members = stack.splice(stack.indexOf(node))
    if (members.length > 1) found.push(members.toSorted())
  }
  for (const node of graph.keys()) if (!index.has(node)) visit(node)
  return found
}

/** Modules of the repository that a script imports, types included, as paths from the root. */
export function importsOf(file: string, content: string): SourceFile['imports'] {
  const script = file.endsWith('.vue')
    ? Array.from(content.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g), ([, text]) => text).join('\n')
    : content
  return ts.createSourceFile(file, script, ts.ScriptTarget.Latest).statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return []
    const { moduleSpecifier: from } = statement
    if (!from || !ts.isStringLiteral(from) || !from.text.startsWith('.')) return []
    return [path.posix.join(path.posix.dirname(file), from.text)]
  })
}

const isTest = (file: string): boolean => /\.(?:test|spec)\.ts$|\/testing\/|^(?:e2e|bench)\//.test(file)
const read = (): SourceFile[] =>
  globSync('{contract,platform,service,companion,electron,browser,renderer,scripts}/**/*.{ts,mjs,vue,css}')
    .filter((file) => !isTest(file))
    .map((file) => {
      const content = readFileSync(file, 'utf8')
      return {
        path: file,
        lines: content.split('\n').length - 1,
        imports: file.endsWith('.css') ? [] : importsOf(file, content),
      }
    })

/** The folder of a file within its process, or the file where it stands beside these folders. */
const folderOf = (file: string): string => {
  const parts = file.split('/')
  return parts.slice(0, file.startsWith('renderer/features/') ? 3 : 2).join('/')
}
const graphOf = (files: readonly SourceFile[], nodeOf: (file: string) => string): Graph => {
  const known = new Set(files.map((file) => file.path))
  const graph = new Map<string, Set<string>>()
  for (const file of files)
    for (const target of file.imports) {
      const [from, to] = [nodeOf(file.path), nodeOf(target)]
      if (from === to || !known.has(target)) continue
      graph.set(from, (graph.get(from) ?? new Set()).add(to))
    }
  return graph
}

/** Identifiers in the column "Not" of the glossary. */
export const identifiersNotToUse = (glossary: string): string[] =>
  Array.from(glossary.matchAll(/^\|[^|]+\|[^|]+\|([^|]*)\|$/gm), ([, not = '']) =>
    Array.from(not.matchAll(/`([\w$]+)`/g), ([, name = '']) => name),
  ).flat()

function main(): void {
  const files = read()
  const itself = (file: string): string => file
  const circles = {
    folderCircles: circlesOf(graphOf(files, folderOf)),
    fileCircles: circlesOf(graphOf(files, itself)),
  }
  const longFiles = files.filter(({ path: file, lines }) => lines > long && !file.endsWith('.css'))
  const not = identifiersNotToUse(readFileSync('docs/glossary.md', 'utf8'))
  const used = files.flatMap(({ path: file }) => {
    const words = new Set(readFileSync(file, 'utf8').match(/[\w$]+/g))
    return not.filter((name) => words.has(name)).map((name) => `${file}: ${name}`)
  })
  const lines = Object.entries(Object.groupBy(files, ({ path: file }) => file.split('/')[0]!)).map(
    ([folder, own = []]) => `${folder} ${own.reduce((sum, file) => sum + file.lines, 0).toLocaleString('en')}`,
  )
  const figures = {
    folderCircles: circles.folderCircles.length,
    fileCircles: circles.fileCircles.length,
    longFiles: longFiles.length,
    wordsNotToUse: used.length,
  }
  console.log(
    `lines without tests: ${lines.join(', ')}; ${files.reduce((sum, file) => sum + file.lines, 0).toLocaleString('en')} in all`,
  )
  for (const name of Object.keys(figures) as (keyof typeof figures)[]) {
    console.log(`${name}: ${figures[name]}, at most ${most[name]}`)
    if (figures[name] > most[name]) process.exitCode = 1
  }
  if (!process.argv.includes('--circles') && process.exitCode !== 1) return
  for (const [name, found] of Object.entries(circles))
    for (const circle of found) console.log(`${name}: ${circle.join(' ↔ ')}`)
  for (const where of used) console.log(`wordsNotToUse: ${where}`)
  for (const file of longFiles) console.log(`longFiles: ${file.path}, ${file.lines} lines`)
}
if (process.argv[1] && path.resolve(process.argv[1]) === import.meta.filename) main()
