import { readFileSync } from 'node:fs'
import path from 'node:path'

/** Reads a source by its path from the root of the project, with slashes. Throws when there is none. */
export type ReadSource = (file: string) => string

/** A file that another one imports, by its path from the root. */
interface Import {
  readonly file: string
  /** Asked for by `import()`: it comes when it is needed. */
  readonly lazy: boolean
}

interface Walk {
  /** Whether a file belongs to what is walked; others are left out with all that they import. */
  readonly within: (file: string) => boolean
  /** Whether what is imported lazily is walked too. */
  readonly lazy: boolean
  readonly read: ReadSource
}

const statement = /(?:^|[\n;])\s*(?:import|export)\s+(?!type\b)(?:[^'"`;]*?\sfrom\s*)?['"](\.[^'"]+)['"]/g
const call = /\bimport\(\s*['"](\.[^'"]+)['"]\s*\)/g
const style = /@import\s+(?:url\()?['"](\.[^'"]+)['"]/g
const script = /<script\b[^>]*>([\s\S]*?)<\/script>/g

/** Relative imports of a `.vue`, `.ts` or `.css` source, types left out: what the source says, not what a bundler made of it. */
export function importsOf(file: string, text: string): Import[] {
  const found = (code: string, pattern: RegExp, lazy: boolean): Import[] =>
    [...code.matchAll(pattern)].map(([, specifier = '']) => ({
      file: path.posix.join(path.posix.dirname(file), specifier),
      lazy,
    }))
  if (file.endsWith('.css')) return found(text, style, false)
  const code = file.endsWith('.vue') ? [...text.matchAll(script)].map(([, inside = '']) => inside).join('\n') : text
  return [
    ...found(code, statement, false),
    ...found(code, call, true),
    ...(file.endsWith('.vue') ? found(text, style, false) : []),
  ]
}

/** Files that some roots are made of: themselves, and what they import as far as `walk` goes. Sorted; a missing file throws. */
export function sourcesOf(roots: readonly string[], { within, lazy, read }: Walk): string[] {
  const seen = new Set<string>()
  const waiting = [...roots]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    for (const each of importsOf(file, read(file)))
      if (within(each.file) && (lazy || !each.lazy)) waiting.push(each.file)
  }
  return [...seen].sort()
}

/** A source without comments that have lines of their own: no picture shows them. */
export const withoutComments = (text: string): string =>
  text.replaceAll(/^[ \t]*(?:\/\/.*|\/\*[\s\S]*?\*\/[ \t]*)(?:\n|$)/gm, '')

/** Reads sources below a folder, each once. Line ends are those of the repository on every system. */
export function sourceReader(root: string): ReadSource {
  const known = new Map<string, string>()
  return (file) => {
    let text = known.get(file)
    if (text === undefined) {
      text = readFileSync(path.join(root, file), 'utf8').replaceAll('\r\n', '\n')
      known.set(file, text)
    }
    return text
  }
}
