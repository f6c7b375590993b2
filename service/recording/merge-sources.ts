import { mergeLimits } from '../../contract/operations/recordings.ts'
import type { FileSystem } from './file-system.ts'
import type { FilesStore, RecordingRow } from './files-store.ts'
import type { RecordingFolder } from './recording-folder.ts'
import type { CutRange } from './work.ts'

/** Why a merge is refused: a file is missing, the files do not fit together, or too many merges run. */
export type MergeRefusal = { readonly kind: 'missing' | 'unfit' | 'busy'; readonly reason: string }

/** Total length of the sources, in ms (1-live Limits: 4 hours). */
export const maxMergeDuration = mergeLimits.duration

/** Why a range cannot be cut out of files. */
export function uncuttable(sources: readonly RecordingRow[], { from, to }: CutRange): MergeRefusal | undefined {
  const [first, last] = [sources[0]!, sources.at(-1)!]
  if (sources.some(({ cid }) => cid !== first.cid)) return { kind: 'unfit', reason: 'the files are not of one channel' }
  if (from >= first.duration) return { kind: 'unfit', reason: 'from is not within the first file' }
  if (to > last.duration) return { kind: 'unfit', reason: 'to is not within the last file' }
  if (to === 0 || (first === last && to <= from)) return { kind: 'unfit', reason: 'nothing is between from and to' }
  return undefined
}

/** Bytes of a range, about. */
export const cutBytes = (sources: readonly RecordingRow[], { from, to }: CutRange): number =>
  Math.ceil(
    sources.reduce((sum, { bytes, duration }, index) => {
      const begin = index === 0 ? from : 0
      const end = index === sources.length - 1 ? to : duration
      return sum + (duration === 0 ? bytes : (bytes * (end - begin)) / duration)
    }, 0),
  )

/** Finds the files that are merged. */
export function createMergeSources(options: {
  readonly files: Pick<FilesStore, 'ready'>
  readonly disk: Pick<FileSystem, 'size'>
  readonly folder: RecordingFolder
  /** Name of this service in a cluster; absent for one that is alone. */
  readonly self: string | undefined
  /** Whether this service reads the object store. */
  readonly isFar: boolean
}) {
  const { files, disk, folder, self, isFar } = options
  const isHere = ({ node }: RecordingRow): boolean => self === undefined || node === self
  return {
    isHere,
    /** The files of an application in the order that is asked for. */
    async find(uid: number, vids: readonly number[]): Promise<RecordingRow[] | MergeRefusal> {
      const rows = new Map((await files.ready([...new Set(vids)])).map((row) => [row.vid, row]))
      const ordered: RecordingRow[] = []
      for (const vid of vids) {
        const row = rows.get(vid)
        if (!row || row.uid !== uid) return { kind: 'missing', reason: `there is no file ${vid}` }
        ordered.push(row)
      }
      for (const row of rows.values()) {
        if (row.stored === 1) {
          if (!isFar)
            return {
              kind: 'missing',
              reason: `the file ${row.vid} is in an object store, which this service does not have`,
            }
        } else if (isHere(row) && (await disk.size(folder.file(row))) === undefined)
          return { kind: 'missing', reason: `the file ${row.vid} is not on the disk any more` }
      }
      return ordered
    },
    /** Why files cannot be merged with each other. */
    unfit(sources: readonly RecordingRow[]): MergeRefusal | undefined {
      const flv = sources.find(({ format }) => format === 1)
      if (flv) return { kind: 'unfit', reason: `the file ${flv.vid} is not MP4` }
      const other = sources.find(({ codecs }) => codecs !== sources[0]?.codecs)
      if (other)
        return { kind: 'unfit', reason: `the file ${other.vid} has other codecs or another format than the first one` }
      // What reads them reads its own disk.
      const onDisks = new Set(sources.flatMap(({ stored, node }) => (stored === 1 ? [] : [node])))
      if (self !== undefined && onDisks.size > 1)
        return { kind: 'unfit', reason: 'the files are on several computers of the service' }
      if (sources.reduce((sum, { duration }) => sum + duration, 0) > maxMergeDuration)
        return { kind: 'unfit', reason: 'the files are longer than 4 hours in all' }
      return undefined
    },
  }
}
