import { globSync, readFileSync } from 'node:fs'
import ts from 'typescript'

/** Fails when an exported declaration has no documentation comment, or a file is longer than 500 lines without saying why at its top. */
const longest = 500
const files = globSync('{contract,platform,service,companion,electron,browser,renderer,scripts}/**/*.ts', {
  exclude: (path) => /node_modules|\.test\.ts$/.test(path),
})
const faults: string[] = []
for (const file of files) {
  const content = readFileSync(file, 'utf8')
  const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true)
  const lines = content.split('\n').length
  if (lines > longest && !/^\/[/*]/.test(content)) faults.push(`${file}: ${lines} lines and no reason at its top`)
  const documented = new Set<string>()
  for (const statement of source.statements) {
    const exported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword)
    if (!exported) continue
    const names = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.map((declaration) => declaration.name.getText())
      : [(statement as ts.DeclarationStatement).name?.getText() ?? 'default']
    const has = ts.getJSDocCommentsAndTags(statement).length > 0
    for (const name of names) {
      if (has) documented.add(name)
      // A type inferred from a documented value of the same name needs no second sentence; neither does an overload.
      else if (!documented.has(name))
        faults.push(
          `${file}:${source.getLineAndCharacterOfPosition(statement.getStart()).line + 1}: ${name} is exported without a sentence`,
        )
    }
  }
}
for (const fault of faults) console.error(fault)
process.exitCode = faults.length ? 1 : 0
