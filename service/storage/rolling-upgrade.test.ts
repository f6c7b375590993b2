import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { migrations } from './migrations.ts'

/** From here on a node of the release before may run beside one of this release, over one database. */
const first = '033'
const source = readFileSync(join(import.meta.dirname, 'migrations.ts'), 'utf8')
const texts = new Map([...source.matchAll(/'(\d{3}-[\w-]+)': `([^`]*)`/g)].map(([, name, text]) => [name!, text!]))

/** Why a node of the release before could not go on after a migration (docs/decisions/029-run-like-any-server.md). */
function obstacles(text: string): string[] {
  const statements = text
    .replaceAll(/--.*/g, '')
    .replaceAll(/\s+/g, ' ')
    .split(';')
    .map((each) => each.trim().toLowerCase())
  return statements.flatMap((statement) => {
    if (/\bdrop (?:column|table)\b|^alter table .* drop (?!constraint|not null)/.test(statement))
      return ['it reads and writes what is dropped']
    if (/\brename\b/.test(statement)) return ['it knows the former name']
    const added = /\badd (?:column )?(?!constraint)(".*)$/.exec(statement)?.[1]
    if (added !== undefined && / not null\b/.test(added) && !/ default /.test(added)) return ['it gives no value']
    if (/\balter column .* (?:type|set not null)\b/.test(statement)) return ['it writes values of before']
    if (/^create unique index |\badd constraint\b/.test(statement)) return ['it keeps no rule that it does not know']
    return []
  })
}

it('finds what the release before cannot live with', () => {
  for (const text of [
    'alter table "a" drop column "b";',
    'alter table "a" drop "b"',
    'create table "c" ("d" bigint); drop table "a"',
    'alter table "a" rename to "b"',
    'alter table "a" rename column "b" to "c"',
    'alter table "a" add column "b" bigint not null',
    'alter table "a"\n  add column "b" varchar(9) not null; -- default',
    'alter table "a" alter column "b" set not null',
    'alter table "a" alter column "b" type bigint',
    'create unique index "a_b" on "a" ("b")',
  ])
    expect([text, obstacles(text).length]).toEqual([text, 1])
  for (const text of [
    'alter table "a" add column "b" bigint',
    `alter table "a" add column "b" varchar(9) default '' not null`,
    'create table "a" ("b" bigint not null unique); create index "a_b" on "a" ("b")',
    '-- drop table "a"\ninsert into "a" values (0)',
  ])
    expect([text, obstacles(text)]).toEqual([text, []])
})

it('no migration stops a node of the release before', () => {
  expect([...texts.keys()]).toEqual(Object.keys(migrations))
  const since = [...texts].filter(([name]) => name >= first)
  expect(since.length).toBeGreaterThan(0)
  expect(since.map(([name, text]) => [name, obstacles(text)])).toEqual(since.map(([name]) => [name, []]))
})
