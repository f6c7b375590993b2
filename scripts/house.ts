import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { anchorsOf, citationFaults, doubledAnchors } from './citations.ts'
import { undocumentedIn } from './documented.ts'
import { addMembers, nameFaults, withFolders, type Named } from './named.ts'

/** Measures the structure of the source; fails above a bound. `--names` names what is counted, and lines of folders. */
const most = {
  folderCircles: 0,
  /** By imports of types too. */
  fileCircles: 0,
  deadCitations: 0,
  /** In documents. */
  deadNames: 0,
  exportedWithoutDoc: 0,
  wordsNotToUse: 0,
  wordsNotInProse: 0,
  longFiles: 4,
  longFilesWithoutReason: 0,
  veryLongFilesWithoutReason: 0,
  longLines: 875,
} as const
/** Lines of a long file, and of one that never goes without a reason; letters of a long line. */
const long = { lines: 300, manyLines: 400, letters: 120 }

/** A file of the source. */
interface SourceFile {
  readonly path: string
  readonly text: string
  /** Of a script or of the scripts of a component. */
  readonly script: ts.SourceFile | undefined
}

/** Nodes and those that they lead to. */
type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** Groups of nodes that all lead to each other, each in alphabetical order (Tarjan's algorithm). */
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

/** The scripts of a file, parsed; undefined for a style sheet. */
export function parse(file: string, text: string): ts.SourceFile | undefined {
  if (file.endsWith('.css') || file.endsWith('.json')) return undefined
  const script = file.endsWith('.vue')
    ? Array.from(text.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g), ([, own]) => own).join('\n')
    : text
  return ts.createSourceFile(file, script, ts.ScriptTarget.Latest, true)
}

/** Modules of the repository that a script imports, types included, as paths from the root. */
export function importsOf(file: string, script: ts.SourceFile): string[] {
  return script.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return []
    const { moduleSpecifier: from } = statement
    if (!from || !ts.isStringLiteral(from) || !from.text.startsWith('.')) return []
    return [path.posix.join(path.posix.dirname(file), from.text)]
  })
}

