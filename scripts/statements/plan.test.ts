import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isAllowed, planFaults, writeStatistics, type Allowed } from './plan.ts'

const nothing: Allowed = { small: {}, filters: {}, statements: {} }
let database: DatabaseSync
beforeEach(() => {
  database = new DatabaseSync(':memory:')
  database.exec(`
    create table line (number bigint primary key, room bigint not null, at bigint not null, said text not null, state text not null);
    create index line_time on line (room, at, number);
    create index line_held on line (room, number) where state = 'held';
    create table setting (name text, value text);
  `)
})
afterEach(() => database.close())
const faults = (sql: string, allowed = nothing): string[] =>
  planFaults(database, sql, allowed).map((fault) => fault.split(':')[0]!)

describe('the plan of a statement', () => {
  it('has no fault when its index knows every condition and the order', () => {
    expect(faults('select * from line where room = ? and at >= ? order by at desc, number desc limit ?')).toEqual([])
    expect(
      faults('select * from line where room = ? and (at, number) < (?, ?) order by at desc, number desc limit ?'),
    ).toEqual([])
    expect(faults('update line set said = ? where number = ? and state = ?')).toEqual([])
    expect(faults("select * from line where room = ? and number > ? and state = 'held' order by number")).toEqual([])
  })

  it('has one for a scan, a sort, and rows that the index gives in vain', () => {
    expect(faults('select * from line where said = ?')).toEqual(['scans'])
    expect(faults('select count(*) from line')).toEqual(['scans'])
    expect(faults('delete from line where state = ?')).toEqual(['scans'])
    expect(faults('select * from line where room = ? order by said limit 1')).toEqual(['sorts'])
    expect(faults('select distinct said from line where room = ?')).toEqual(['sorts'])
    // The query of a history that stalled: the bound is on a column behind one that is not bound.
    expect(faults('select * from line where room = ? and number < ? order by at desc, number desc limit 1')).toEqual([
      'leaves rows out by line.number',
    ])
    expect(
      faults('select l.said from line l where l.room = ? and (?2 is null or l.number < ?2) order by l.at desc limit 1'),
    ).toEqual(['leaves rows out by line.number'])
  })

  it('has none for what is named as bounded: a table, a column, a statement', () => {
    expect(faults('select * from setting where value = ?')).toEqual(['scans'])
    expect(faults('select * from setting where value = ?', { ...nothing, small: { setting: 'few' } })).toEqual([])
    expect(
      faults('select * from line where room = ? and state = ?', { ...nothing, filters: { 'line.state': 'few' } }),
    ).toEqual([])
    const allowed = { statements: { 'select * from line': 'at a start' } }
    expect([
      isAllowed('select * from line\n where room = ?', allowed),
      isAllowed('select said from line', allowed),
    ]).toEqual([true, false])
  })

  it('is read with the statistics of large tables too', () => {
    database.exec('analyze')
    writeStatistics(database)
    expect(database.prepare('select stat from sqlite_stat1 where idx = ?').get('line_time')).toMatchObject({
      stat: '1000000 100000 10000 1000',
    })
    expect(faults('delete from line where number in (?, ?)')).toEqual([])
  })
})
