import { copyFileSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openCopyLog } from '../companion/receivers/copy-log.ts'
import { openDeliveryLog } from '../companion/receivers/delivery-log.ts'
import { openActionLog } from '../companion/rooms/action-log.ts'
import { openCopiedLines } from '../companion/rooms/copied-lines.ts'
import { openSqliteStore } from '../service/storage/store-sqlite.ts'
import { bounded } from './statements/bounded.ts'
import { isAllowed, planFaults, writeStatistics } from './statements/plan.ts'

/** Fails for recorded statements (out/statements) that take longer as a table grows, and for those no test sent. */
const folder = mkdtempSync(join(tmpdir(), 'sidestage-statements-'))
const place = (name: string): string => join(folder, name)
await (await openSqliteStore(folder)).close()
openActionLog(place('actions.db')).close()
openCopiedLines(place('room-copies.db')).close()
openCopyLog(place('copies.db')).close()
openDeliveryLog(place('receivers.db')).close()
/** A database of the product, as it is without statistics, or with those of large tables. */
const opened = (name: string, withStatistics: boolean): DatabaseSync => {
  const path = place(withStatistics ? `large-${name}` : name)
  if (withStatistics) {
    copyFileSync(place(name), path)
    const database = new DatabaseSync(path)
    database.exec('analyze')
    writeStatistics(database)
    database.close()
  }
  return new DatabaseSync(path)
}
const databases = Object.entries(bounded).map(([name, allowed]) => ({
  plain: opened(name, false),
  large: opened(name, true),
  allowed,
}))

const verbOf = (sql: string): string | undefined =>
  /^\s*(select|insert|update|delete|with)\b/i.exec(sql)?.[1]?.toLowerCase()
const statements = new Map<string, string>()
/** Every folder from which a statement came, by its text. */
const folders = new Map<string, Set<string>>()
/** Statements that were prepared, in one line each. */
const prepared = new Set<string>()
const inOneLine = (sql: string): string => sql.replaceAll(/\s+/g, ' ').trim()
for (const file of globSync('out/statements/*.jsonl'))
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const { sql, caller } = JSON.parse(line) as { sql: string; caller: string }
    prepared.add(inOneLine(sql))
    if (!verbOf(sql) || caller.endsWith('service/storage/migrations.ts') || caller.startsWith('scripts/')) continue
    statements.set(sql, caller)
    folders.set(sql, (folders.get(sql) ?? new Set()).add(dirname(caller)))
  }
if (!existsSync('out/statements')) console.error('no statements were recorded: run the unit tests first')

const faults: string[] = []
const unread: string[] = []
const done = new Set<string>()
for (const [sql, caller] of statements) {
  const uses = [...sql.matchAll(/\b(from|join|into|update) "?(\w+)"?/gi)].map(
    ([, verb, table]) => `${verb!.toLowerCase() === 'join' ? 'from' : verb!.toLowerCase()} ${table}`,
  )
  if (/^\s*delete/i.test(sql)) uses.push(`delete ${/from "?(\w+)/i.exec(sql)?.[1]}`)
  for (const from of folders.get(sql) ?? []) for (const use of uses) done.add(`${from}: ${use}`)
  const found = databases.find(({ plain }) => {
    try {
      plain.prepare(sql)
      return true
    } catch {
      return false
    }
  })
  if (!found) unread.push(`${caller}: ${sql}`)
  else if (!isAllowed(sql, found.allowed))
    for (const fault of new Set(
      [found.plain, found.large].flatMap((database) => planFaults(database, sql, found.allowed)),
    ))
      faults.push(`${fault}\n    ${caller}: ${sql}`)
}
for (const file of globSync('{service,companion,platform}/**/*.ts', {
  // What several services share is on PostgreSQL alone, whose statements are not recorded.
  exclude: [
    '**/*.test.ts',
    '**/testing/**',
    'service/storage/migrations.ts',
    'service/journal/{postgres-journal,shared-order,journal-trim,turn-locks}.ts',
    'service/jobs/postgres-jobs.ts',
    'service/outbox/shared-claims.ts',
    'service/stream/server-writes.ts',
    'service/recording/{merge-leases,merge-turn,shared-merges,upload-rows}.ts',
    'service/files/{shared,unused}-files.ts',
  ],
})) {
  const source = readFileSync(file, 'utf8')
  for (const [, call, table] of source.matchAll(
    /\b(selectFrom|innerJoin|leftJoin|updateTable|deleteFrom|insertInto)\('(\w+)'\)/g,
  )) {
    const key = `${{ selectFrom: 'from', innerJoin: 'from', leftJoin: 'from', updateTable: 'update', deleteFrom: 'delete', insertInto: 'into' }[call!]} ${table}`
    if (!done.has(`${dirname(file)}: ${key}`)) unread.push(`${file}: no test sends ${call}('${table}')`)
  }
  // Those that are put together of parts are known by what the tests send.
  for (const [, , sql] of source.matchAll(/\.prepare\(\s*(['"`])((?:(?!\1)[^])*)\1/g))
    if (verbOf(sql!) && !sql!.includes('${') && !prepared.has(inOneLine(sql!)))
      unread.push(`${file}: no test sends ${inOneLine(sql!)}`)
}
for (const { plain, large } of databases) for (const database of [plain, large]) database.close()
rmSync(folder, { recursive: true, force: true })
console.log(
  `statements: ${statements.size} plans read, ${faults.length} take longer as a table grows, ${unread.length} were not read`,
)
for (const line of [...faults, ...unread]) console.error(line)
process.exitCode = faults.length + unread.length > 0 ? 1 : 0
