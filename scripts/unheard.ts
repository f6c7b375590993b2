import path from 'node:path'
import ts from 'typescript'

/**
 * Finds promises that nobody hears where oxlint does not see them: `void` of a promise that is no statement of its own, and in the scripts
 * of components, which rules that need types do not reach there, any promise that is dropped.
 */

/** Whether a type is a promise, or may be one. */
function isPromise(type: ts.Type): boolean {
  if (type.isUnion()) return type.types.some((part) => isPromise(part))
  return type.getProperty('then') !== undefined && type.getProperty('catch') !== undefined
}

/** Whether a promise is heard in place: by `catch`, or by the second function of `then`. */
function isHeard(node: ts.Expression): boolean {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false
  const { name, expression } = node.expression
  if (name.text === 'catch') return node.arguments.length > 0
  if (name.text === 'then' && node.arguments.length > 1) return true
  return name.text === 'finally' && isHeard(expression)
}

const assigns = (node: ts.Expression): boolean =>
  ts.isBinaryExpression(node) &&
  node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
  node.operatorToken.kind <= ts.SyntaxKind.LastAssignment

/** The script of a component with its lines where they were, as a module. */
export const scriptOf = (component: string): string => {
  const script = /<script setup lang="ts">\n([\s\S]*?)<\/script>/.exec(component)
  if (!script) return 'export {}\n'
  return component.slice(0, script.index).replaceAll(/[^\n]/g, '') + '\n' + script[1]!
}

const componentModule = '.vue.ts'
const isComponentModule = (file: string): boolean => file.endsWith(componentModule)

/** Files that were read, by target and name: the programs share most of them. */
const sources = new Map<string, ts.SourceFile>()

/** Reads the program of a tsconfig; components that it includes are read as modules. */
export function programOf(config: string): ts.Program {
  const { config: json, error } = ts.readConfigFile(config, (file) => ts.sys.readFile(file))
  if (error) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'))
  const { fileNames, options: read } = ts.parseJsonConfigFileContent(
    json,
    ts.sys,
    path.dirname(config),
    undefined,
    undefined,
    undefined,
    [{ extension: '.vue', isMixedContent: true, scriptKind: ts.ScriptKind.Deferred }],
  )
  const options = { ...read, incremental: false, noEmit: true }
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile } = host
  const onDisk = (file: string): string => (isComponentModule(file) ? file.slice(0, -'.ts'.length) : file)
  host.fileExists = (file) => fileExists(onDisk(file))
  host.readFile = (file) => {
    const text = readFile(onDisk(file))
    return text !== undefined && isComponentModule(file) ? scriptOf(text) : text
  }
  host.getSourceFile = (file, target) => {
    const key = JSON.stringify([file, target])
    const known = sources.get(key)
    if (known) return known
    const text = host.readFile(file)
    if (text === undefined) return undefined
    const source = ts.createSourceFile(file, text, target)
    sources.set(key, source)
    return source
  }
  return ts.createProgram({
    rootNames: fileNames.map((file) => (file.endsWith('.vue') ? `${file}.ts` : file)),
    options,
    host,
  })
}

/** The places of a program at which a promise is dropped, as `file:line`; files that were `seen` before are left out, and added to them. */
export function unheardIn(program: ts.Program, root: string, seen = new Set<string>()): string[] {
  const checker = program.getTypeChecker()
  const found: string[] = []
  for (const source of program.getSourceFiles()) {
    if (source.isDeclarationFile || source.fileName.includes('/node_modules/') || seen.has(source.fileName)) continue
    seen.add(source.fileName)
    const isComponent = isComponentModule(source.fileName)
    const note = (node: ts.Node): void => {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
      found.push(`${path.relative(root, source.fileName).replace(/\.vue\.ts$/, '.vue')}:${line + 1}`)
    }
    const isDropped = (expression: ts.Expression): boolean =>
      !isHeard(expression) && isPromise(checker.getTypeAtLocation(expression))
    const visit = (node: ts.Node): void => {
      if (ts.isVoidExpression(node) && isDropped(node.expression)) note(node)
      else if (isComponent && ts.isExpressionStatement(node) && !assigns(node.expression) && isDropped(node.expression))
        note(node)
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return found
}

if (import.meta.main) {
  const root = path.join(import.meta.dirname, '..')
  const configs = ['tsconfig.json', 'renderer/tsconfig.json', 'e2e/tsconfig.json', 'electron/tsconfig.preload.json']
  const seen = new Set<string>()
  const found = new Set(configs.flatMap((config) => unheardIn(programOf(path.join(root, config)), root, seen)))
  for (const place of [...found].sort())
    process.stderr.write(`${place} drops a promise: await it, or give it to inBackground\n`)
  process.exitCode = found.size > 0 ? 1 : 0
}
