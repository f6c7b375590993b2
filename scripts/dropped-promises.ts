import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

/** Finds dropped promises that lint does not see: `void` within an expression, and scripts of components. */

/** A `void` that could not be written as a statement, as `line: text`. */
interface Rewritten {
  readonly text: string
  readonly refused: readonly string[]
}

/** A module in which `void` of an arrow or a `return` is a statement, on its line; undefined when it has none. */
export function withoutVoid(file: string, text: string): Rewritten | undefined {
  // Most of what has the word has it as a type.
  if (!/\bvoid\s+[^\s=|&,;:)>\]}]/.test(text)) return undefined
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const edits: { readonly at: number; readonly length: number; readonly text: string }[] = []
  const refused: string[] = []
  const cut = 'void'.length
  const visit = (node: ts.Node): void => {
    if (ts.isVoidExpression(node)) {
      const { parent } = node
      const at = node.getStart(source)
      if (ts.isArrowFunction(parent))
        edits.push({ at, length: cut, text: '{' }, { at: node.end, length: 0, text: ' }' })
      else if (ts.isReturnStatement(parent)) {
        const from = parent.getStart(source)
        edits.push({ at: from, length: at + cut - from, text: '{' }, { at: node.end, length: 0, text: '; return }' })
      } else if (!ts.isExpressionStatement(parent))
        refused.push(`${source.getLineAndCharacterOfPosition(at).line + 1}: void within an expression`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  if (edits.length === 0 && refused.length === 0) return undefined
  let rewritten = text
  for (const edit of edits.toSorted((a, b) => b.at - a.at))
    rewritten = rewritten.slice(0, edit.at) + edit.text + rewritten.slice(edit.at + edit.length)
  return { text: rewritten, refused }
}

/** The scripts of a component with their lines where they were, as a module. */
export function scriptOf(component: string): string {
  const blank = (text: string): string => text.replaceAll(/[^\n]/g, '')
  let script = ''
  let end = 0
  for (const { 0: tag, 1: own = '', index } of component.matchAll(/<script\b[^>]*>\n([\s\S]*?)<\/script>/g)) {
    const begin = index + tag.indexOf('\n') + 1
    script += blank(component.slice(end, begin)) + own
    end = begin + own.length
  }
  return `${script}\nexport {}\n`
}

/** The files of a tsconfig, components among them. */
function filesOf(config: string): readonly string[] {
  const { config: json, error } = ts.readConfigFile(config, (file) => ts.sys.readFile(file))
  if (error) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'))
  const component = { extension: '.vue', isMixedContent: true, scriptKind: ts.ScriptKind.Deferred }
  const { fileNames } = ts.parseJsonConfigFileContent(json, ts.sys, path.dirname(config), {}, config, undefined, [
    component,
  ])
  return fileNames
}

/** Where promises are dropped in the files of tsconfigs, as lines that begin with `file:line:`. */
export function droppedPromises(root: string, configs: readonly string[], folder: string): string {
  // One folder below the root for each tsconfig, laid over the root by `rootDirs`, so that imports still resolve.
  rmSync(folder, { recursive: true, force: true })
  const written: string[] = []
  let said = ''
  for (const [index, config] of configs.entries()) {
    const own = path.join(folder, String(index))
    const above = path.relative(own, root).replaceAll(path.sep, '/')
    const declarations: string[] = []
    for (const file of filesOf(path.join(root, config))) {
      const name = path.relative(root, file).replaceAll(path.sep, '/')
      if (name.endsWith('.d.ts')) declarations.push(`${above}/${name}`)
      const text = readFileSync(file, 'utf8')
      const module = name.endsWith('.vue') ? { text: scriptOf(text), refused: [] } : withoutVoid(name, text)
      if (!module) continue
      for (const refused of module.refused) said += `${name}:${refused}\n`
      const place = path.join(own, name.endsWith('.vue') ? `${name}.ts` : name)
      mkdirSync(path.dirname(place), { recursive: true })
      writeFileSync(place, module.text)
      written.push(path.relative(folder, place))
    }
    mkdirSync(own, { recursive: true })
    const compilerOptions = { rootDirs: ['.', above], incremental: false, tsBuildInfoFile: null }
    writeFileSync(
      path.join(own, 'tsconfig.json'),
      JSON.stringify({
        extends: `${above}/${config}`,
        compilerOptions,
        include: ['**/*.ts', ...declarations],
        exclude: [],
      }),
    )
  }
  if (written.length === 0) return said
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      path.join(import.meta.dirname, '..', 'node_modules', 'oxlint', 'bin', 'oxlint'),
      '--type-aware',
      '-c',
      path.join(import.meta.dirname, 'lint', 'promises.json'),
      '-f',
      'unix',
      '--no-ignore',
      ...written,
    ],
    { cwd: folder, encoding: 'utf8' },
  )
  // What was not read is no pass.
  if (status === 0 && !stdout.includes('No files found')) return said
  return said + `${stdout}${stderr}`.replaceAll(/^\d+[/\\]/gm, '').replaceAll(/\.vue\.ts:/g, '.vue:')
}

if (import.meta.main) {
  const root = path.join(import.meta.dirname, '..')
  const configs = ['tsconfig.json', 'renderer/tsconfig.json', 'e2e/tsconfig.json', 'electron/tsconfig.preload.json']
  const said = droppedPromises(root, configs, path.join(root, 'out', 'promises'))
  if (said) process.stderr.write(`${said}await a promise, or give it to inBackground\n`)
  process.exitCode = said ? 1 : 0
}
