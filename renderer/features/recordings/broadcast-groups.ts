import type { AnswerOf } from '../../../contract/field.ts'
import type { broadcastFacts } from '../../../contract/operations/broadcasts.ts'
import type { RecordedFile } from '../../../contract/rpc/index.ts'
import type { Range } from './time-line.ts'

/** A broadcast, as the service lists it. */
export type Broadcast = AnswerOf<typeof broadcastFacts>

/** A broadcast with its files that are listed. */
export interface FileGroup {
  readonly broadcast: Broadcast
  /** Parts, then clips, each by time. */
  readonly files: readonly RecordedFile[]
  readonly parts: number
  readonly clips: number
  /** Numbers of parts from 1, by their vid; empty where earlier ones may be out of the list. */
  readonly numbers: ReadonlyMap<number, number>
}

/** A line of the table. */
export type FileRow =
  | { readonly key: string; readonly group: FileGroup; readonly isOpen: boolean; readonly file: null }
  | {
      readonly key: string
      /** Null for a file of no broadcast. */
      readonly group: FileGroup | null
      readonly file: RecordedFile
      /** From 1; null for a clip, and where earlier parts may be out of the list. */
      readonly part: number | null
    }

/** When it began, in ms: of a clip when it was recorded, if that is known. */
export const beginOf = (file: RecordedFile): number | null => file.clip?.begin ?? file.begin

/** When it was recorded, in ms; null where that is not known, as of merged files. */
function recordedSpan(file: RecordedFile): Range | null {
  const begin = file.clip ? (file.clip.begin ?? null) : file.merged === true ? null : file.begin
  if (begin === null) return null
  return { begin, end: file.clip ? begin + (file.duration ?? 0) : (file.end ?? begin) }
}

const spanOf = ({ began, ended }: Broadcast): Range => ({ begin: began, end: ended ?? Number.MAX_SAFE_INTEGER })
const meet = (one: Range, other: Range): boolean => one.begin <= other.end && other.begin <= one.end
const byTime = (one: RecordedFile, other: RecordedFile): number =>
  (recordedSpan(one)?.begin ?? 0) - (recordedSpan(other)?.begin ?? 0) || one.vid - other.vid

/** The broadcast that was on air when it was recorded, as the service finds files of one. */
function broadcastOf(file: RecordedFile, newestFirst: readonly Broadcast[]): Broadcast | undefined {
  const span = recordedSpan(file)
  return span === null ? undefined : newestFirst.find((each) => each.cid === file.cid && meet(span, spanOf(each)))
}

/** Broadcasts of a range with their files, newest first, and the files of none. */
export function groupsOf(
  files: readonly RecordedFile[],
  broadcasts: readonly Broadcast[],
  range: Range,
): { readonly groups: readonly FileGroup[]; readonly others: readonly RecordedFile[] } {
  const newestFirst = [...broadcasts].sort((one, other) => other.began - one.began)
  const within = Map.groupBy(files, (file) => broadcastOf(file, newestFirst))
  const groups = newestFirst.flatMap((broadcast): FileGroup[] => {
    const own = within.get(broadcast) ?? []
    // One that is over has a summary also where nothing was recorded.
    const isShown = own.length > 0 || (broadcast.ended !== undefined && meet(range, spanOf(broadcast)))
    if (!isShown) return []
    const parts = own.filter((file) => !file.clip).sort(byTime)
    const clips = own.filter((file) => file.clip).sort(byTime)
    const isWhole = broadcast.began >= range.begin
    return [
      {
        broadcast,
        files: [...parts, ...clips],
        parts: parts.length,
        clips: clips.length,
        numbers: new Map(isWhole ? parts.map(({ vid }, index) => [vid, index + 1]) : []),
      },
    ]
  })
  return { groups, others: within.get(undefined) ?? [] }
}

/** What parts are called within their broadcast, by their vid. */
export const partNames = (
  { groups }: ReturnType<typeof groupsOf>,
  t: (key: string, named: { readonly n: number }) => string,
): ReadonlyMap<number, string> =>
  new Map(groups.flatMap(({ numbers }) => [...numbers].map(([vid, n]) => [vid, t('groups.part', { n })] as const)))

/** Lines of the table, newest first; files of an open group follow it. */
export function rowsOf(
  { groups, others }: ReturnType<typeof groupsOf>,
  isOpen: (broadcastId: string) => boolean,
): FileRow[] {
  const plain = others.map((file) => ({
    at: file.begin ?? 0,
    rows: [{ key: String(file.vid), group: null, file, part: null }] as FileRow[],
  }))
  const grouped = groups.map((group) => {
    const { broadcastId, began } = group.broadcast
    const isGroupOpen = group.files.length > 0 && isOpen(broadcastId)
    const rows: FileRow[] = [{ key: broadcastId, group, isOpen: isGroupOpen, file: null }]
    if (isGroupOpen)
      for (const file of group.files)
        rows.push({ key: String(file.vid), group, file, part: group.numbers.get(file.vid) ?? null })
    return { at: began, rows }
  })
  return [...grouped, ...plain].sort((one, other) => other.at - one.at).flatMap(({ rows }) => rows)
}
