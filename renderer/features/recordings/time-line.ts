import type { Marker, RecordedFile, RecordingState, Tally } from '../../../contract/rpc/index.ts'
import type { RecordedChannel } from '../channels/former-channels.ts'
import { maxListRange } from '../../../contract/operations/recordings.ts'
import type { Times } from '../../format/times.ts'
import { lampOf, onAir } from '../../ui/tally.ts'

/** Length of the shown range. */
export type Span = 'week' | 'day' | 'hours'

/** In ms, both ends included. */
export interface Range {
  readonly begin: number
  readonly end: number
}

const day = 86_400_000
const seconds = (zone: Pick<Times, 'clock'>, at: number): number => {
  const [hour = 0, minute = 0, second = 0] = zone.clock(at).split(':').map(Number)
  return hour * 3_600 + minute * 60 + second
}

/** Midnight before or at a time, also on days of clock changes. */
export function startOfDay(at: number, zone: Pick<Times, 'clock'>): number {
  const guess = at - seconds(zone, at) * 1_000 - (((at % 1_000) + 1_000) % 1_000)
  const off = seconds(zone, guess) * 1_000
  if (off === 0) return guess
  return off > day / 2 ? guess + (day - off) : guess - off
}

/** Counted from the day of `at`. */
export const daysAfter = (at: number, days: number, zone: Pick<Times, 'clock'>): number =>
  startOfDay(startOfDay(at, zone) + days * day + day / 2, zone)

/** A day, or the seven days up to it, of which hours are seen too, limited to the longest range of a list. */
export function rangeOf(span: Span, at: number, zone: Pick<Times, 'clock'>): Range {
  const end = daysAfter(at, 1, zone) - 1
  const begin = span === 'day' ? startOfDay(at, zone) : daysAfter(at, -6, zone)
  return { begin: Math.max(begin, end - maxListRange), end }
}

/** Each midnight of a week, every third hour of a day. */
export function ticksOf(span: Span, range: Range, zone: Pick<Times, 'clock'>): number[] {
  if (span === 'day')
    return Array.from({ length: 8 }, (_, index) => range.begin + index * 3 * 3_600_000).filter((at) => at <= range.end)
  return Array.from({ length: 7 }, (_, index) => Math.max(range.begin, daysAfter(range.end, index - 6, zone)))
}

/** From 0 to 1; undefined outside. */
export const placeOf = (at: number, { begin, end }: Range): number | undefined =>
  at < begin || at > end ? undefined : (at - begin) / (end - begin)

/** Position in a file in s, from one in its lane (0 to 1); 0 for merged files, which have no time. */
export const secondsAt = (
  place: number,
  range: Range,
  { begin, end, merged }: Pick<RecordedFile, 'begin' | 'end' | 'merged'>,
): number =>
  begin === null || end === null || merged === true
    ? 0
    : Math.max(0, Math.min(end, range.begin + place * (range.end - range.begin)) - begin) / 1_000

/** In shares of the lane's width. */
export interface Bar {
  readonly from: number
  readonly size: number
}

/** Undefined outside the range. */
export function barOf(begin: number, until: number, range: Range): Bar | undefined {
  const [from, to] = [Math.max(begin, range.begin), Math.min(until, range.end)]
  if (to < from) return undefined
  const whole = range.end - range.begin
  return { from: (from - range.begin) / whole, size: (to - from) / whole }
}

/** The bar of a file. */
export interface FileBar extends Bar {
  readonly file: RecordedFile
}

/** Without merged files, whose begin is the time of the merge. */
export const barsOf = (files: readonly RecordedFile[], cid: string, range: Range): FileBar[] =>
  files.flatMap((file) => {
    const bar =
      file.cid !== cid || file.begin === null || file.merged === true
        ? undefined
        : barOf(file.begin, file.end ?? file.begin, range)
    return bar ? [{ ...bar, file }] : []
  })

/** The bar at a position (0 to 1), as narrow bars are drawn wider. */
export const barMeant = (bars: readonly FileBar[], place: number, pressed: FileBar): FileBar =>
  bars.find(({ from, size }) => from <= place && place <= from + size) ?? pressed

/** Markers with one button, at the position of the first. */
export interface MarkerGroup {
  /** By time; never empty. */
  readonly markers: readonly Marker[]
  readonly place: number
}

/** In px. */
const markerWidth = 24

/** Groups markers whose buttons would overlap on a lane of `width` px. */
export function markerGroups(markers: readonly Marker[], range: Range, width: number): readonly MarkerGroup[] {
  const placed = markers
    .flatMap((marker) => {
      const place = placeOf(marker.at, range)
      return place === undefined ? [] : [{ marker, place }]
    })
    .sort((a, b) => a.place - b.place)
  const groups: { markers: Marker[]; place: number }[] = []
  for (const { marker, place } of placed) {
    const last = groups.at(-1)
    if (last && (place - last.place) * width < markerWidth) last.markers.push(marker)
    else groups.push({ markers: [marker], place })
  }
  return groups
}

/** Undefined off air. */
export function runningOf(
  tally: Pick<Tally, 'status' | 'since'> | undefined,
  state: Pick<RecordingState, 'state' | 'since'> | undefined,
): { readonly since: number; readonly recorded: boolean } | undefined {
  if (!tally || !onAir(lampOf(tally.status, false))) return undefined
  const isTold = state?.state === 'recording'
  const since = (isTold ? state.since : null) ?? tally.since
  // A service that is away tells no state of recordings: its last tally does.
  return since === null ? undefined : { since, recorded: isTold || tally.status === 3 }
}

const minLanes = 3

/** Lanes with files or on air; the first few if there are none, all if they are few. */
export function shownLanes(
  lanes: readonly RecordedChannel[],
  files: readonly RecordedFile[],
  statusOf: (cid: string) => number,
): readonly RecordedChannel[] {
  if (lanes.length <= minLanes + 1) return lanes
  const filled = new Set(files.flatMap((file) => (file.merged === true ? [] : [file.cid])))
  const full = lanes.filter(
    (channel) => filled.has(channel.cid) || statusOf(channel.cid) === 1 || statusOf(channel.cid) === 3,
  )
  return full.length > 0 ? full : lanes.slice(0, minLanes)
}

/** The file at a marker's time; never a merged one, which has no time. */
export const fileAt = (files: readonly RecordedFile[], marker: Pick<Marker, 'cid' | 'at'>): RecordedFile | undefined =>
  files.find(
    (file) =>
      file.cid === marker.cid &&
      file.merged !== true &&
      (file.begin ?? Infinity) <= marker.at &&
      (file.end ?? 0) >= marker.at,
  )
