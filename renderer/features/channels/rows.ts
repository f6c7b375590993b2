import type { Channel, Figures, Tally } from '../../../contract/rpc/state.ts'
import { lampOf, onAir, tallyOf, type LampState } from '../../ui/tally.ts'

/** Null where not applicable or not known. */
export interface ChannelRow {
  readonly cid: string
  readonly name: string
  readonly lamp: LampState
  readonly since: number | null
  readonly kbps: number | null
  readonly viewers: number | null
  readonly keyExpires: number | null
  readonly created: number
  readonly channel: Channel
}

/** A filter of rows. */
export type RowFilter = 'all' | 'onAir' | 'armed' | 'disabled'
/** Columns that rows can be sorted by. */
export type SortColumn = 'tally' | 'name' | 'since' | 'kbps' | 'viewers' | 'keyExpires' | 'created'
/** The order of rows. */
export interface RowSort {
  readonly column: SortColumn
  readonly descending: boolean
}

/** Combines the list, the tallies and the ingest. */
export const rowsOf = (
  channels: readonly Channel[],
  tallies: ReadonlyMap<string, Tally> | undefined,
  figures: (cid: string) => Figures | null,
): ChannelRow[] =>
  channels.map((channel) => {
    const tally = tallyOf(channel, tallies)
    const lamp = lampOf(tally.status, channel.needRecord)
    const live = onAir(lamp)
    return {
      cid: channel.cid,
      name: channel.name,
      lamp,
      created: channel.created,
      channel,
      since: live ? tally.since : null,
      kbps: live ? (figures(channel.cid)?.kbps ?? null) : null,
      // The tally counts viewers on changes only.
      viewers: live ? (figures(channel.cid)?.viewers ?? tally.viewers) : null,
      keyExpires: lamp === 'disabled' ? null : tally.keyExpires,
    }
  })

const belongs: Record<RowFilter, (row: ChannelRow) => boolean> = {
  all: () => true,
  onAir: (row) => onAir(row.lamp),
  armed: (row) => row.lamp === 'armed',
  disabled: (row) => row.lamp === 'disabled',
}

/** Null without a list or with stale tallies. */
export function countRows(rows: readonly ChannelRow[] | null, isSure: boolean): Record<RowFilter, number | null> {
  const count = (filter: RowFilter): number | null =>
    rows === null || !isSure ? null : rows.filter(belongs[filter]).length
  return { all: rows?.length ?? null, onAir: count('onAir'), armed: count('armed'), disabled: count('disabled') }
}

/** By filter, and by a part of the name or id, ignoring case. */
export function filterRows(rows: readonly ChannelRow[], filter: RowFilter, search: string): ChannelRow[] {
  const wanted = search.trim().toLocaleLowerCase()
  return rows.filter(
    (row) =>
      belongs[filter](row) &&
      (wanted === '' || row.name.toLocaleLowerCase().includes(wanted) || row.cid.includes(wanted)),
  )
}

const tallyRank: Record<LampState, number> = { fault: 0, recording: 1, live: 2, armed: 3, idle: 4, disabled: 5 }
const valueOf = (row: ChannelRow, column: Exclude<SortColumn, 'name'>): number | null => {
  if (column === 'tally') return tallyRank[row.lamp]
  // "On air for" grows with an earlier start.
  if (column === 'since') return row.since === null ? null : -row.since
  return row[column]
}

/** Rows without a value come last in both directions, equal ones newest first. */
export function sortRows(rows: readonly ChannelRow[], sort: RowSort): ChannelRow[] {
  const names = new Intl.Collator(['en', 'zh'], { numeric: true })
  const sign = sort.descending ? -1 : 1
  const compare = (a: ChannelRow, b: ChannelRow): number => {
    if (sort.column === 'name') return sign * names.compare(a.name, b.name)
    const left = valueOf(a, sort.column)
    const right = valueOf(b, sort.column)
    if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1
    return sign * (left - right)
  }
  return rows.toSorted((a, b) => compare(a, b) || b.created - a.created || a.cid.localeCompare(b.cid))
}

/** Except in the order of tallies. */
export function onAirFirst(rows: readonly ChannelRow[], sort: RowSort): readonly ChannelRow[] {
  if (sort.column === 'tally') return rows
  return [...rows.filter((row) => onAir(row.lamp)), ...rows.filter((row) => !onAir(row.lamp))]
}

/** Whether there are rows on air and others. */
export const isOnAirApart = (rows: readonly ChannelRow[]): boolean =>
  rows.some((row) => onAir(row.lamp)) && rows.some((row) => !onAir(row.lamp))
