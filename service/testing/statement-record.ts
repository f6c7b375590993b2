import { appendFileSync, mkdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { DefaultQueryCompiler } from 'kysely'

/**
 * Set-up of every test file: records each distinct statement that the product prepares, for `scripts/statements.ts`,
 * which reads their plans. Those of the thread of long reads are recorded where they are compiled. Statements of tests
 * are skipped: the nearest caller that is a source file decides. On PostgreSQL nothing is recorded: plans are those of
 * SQLite.
 */
const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = `${root}out/statements`
const file = `${folder}/${process.pid}.jsonl`
const known = new Set<string>()
/** Frames between a statement and its caller. */
const between =
  /node_modules|^node:|service\/storage\/(?:node-sqlite-dialect|read-worker|statement-turns)\.ts|service\/testing\/statement-record\.ts/

/** The nearest source file of a stack, relative to the project; undefined for none. */
function callerOf(stack: string): string | undefined {
  for (const line of stack.split('\n').slice(1)) {
    const [, path] = /\(?(?:file:\/\/)?([^\s()]+?):\d+:\d+\)?$/.exec(line) ?? []
    if (path !== undefined && !between.test(path)) return path.replace(root, '')
  }
  return undefined
}

function note(sql: string): void {
  if (known.has(sql)) return
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 40
  const caller = callerOf(new Error('prepared').stack ?? '') ?? ''
  Error.stackTraceLimit = limit
  if (/\.test\.ts|(?:^|\/)testing\/|^e2e\//.test(caller)) return
  known.add(sql)
  mkdirSync(folder, { recursive: true })
  appendFileSync(file, `${JSON.stringify({ sql, caller })}\n`)
}

function record(): void {
  const prepare = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, 'prepare')!.value as DatabaseSync['prepare']
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string) {
    note(sql)
    return prepare.call(this, sql)
  }

  const compileQuery = Object.getOwnPropertyDescriptor(DefaultQueryCompiler.prototype, 'compileQuery')!
    .value as DefaultQueryCompiler['compileQuery']
  DefaultQueryCompiler.prototype.compileQuery = function (this: DefaultQueryCompiler, ...query) {
    const compiled = compileQuery.apply(this, query)
    note(compiled.sql)
    return compiled
  }
}

if (process.env['SIDESTAGE_TEST_POSTGRES'] === undefined) record()
