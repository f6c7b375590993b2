import ts from 'typescript'

/** The exported declarations of a script that have no documentation comment, as `line: name`. */
export function undocumentedIn(source: ts.SourceFile): string[] {
  const faults: string[] = []
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
          `${source.getLineAndCharacterOfPosition(statement.getStart()).line + 1}: ${name} is exported without a sentence`,
        )
    }
  }
  return faults
}
