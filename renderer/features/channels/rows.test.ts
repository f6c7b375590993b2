import { expect, it } from 'vitest'
import type { Channel, Figures, Tally } from '../../../contract/rpc/state.ts'
import { countRows, filterRows, isOnAirApart, onAirFirst, rowsOf, sortRows } from './rows.ts'
import { pageOf } from '../../ui/table-pages.ts'
import { firstChannel } from '../../ui/tally.ts'

const channel = (cid: string, name: string, status = 0, needRecord = false, created = 0): Channel => ({
  cid,
  name,
  status,
  created,
  needRecord,
  format: 'mp4',
  duration: 120,
  filename: '',
})
const tally = (
  cid: string,
  status: number,
  since: number | null = null,
  viewers = 0,
  keyExpires: number | null = 1,
): Tally => ({
  cid,
  status,
  since,
  viewers,
  keyExpires,
})
const channels = [
  channel('a', 'Radio_10', 0, false, 1),
  channel('b', 'radio_9', 0, true, 2),
  channel('c', '深夜', 2, true, 3),
  channel('d', 'Zulu', 0, false, 4),
]
const tallies = new Map([tally('a', 1, 1_000, 5), tally('d', 3, 500, 9)].map((each) => [each.cid, each]))
const rows = rowsOf(channels, tallies, (cid) => (cid === 'a' ? ({ kbps: 4_000 } as Figures) : null))
const names = (list: readonly { name: string }[]): string[] => list.map((row) => row.name)

it('believes the newest word on a tally before the list', () => {
  expect(rows.map((row) => row.lamp)).toEqual(['live', 'armed', 'disabled', 'recording'])
})

it('counts viewers by the ingest, which goes on counting, before the tally, which knows them as they were when it changed', () => {
  expect(rowsOf(channels, tallies, () => ({ kbps: 1, viewers: 12 }) as Figures)[0]).toMatchObject({ viewers: 12 })
})

it('shows figures of a push only while it is on air, and no expiry of a disabled channel', () => {
  const [a, b, c] = rows
  expect(a).toMatchObject({ since: 1_000, kbps: 4_000, viewers: 5, keyExpires: 1 })
  expect(b).toMatchObject({ since: null, kbps: null, viewers: null })
  expect(c?.keyExpires).toBeNull()
  expect(rowsOf(channels, new Map([['a', tally('a', 0, null, 7)]]), () => ({ kbps: 1 }) as Figures)[0]).toMatchObject({
    kbps: null,
    viewers: null,
  })
})

it('counts and filters by tally, name and id', () => {
  expect(countRows(rows, true)).toEqual({ all: 4, onAir: 2, armed: 1, disabled: 1 })
  expect(names(filterRows(rows, 'onAir', ''))).toEqual(['Radio_10', 'Zulu'])
  expect(names(filterRows(rows, 'all', ' RADIO '))).toEqual(['Radio_10', 'radio_9'])
  expect(names(filterRows(rows, 'all', 'c'))).toEqual(['深夜'])
})

it('knows no count without a list, and none of the tallies while nobody vouches for them', () => {
  expect(countRows(null, true)).toEqual({ all: null, onAir: null, armed: null, disabled: null })
  expect(countRows(rows, false)).toEqual({ all: 4, onAir: null, armed: null, disabled: null })
  expect(countRows([], true)).toEqual({ all: 0, onAir: 0, armed: 0, disabled: 0 })
})

it('sorts names as people count, and rows without a value last in both directions', () => {
  expect(names(sortRows(rows, { column: 'name', descending: false })).slice(0, 2)).toEqual(['radio_9', 'Radio_10'])
  for (const descending of [true, false])
    expect(names(sortRows(rows, { column: 'kbps', descending }))[0]).toBe('Radio_10')
  expect(names(sortRows(rows, { column: 'since', descending: true }))[0]).toBe('Zulu')
  expect(names(sortRows(rows, { column: 'created', descending: true }))).toEqual([
    'Zulu',
    '深夜',
    'radio_9',
    'Radio_10',
  ])
})

it('brings a page inside its range', () => {
  expect(pageOf([1, 2, 3, 4, 5], 9, 2)).toEqual({ rows: [5], page: 3, pages: 3, first: 5, last: 5 })
  expect(pageOf([], 1, 14)).toEqual({ rows: [], page: 1, pages: 1, first: 0, last: 0 })
})

it('shows in the title bar the channel opened last, else the longest on air', () => {
  expect(firstChannel(channels, tallies, 'b')?.cid).toBe('b')
  expect(firstChannel(channels, tallies, 'gone')?.cid).toBe('d')
  expect(firstChannel(channels, undefined, null)).toBeUndefined()
})

it('has what is on air on the first page in every order but that of the tallies', () => {
  const newest = { column: 'created', descending: true } as const
  expect(names(onAirFirst(sortRows(rows, newest), newest))).toEqual(['Zulu', 'Radio_10', '深夜', 'radio_9'])
  const tally = { column: 'tally', descending: true } as const
  expect(onAirFirst(sortRows(rows, tally), tally)).toEqual(sortRows(rows, tally))
  expect(
    [rows, rows.filter((row) => row.name === 'Zulu'), rows.filter((row) => row.name === '深夜')].map(isOnAirApart),
  ).toEqual([true, false, false])
})
