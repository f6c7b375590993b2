import path from 'node:path'
import ts from 'typescript'

/** What names in a document may stand for. */
export interface Named {
  /** Files and folders, as paths from the root. */
  readonly paths: readonly string[]
  /** Words of the source. */
  readonly words: ReadonlySet<string>
  /** Members of interfaces, classes and object types by the name of the type; none for types that inherit. */
  readonly members: ReadonlyMap<string, ReadonlySet<string>>
  /** Scripts of package.json. */
  readonly scripts: ReadonlySet<string>
}

/** Names of what exists only elsewhere: in the data folder, in what was built, and addresses. */
const elsewhere = /^(?:DATA|out|\/)|:\/\//
const pathShape = /^[\w.*<>-]+\/[\w.*<>/-]*$|^[\w.*<>-]+\.(?:ts|mjs|cjs|vue|css|md)$/
const memberShape = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/
/** An identifier with a capital letter, or one in capital letters: plain lower case may be a value or a word. */
const identifierShape = /^[a-z]+[A-Z][A-Za-z0-9]*$|^[A-Z][a-z][A-Za-z0-9]*$|^[A-Z]+(?:_[A-Z]+)+$/

/** Whether a path, with `*` and `<any>` for a part of a name, ends one of the paths. */
function isPath(name: string, paths: readonly string[]): boolean {
  const parts = name.replace(/\/$/, '').split(/\*|<[^>]*>/)
  const pattern = parts.map((part) => part.replaceAll(/[^\w/-]/g, String.raw`\$&`)).join('[^/]*')
  const ending = new RegExp(`(?:^|/)${pattern}$`)
  return paths.some((known) => ending.test(known))
}

function isIdentifier(name: string, { words, members }: Named): boolean {
  const parts = name.split('.')
  return parts.every(
    (part, index) => words.has(part) && (index === 0 || members.get(parts[index - 1]!)?.has(part) !== false),
  )
}

/** What is wrong with the names in backticks of a document: paths, identifiers and `npm run …` that nothing has. */
export function nameFaults(page: string, named: Named): string[] {
  const withoutBlocks = page.replaceAll(/^```[\s\S]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, ''))
  return withoutBlocks.split('\n').flatMap((line, index) =>
    Array.from(line.matchAll(/`([^`]+)`/g), ([, name = '']) => name)
      .filter((name) => {
        const script = /^npm run (\w[\w:-]*)/.exec(name)?.[1]
        if (script !== undefined) return !named.scripts.has(script)
        if (elsewhere.test(name)) return false
        if (pathShape.test(name)) return !isPath(name, named.paths)
        if (name.endsWith('.json')) return false
        return (memberShape.test(name) || identifierShape.test(name)) && !isIdentifier(name, named)
      })
      .map((name) => `${index + 1}: nothing is named ${name}`),
  )
}

/** Adds the members of the types that a script declares. */
export function addMembers(script: ts.SourceFile, members: Map<string, ReadonlySet<string>>): void {
  for (const statement of script.statements) {
    const isType = ts.isInterfaceDeclaration(statement) || ts.isClassDeclaration(statement)
    if (!isType || !statement.name || statement.heritageClauses) continue
    const own = statement.members.flatMap(({ name }) => (name ? [name.getText(script)] : []))
    const { text } = statement.name
    members.set(text, new Set([...(members.get(text) ?? []), ...own]))
  }
}

/** Paths of files with those of the folders that they are in. */
export function withFolders(files: readonly string[]): string[] {
  const paths = new Set<string>()
  for (const file of files) for (let at = file; at !== '.' && !paths.has(at); at = path.posix.dirname(at)) paths.add(at)
  return [...paths]
}
