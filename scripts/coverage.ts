import { existsSync, globSync, readFileSync } from 'node:fs'
import { operations } from '../contract/operations/index.ts'

/** Fails for operations that no test called (out/contract-calls) and listed codes that none produced. */

/** Operations or codes that cannot be produced by a test, each with its reason. */
const excluded: Readonly<Record<string, string>> = {}

const seen = new Map<string, Set<number>>()
for (const file of globSync('out/contract-calls/*.jsonl')) {
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const { path, code } = JSON.parse(line) as { path: string; code: number }
    const codes = seen.get(path) ?? new Set()
    seen.set(path, codes.add(code))
  }
}
if (!existsSync('out/contract-calls')) console.error('no calls were recorded: run the unit tests first')

const missing: string[] = []
let produced = 0
for (const operation of operations.filter(({ pending }) => !pending)) {
  const codes = seen.get(operation.path)
  if (!codes) {
    missing.push(`${operation.path}: never called`)
    continue
  }
  for (const code of operation.codes) {
    if (codes.has(code)) produced++
    else if (!excluded[`${operation.path} ${code}`]) missing.push(`${operation.path}: code ${code} never produced`)
  }
  for (const code of codes)
    if (!(operation.codes as readonly number[]).includes(code))
      missing.push(`${operation.path}: answered ${code}, which it does not list`)
}
const pending = operations.filter((operation) => operation.pending)
console.log(
  `contract: ${operations.length - pending.length} operations served, ${produced} listed codes produced, ${pending.length} of the contract pending: ${pending.map(({ path }) => path).join(', ')}`,
)
for (const line of missing) console.error(line)
process.exitCode = missing.length ? 1 : 0
