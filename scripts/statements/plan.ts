import type { DatabaseSync } from 'node:sqlite'

/** What a database may do without a bound, each with its reason. */
export interface Allowed {
  /** Tables that stay small whatever happens, or that a start reads whole. */
  readonly small: Readonly<Record<string, string>>
  /** Columns by which rows are left out that the index gives, by `table.column`. */
  readonly filters: Readonly<Record<string, string>>
  /** Statements as they are sent, or their beginnings. */
  readonly statements: Readonly<Record<string, string>>
}

const textOf = (sql: string): string => sql.replace(/\s+/g, ' ').trim()
/** Whether a statement stands in the list by its beginning. */
export const isAllowed = (sql: string, { statements }: Pick<Allowed, 'statements'>): boolean =>
  Object.keys(statements).some((beginning) => textOf(sql).startsWith(beginning))

/** Gives every index the statistics of a table with a million rows, each part of a key with a tenth of the rows of the part before. */
export function writeStatistics(database: DatabaseSync): void {
  const indexes = database
    .prepare(
      "select name, tbl_name as tableName from sqlite_schema where type = 'index' and tbl_name not like 'sqlite_%'",
    )
    .all() as {
    name: string
    tableName: string
  }[]
  database.exec('delete from sqlite_stat1')
  const write = database.prepare('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)')
  for (const { name, tableName } of indexes) {
    const isUnique =
      database.prepare('select 1 from pragma_index_list(?) where name = ? and "unique" = 1').get(tableName, name) !==
      undefined
    const { parts } = database.prepare('select count(*) as parts from pragma_index_info(?)').get(name) as {
      parts: number
    }
    const rows = Array.from({ length: parts }, (_, part) =>
      isUnique && part === parts - 1 ? 1 : Math.max(1, Math.round(100_000 / 10 ** part)),
    )
    write.run(tableName, name, [1_000_000, ...rows].join(' '))
  }
}

/** Columns of a table that a statement compares, by the text of its conditions. */
function comparedColumns(sql: string, columns: ReadonlySet<string>): Set<string> {
  const compared = new Set<string>()
  for (const [, column] of sql.matchAll(/(?:"?\w+"?\.)?"?(\w+)"? (?:=|<|>|<=|>=|!=|in|not in|is|is not)(?= |\()/gi))
    if (columns.has(column!)) compared.add(column!)
  return compared
}

/** What of a statement grows with its tables: a scan, a sort, or rows left out by a condition without an index. */
export function planFaults(database: DatabaseSync, sql: string, allowed: Allowed): string[] {
  const tables = new Map(
    (database.prepare("select name from sqlite_schema where type = 'table'").all() as { name: string }[]).map(
      ({ name }) => [
        name.toLowerCase(),
        {
          name,
          columns: new Set(
            (database.prepare('select name from pragma_table_info(?)').all(name) as { name: string }[]).map(
              (column) => column.name,
            ),
          ),
        },
      ],
    ),
  )
  const isSmall = (name: string): boolean => name in allowed.small
  const used = [
    ...new Set(
      [
        ...sql.matchAll(
          /\b(?:from|join|update|into) "?(\w+)"?(?: as "?(\w+)"?| (?!where|on|set|order|inner|left|values|returning|limit|group)(\w+)\b)?/gi,
        ),
      ].flatMap(([, name]) => name ?? []),
    ),
  ]
  const known = used.map((name) => tables.get(name.toLowerCase())).filter((table) => table !== undefined)
  const alias = new Map<string, string>()
  for (const [, name, quoted, plain] of sql.matchAll(
    /\b(?:from|join) "?(\w+)"?(?: as "?(\w+)"?| (?!where|on|set|order|inner|left|limit|group)(\w+)\b)/gi,
  ))
    if (name && (quoted ?? plain)) alias.set((quoted ?? plain)!, name)
  const tableOf = (name: string) => tables.get((alias.get(name) ?? name).toLowerCase())

  const faults: string[] = []
  const plan = (database.prepare(`explain query plan ${sql}`).all() as { detail: string }[]).map(({ detail }) => detail)
  const grows = known.some(({ name }) => !isSmall(name))
  const isOneRow = (detail: string): boolean => {
    if (/\(rowid=\?\)/.test(detail)) return true
    const [, index] = /INDEX (\w+) \(/.exec(detail) ?? []
    const unique =
      index !== undefined &&
      (database
        .prepare(
          'select 1 from pragma_index_list((select tbl_name from sqlite_schema where name = ?1)) where name = ?1 and "unique" = 1',
        )
        .get(index) as object | undefined)
    if (!unique || /[<>]/.test(detail)) return false
    const parts = (
      database.prepare('select count(*) as parts from pragma_index_info(?)').get(index) as { parts: number }
    ).parts
    return [...detail.matchAll(/=\?/g)].length === parts
  }
  /** What a partial index knows by its own condition. */
  const conditionOf = (detail: string): string => {
    const [, index] = /INDEX (\w+)/.exec(detail) ?? []
    if (index === undefined) return ''
    const { sql: made } = (database.prepare('select sql from sqlite_schema where name = ?').get(index) as
      | { sql: string | null }
      | undefined) ?? { sql: null }
    return /\bwhere\b(.*)$/is.exec(made ?? '')?.[1] ?? ''
  }
  for (const detail of plan) {
    const [, verb, name] = /^(SCAN|SEARCH) (\w+)/.exec(detail) ?? []
    const table = name === undefined ? undefined : tableOf(name)
    if (detail.includes('USE TEMP B-TREE') && grows) faults.push(`sorts: ${detail}`)
    if (!table || isSmall(table.name)) continue
    if (verb === 'SCAN') faults.push(`scans: ${detail}`)
    else if (detail.includes('AUTOMATIC')) faults.push(`makes an index: ${detail}`)
    else if (!isOneRow(detail) && !/^SEARCH \w+( USING .* INDEX \w+)?$/.test(detail)) {
      const conditions = sql.replace(/ set .*? where /gis, ' where ')
      for (const column of comparedColumns(conditions, table.columns))
        if (
          !new RegExp(`\\b${column}\\b`).test(detail + conditionOf(detail)) &&
          !(`${table.name}.${column}` in allowed.filters)
        )
          faults.push(`leaves rows out by ${table.name}.${column}: ${detail}`)
    }
  }
  return faults
}