/** The texts of a script: of its strings and templates, or of its comments. */
export function textsOf(script: ts.SourceFile): { readonly strings: string[]; readonly comments: string[] } {
  const strings: string[] = []
  const { text } = script
  let withoutLiterals = text
  const visit = (node: ts.Node): void => {
    if (ts.isLiteralExpression(node) || ts.isTemplateMiddleOrTemplateTail(node) || ts.isTemplateHead(node)) {
      const from = node.getStart(script)
      if (!ts.isRegularExpressionLiteral(node)) strings.push(node.text)
      withoutLiterals = withoutLiterals.slice(0, from) + ' '.repeat(node.end - from) + withoutLiterals.slice(node.end)
    }
    ts.forEachChild(node, visit)
  }
  visit(script)
  return { strings, comments: withoutLiterals.match(/\/\/.*|\/\*[\s\S]*?\*\//g) ?? [] }
}

const isTest = (file: string): boolean => /\.(?:test|spec)\.ts$|\/testing\/|^(?:e2e|bench)\//.test(file)
const read = (): SourceFile[] =>
  globSync(
    '{contract,platform,service,companion,electron,browser,renderer,scripts,bench,e2e}/**/*.{ts,mjs,cjs,vue,css}',
  ).map((native) => {
    const file = native.replaceAll(path.sep, '/')
    const text = readFileSync(native, 'utf8')
    return { path: file, text, script: parse(file, text) }
  })
/** Documents whose names in backticks must exist. */
const documents = ['README.md', 'CONTRIBUTING.md', 'docs/design.md', 'docs/security.md']
/** What those names may stand for. */
function namedOf(files: readonly SourceFile[]): Named {
  const members = new Map<string, ReadonlySet<string>>()
  for (const { script } of files) if (script) addMembers(script, members)
  const others = globSync('{docs,resources,service/testing/fuzz/crashers,renderer/public}/**/*.*').concat(
    globSync('*.md'),
  )
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly scripts: object }
  return {
    paths: withFolders([...files.map((file) => file.path), ...others.map((file) => file.replaceAll(path.sep, '/'))]),
    words: new Set(files.flatMap(({ text }) => text.match(/[\w$]+/g) ?? [])),
    members,
    scripts: new Set(Object.keys(scripts)),
  }
}
const linesOf = ({ text }: SourceFile): number => text.split('\n').length - 1
/** Whether a file says at its top why it is long: "Long because …", "Longer than other files: …". */
export const hasReason = (text: string): boolean =>
  /\bLong(?:er)?\b/.test(/^(?:(?:\/\/.*\n)+|\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->)/.exec(text)?.[0] ?? '')

/** The folder of a file within its process, or the file where it stands beside these folders. */
const folderOf = (file: string): string => {
  const parts = file.split('/')
  return parts.slice(0, file.startsWith('renderer/features/') ? 3 : 2).join('/')
}
const graphOf = (files: readonly SourceFile[], nodeOf: (file: string) => string): Graph => {
  const known = new Set(files.map((file) => file.path))
  const graph = new Map<string, Set<string>>()
  for (const file of files)
    for (const target of file.script ? importsOf(file.path, file.script) : []) {
      const [from, to] = [nodeOf(file.path), nodeOf(target)]
      if (from === to || !known.has(target)) continue
      graph.set(from, (graph.get(from) ?? new Set()).add(to))
    }
  return graph
}

/** What the column "Not" of the glossary has: `identifiers`, and "words" that comments and the screens do without. */
export function notToUse(glossary: string): { readonly identifiers: string[]; readonly words: string[] } {
  const cells = Array.from(glossary.matchAll(/^\|[^|]+\|[^|]+\|([^|]*)\|$/gm), ([, not = '']) => not)
  const marked = (mark: RegExp): string[] =>
    cells.flatMap((cell) => Array.from(cell.matchAll(mark), ([, name = '']) => name))
  return { identifiers: marked(/`([\w$]+)`/g), words: marked(/"([^"]+)"/g) }
}

/** The words of a list that stand in a text, whatever their case, one or many of the thing. */
export function wordsIn(text: string, words: readonly string[]): string[] {
  return words.filter((word) => new RegExp(`\\b${word.replaceAll(/[^\w ]/g, String.raw`\$&`)}s?\\b`, 'i').test(text))
}

/** What people read in a file: its comments, and on screens the English words. */
function proseOf({ path: file, text, script }: SourceFile): string {
  const { strings, comments } = script ? textsOf(script) : { strings: [], comments: [] }
  const others = /\.(?:vue|css)$/.test(file) ? (text.match(/<!--[\s\S]*?-->|\/\*[\s\S]*?\*\//g) ?? []) : []
  const isEnglish = /^renderer\/(?:.*[/.-])?en\.ts$/.test(file)
  return [...comments, ...others, ...(isEnglish ? strings : [])].join('\n')
}

/** Sums of lines by a folder of each file. */
const linesBy = (files: readonly SourceFile[], folder: (file: string) => string): string[] =>
  Object.entries(Object.groupBy(files, ({ path: file }) => folder(file))).map(
    ([name, own = []]) => `${name} ${own.reduce((sum, file) => sum + linesOf(file), 0).toLocaleString('en')}`,
  )

function main(): void {
  const all = read()
  const files = all.filter(({ path: file }) => !isTest(file) && !file.endsWith('.cjs'))
  const circles = (nodeOf: (file: string) => string): string[] =>
    circlesOf(graphOf(files, nodeOf)).map((circle) => circle.join(' ↔ '))
  const longFiles = files.filter((file) => linesOf(file) > long.lines && !file.path.endsWith('.css'))
  const withLines = (found: readonly SourceFile[]): string[] =>
    found.map((file) => `${file.path}, ${linesOf(file)} lines`)
  const withoutReason = longFiles.filter(({ text }) => !hasReason(text))
  const anchors = anchorsOf(readFileSync('docs/behaviour.md', 'utf8'))
  const named = namedOf(all)
  const not = notToUse(readFileSync('docs/glossary.md', 'utf8'))
  const found: Record<keyof typeof most, readonly string[]> = {
    folderCircles: circles(folderOf),
    fileCircles: circles((file) => file),
    deadCitations: [
      ...doubledAnchors(anchors).map((anchor) => `docs/behaviour.md: two headings have the anchor ${anchor}`),
      ...all
        .filter(({ path: file }) => !/citations(?:\.test)?\.ts$/.test(file))
        .flatMap(({ path: file, text }) => citationFaults(text, new Set(anchors)).map((fault) => `${file}:${fault}`)),
    ],
    deadNames: documents.flatMap((page) =>
      nameFaults(readFileSync(page, 'utf8'), named).map((fault) => `${page}:${fault}`),
    ),
    exportedWithoutDoc: all.flatMap(({ path: file, script }) =>
      script && file.endsWith('.ts') && !/\.test\.ts$|^(?:e2e|bench)\//.test(file)
        ? undocumentedIn(script).map((fault) => `${file}:${fault}`)
        : [],
    ),
    wordsNotToUse: files.flatMap(({ path: file, text }) => {
      const words = new Set(text.match(/[\w$]+/g))
      return not.identifiers.filter((name) => words.has(name)).map((name) => `${file}: ${name}`)
    }),
    wordsNotInProse: not.words.length
      ? files.flatMap((file) => wordsIn(proseOf(file), not.words).map((word) => `${file.path}: ${word}`))
      : [],
    longFiles: withLines(longFiles),
    longFilesWithoutReason: withLines(withoutReason),
    veryLongFilesWithoutReason: withLines(withoutReason.filter((file) => linesOf(file) > long.manyLines)),
    longLines: all.flatMap(({ path: file, text }) =>
      text.split('\n').flatMap((line, index) => (line.length > long.letters ? `${file}:${index + 1}` : [])),
    ),
  }
  const isNaming = process.argv.includes('--names')
  console.log(`lines without tests: ${linesBy(files, (file) => file.split('/')[0]!).join(', ')}`)
  console.log(`lines without tests in all: ${files.reduce((sum, file) => sum + linesOf(file), 0).toLocaleString('en')}`)
  for (const name of Object.keys(found) as (keyof typeof most)[]) {
    console.log(`${name}: ${found[name].length}, at most ${most[name]}`)
    const isAbove = found[name].length > most[name]
    if (isAbove) process.exitCode = 1
    if (isAbove || isNaming) for (const where of found[name]) console.log(`  ${where}`)
  }
  if (isNaming) for (const line of linesBy(files, folderOf)) console.log(`lines of ${line}`)
}
if (process.argv[1] && path.resolve(process.argv[1]) === import.meta.filename) main()
