import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { scriptOf } from './dropped-promises.ts'

const root = path.resolve(import.meta.dirname, '../renderer')

/** What may be emptied behind an answer, because nobody types into it or because it goes with its form. */
const gone: readonly string[] = [
  // The code of an invitation that was used up.
  'data/seat-session.ts code',
  // The secret stays nowhere in the page; the form closes.
  'features/profiles/profile-form.vue fields.value.appSecret',
  'features/rooms/channel-room.vue chosen.value',
  // The chosen file, so that the same one can be chosen again.
  'features/this-computer/settings-file-card.vue input.value.value',
  // The passphrase was taken, and its form has gone.
  'watch/gate.ts field.value',
]
/** What a form says of the call before, and that something was copied. */
const sentence = / (note|done|copied)\.value$/

/** Assignments of an empty text behind the first await of a function: what was typed meanwhile is lost with them. */
function emptied(name: string, code: string): string[] {
  const source = ts.createSourceFile(name, code, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const look = (node: ts.Node, of: { waits: boolean } | null): void => {
    let within = of
    if (ts.isFunctionLike(node)) {
      const isAsync =
        ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword)
      within = isAsync ? { waits: false } : null
    }
    const isEmptying =
      ts.isBinaryExpression(node) &&
      node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
      ts.isStringLiteral(node.right)
    if (isEmptying && (node.right as ts.StringLiteral).text === '' && within?.waits)
      found.push(`${name} ${node.left.getText()}`)
    ts.forEachChild(node, (child) => look(child, within))
    if (ts.isAwaitExpression(node) && within) within.waits = true
  }
  look(source, null)
  return found
}

it('a field is emptied behind an answer only of what was sent', () => {
  expect(emptied('x.ts', "const send = async () => { if (await go()) field.value = '' }")).toEqual(['x.ts field.value'])
  expect(
    emptied('x.ts', "const send = async () => { field.value = ''; await go(() => { field.value = '' }) }"),
  ).toEqual([])
  const files = globSync('**/*.{ts,vue}', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
  expect(files.length).toBeGreaterThan(300)
  const found = files.flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8')
    return emptied(file.replaceAll('\\', '/'), file.endsWith('.vue') ? scriptOf(text) : text)
  })
  expect(found.filter((place) => !sentence.test(place)).toSorted()).toEqual(gone)
})
