import type { MergeBoard, RecordedFile } from '../../../contract/rpc/index.ts'
import { mergeLimits, recordings } from '../../../contract/operations/recordings.ts'

const { rates, parameters } = recordings.merge
const [rate] = rates ?? []
/** Calls per minute (1-live Limits). */
export const maxCalls = rate?.calls ?? Infinity
const window = (rate?.seconds ?? 60) * 1_000
const namePattern = new RegExp(parameters.outputName.pattern, 'u')
/** In characters. */
export const maxOutputName = parameters.outputName.max

/** `unknown` where the profile does not say. */
export interface MergeCheck {
  readonly name: 'mp4' | 'codecs' | 'running' | 'calls' | 'disk'
  readonly state: 'ok' | 'fault' | 'unknown'
  /** Number of the first file at fault, from 1, or seconds to wait; null without a fault. */
  readonly at: number | null
  readonly used: number | null
  /** Available bytes, for `disk`. */
  readonly there: number | null
}

/** Input of the checks. */
export interface MergeInput {
  readonly files: readonly RecordedFile[]
  readonly board: MergeBoard | null
  /** In bytes. */
  readonly recordingRoom: number | null
  readonly now: number
}

/** Null if it can be merged or the format is unknown. */
export const unmergeable = (file: RecordedFile): 'flv' | null => (file.format === 'flv' ? 'flv' : null)

/** In ms; null if a length is unknown. */
export const totalLength = (files: readonly RecordedFile[]): number | null =>
  files.some((file) => file.duration === null) ? null : files.reduce((sum, file) => sum + (file.duration ?? 0), 0)

/** Null if a size is unknown. */
export const totalBytes = (files: readonly RecordedFile[]): number | null =>
  files.some((file) => file.bytes === null) ? null : files.reduce((sum, file) => sum + (file.bytes ?? 0), 0)

/** False if the length is unknown. */
export const tooLong = (files: readonly RecordedFile[]): boolean => (totalLength(files) ?? 0) > mergeLimits.duration

const firstAt = (files: readonly RecordedFile[], wrong: (file: RecordedFile) => boolean): number | null => {
  const index = files.findIndex(wrong)
  return index < 0 ? null : index + 1
}

/** The checks of the tray, in order. */
export function mergeChecks({ files, board, recordingRoom, now }: MergeInput): MergeCheck[] {
  const check = (
    name: MergeCheck['name'],
    fault: boolean,
    known: boolean,
    at: number | null = null,
    used: number | null = null,
    there: number | null = null,
  ): MergeCheck => ({
    name,
    state: fault ? 'fault' : known ? 'ok' : 'unknown',
    at,
    used,
    there,
  })
  const flv = firstAt(files, (file) => unmergeable(file) !== null)
  const codecs = files.find((file) => file.codecs !== null)?.codecs ?? null
  const other = codecs === null ? null : firstAt(files, (file) => file.codecs !== null && file.codecs !== codecs)
  const running = board?.tasks?.filter((task) => task.state === 'running').length ?? null
  const calls = board?.calls.filter((at) => at > now - window) ?? null
  const wait =
    calls !== null && calls.length >= maxCalls ? Math.ceil((Math.min(...calls) + window - now) / 1_000) : null
  const size = totalBytes(files)
  return [
    check(
      'mp4',
      flv !== null,
      files.every((file) => file.format !== null),
      flv,
    ),
    check(
      'codecs',
      other !== null,
      files.every((file) => file.codecs !== null),
      other,
    ),
    check('running', running !== null && running >= mergeLimits.atOnce, running !== null, null, running),
    check('calls', wait !== null, calls !== null, wait, calls?.length ?? null),
    check(
      'disk',
      size !== null && recordingRoom !== null && size > recordingRoom,
      size !== null && recordingRoom !== null,
      null,
      size,
      recordingRoom,
    ),
  ]
}

/** Null if the name is valid. */
export const outputNameFault = (name: string): 'empty' | 'space' | 'long' | null =>
  name === '' ? 'empty' : namePattern.test(name) ? null : /[\s\p{Cc}]/u.test(name) ? 'space' : 'long'

/** A file and a younger one before it, both from 1; null if ordered by time. */
export function outOfOrder(files: readonly RecordedFile[]): { readonly file: number; readonly before: number } | null {
  for (let at = 1; at < files.length; at++) {
    const before = files.findIndex(
      (file, index) => index < at && file.begin !== null && (files[at]?.begin ?? Infinity) < file.begin,
    )
    if (before >= 0) return { file: at + 1, before: before + 1 }
  }
  return null
}

/** Moves one id; without effect beyond the ends. */
export function moved(vids: readonly number[], from: number, to: number): number[] {
  const next = [...vids]
  if (from < 0 || from >= next.length || to < 0 || to >= next.length) return next
  next.splice(to, 0, ...next.splice(from, 1))
  return next
}
