import type { Marker, RecordedFile, RecordingState, Tally } from '../../../contract/rpc/index.ts'
import type { RecordedChannel } from '../channels/former-channels.ts'
import { listRangeMax } from '../../../contract/operations/recordings.ts'
import type { Times } from '../../format/times.ts'
import { lampOf, onAir } from '../../ui/tally.ts'

/** What the time line shows at once. */
export type Span = 'week' | 'day'

/** A shown range, both ends included, in ms. */
export interface Range {
  readonly begin: number
  readonly end: number
}

const day = 86_400_000
const seconds = (zone: Pick<Times, 'clock'>, at: number): number => {
  const [hour = 0, minute = 0, second = 0] = zone.clock(at).split(':').map(Number)
  return hour * 3_600 + minute * 60 + second
}

/** Midnight in a zone before or at a moment, also on days on which the clock is put forward or back. */
export function startOfDay(at: number, zone: Pick<Times, 'clock'>): number {
  const guess = at - seconds(zone, at) * 1_000 - (((at % 1_000) + 1_000) % 1_000)
  const off = seconds(zone, guess) * 1_000
  if (off === 0) return guess
  return off > day / 2 ? guess + (day - off) : guess - off
}

/** The beginning of the day that is some days after the one of a moment. */
export const daysAfter = (at: number, days: number, zone: Pick<Times, 'clock'>): number =>
  startOfDay(startOfDay(at, zone) + days * day + day / 2, zone)

/** The day of a moment, or its seven days; within the longest range that a list may ask for. */
export function rangeOf(span: Span, at: number, zone: Pick<Times, 'clock'>): Range {
  const end = daysAfter(at, 1, zone) - 1
  const begin = span === 'day' ? startOfDay(at, zone) : daysAfter(at, -6, zone)
  return { begin: Math.max(begin, end - listRangeMax), end }
}

/** Heads of the columns: midnights of a week, every third hour of a day. */
export function ticksOf(span: Span, range: Range, zone: Pick<Times, 'clock'>): number[] {
  if (span === 'day')
    return Array.from({ length: 8 }, (_, index) => range.begin + index * 3 * 3_600_000).filter((at) => at <= range.end)
  return Array.from({ length: 7 }, (_, index) => Math.max(range.begin, daysAfter(range.end, index - 6, zone)))
}

/** Where a moment lies in a range, 0 to 1, or undefined outside of it. */
export const placeOf = (at: number, { begin, end }: Range): number | undefined =>
  at < begin || at > end ? undefined : (at - begin) / (end - begin)

/** The second of a file at a place (0 to 1) of the lane that it lies on; a merged one has no time of its own and plays from its begin. */
export const secondsAt = (
  place: number,
  range: Range,
  { begin, end, merged }: Pick<RecordedFile, 'begin' | 'end' | 'merged'>,
): number =>
  begin === null || end === null || merged === true
    ? 0
    : Math.max(0, Math.min(end, range.begin + place * (range.end - range.begin)) - begin) / 1_000

/** A bar on a lane, in parts of the lane's width. */
export interface Bar {
  readonly from: number
  readonly size: number
}

/** The part of a time that lies in a range; undefined when none does. */
export function barOf(begin: number, until: number, range: Range): Bar | undefined {
  const [from, to] = [Math.max(begin, range.begin), Math.min(until, range.end)]
  if (to < from) return undefined
  const whole = range.end - range.begin
  return { from: (from - range.begin) / whole, size: (to - from) / whole }
}

/** A file on a lane. */
export interface FileBar extends Bar {
  readonly file: RecordedFile
}

/** The files of one lane in a range, without merged ones: their begin is when they were made, not recorded. */
export const barsOf = (files: readonly RecordedFile[], cid: string, range: Range): FileBar[] =>
  files.flatMap((file) => {
    const bar =
      file.cid !== cid || file.begin === null || file.merged === true
        ? undefined
        : barOf(file.begin, file.end ?? file.begin, range)
    return bar ? [{ ...bar, file }] : []
  })

/** The bar at a place (0 to 1) of its lane, since narrow bars are drawn wider than they are; else the pressed one. */
export const barMeant = (bars: readonly FileBar[], place: number, pressed: FileBar): FileBar =>
  bars.find(({ from, size }) => from <= place && place <= from + size) ?? pressed

/** Markers of a lane that one button stands for: their place is that of the first. */
export interface MarkerGroup {
  /** By their time; never empty. */
  readonly markers: readonly Marker[]
  readonly place: number
}

/** Width of the button of a marker in px. */
const markerWidth = 24

/** The markers of one lane in a range, put together where their buttons would cover each other on a lane of `width` px; none is out of reach. */
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

/** What runs on a lane now: since when, and whether it is recorded; undefined off the air, whatever was told last of the recording. */
export function runningOf(
  tally: Pick<Tally, 'status' | 'since'> | undefined,
  state: Pick<RecordingState, 'state' | 'since'> | undefined,
): { readonly since: number; readonly recorded: boolean } | undefined {
  if (!tally || !onAir(lampOf(tally.status, false))) return undefined
  const recorded = state?.state === 'recording'
  const since = (recorded ? state.since : null) ?? tally.since
  return since === null ? undefined : { since, recorded }
}

/** Lanes that stay when none of them has anything. */
const lanesLeast = 3

/** Of many lanes those that have something in the shown time or are on air; the first few when none has, all when they are few. */
export function shownLanes(
  lanes: readonly RecordedChannel[],
  files: readonly RecordedFile[],
  statusOf: (cid: string) => number,
): readonly RecordedChannel[] {
  if (lanes.length <= lanesLeast + 1) return lanes
  const filled = new Set(files.flatMap((file) => (file.merged === true ? [] : [file.cid])))
  const full = lanes.filter(
    (channel) => filled.has(channel.cid) || statusOf(channel.cid) === 1 || statusOf(channel.cid) === 3,
  )
  return full.length > 0 ? full : lanes.slice(0, lanesLeast)
}

/** The file that holds the moment of a marker; a merged one has no time of its own. */
export const fileAt = (files: readonly RecordedFile[], marker: Marker): RecordedFile | undefined =>
  files.find(
    (file) =>
      file.cid === marker.cid &&
      file.merged !== true &&
      (file.begin ?? Infinity) <= marker.at &&
      (file.end ?? 0) >= marker.at,
  )
