import type { Marker, RecordedFile } from '../../../contract/rpc/index.ts'
import type { Broadcast } from './broadcast.ts'

/** What was kept of a broadcast, by time; `writing` is a file that is not whole yet. */
export type KeptRow =
  | { readonly kind: 'file'; readonly key: string; readonly at: number; readonly file: RecordedFile; part: number }
  | { readonly kind: 'clip'; readonly key: string; readonly at: number; readonly file: RecordedFile }
  | { readonly kind: 'writing'; readonly key: string; readonly at: number; readonly part: number }
  | {
      readonly kind: 'marker'
      readonly key: string
      readonly at: number
      readonly marker: Pick<Marker, 'markerId' | 'at' | 'label'>
      readonly covered: Second | undefined
    }

/** A position in a file, in s. */
export interface Second {
  readonly file: RecordedFile
  readonly from: number
}

/** The second of a file that has this time; undefined where nothing was recorded. */
export function secondAt(files: readonly RecordedFile[], at: number): Second | undefined {
  const file = files.find(({ begin, end, merged }) => !merged && begin !== null && begin <= at && (end ?? 0) >= at)
  return file && { file, from: (at - (file.begin ?? at)) / 1_000 }
}

/** Whether a clip is of this broadcast: cut out of its files, or of what was on air then. */
const isClipOf = ({ clip }: RecordedFile, { began, ended, vids }: Broadcast): boolean =>
  clip !== undefined &&
  (clip.vids.length > 0
    ? clip.vids.some((vid) => vids.includes(vid))
    : clip.begin !== undefined && clip.begin >= began - clipBefore && clip.begin <= (ended ?? Infinity))
/** A clip of what is on air begins with the key frame before; in ms. */
const clipBefore = 20_000

/** `files` are those of the channel from the begin on; `writing` says since when a file is being written, in ms. */
export function keptRows(
  broadcast: Broadcast,
  files: readonly RecordedFile[],
  writing: number | null,
): readonly KeptRow[] {
  const own = files
    .filter(({ vid }) => broadcast.vids.includes(vid))
    .toSorted((a, b) => (a.begin ?? 0) - (b.begin ?? 0))
  const rows: KeptRow[] = [
    ...own.map((file, index): KeptRow => {
      return { kind: 'file', key: `file${file.vid}`, at: file.begin ?? broadcast.began, file, part: index + 1 }
    }),
    ...files
      .filter((file) => isClipOf(file, broadcast))
      .map((file): KeptRow => {
        return { kind: 'clip', key: `clip${file.vid}`, at: file.clip?.begin ?? file.begin ?? broadcast.began, file }
      }),
    ...broadcast.markers.map((marker): KeptRow => {
      return {
        kind: 'marker',
        key: `marker${marker.markerId}`,
        at: marker.at,
        marker,
        covered: secondAt(own, marker.at),
      }
    }),
  ]
  const begin = Math.max(writing ?? 0, own.at(-1)?.end ?? 0)
  if (writing !== null) rows.push({ kind: 'writing', key: 'writing', at: begin, part: own.length + 1 })
  return rows.toSorted((a, b) => a.at - b.at)
}
