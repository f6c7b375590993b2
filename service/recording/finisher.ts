import type { Clock } from '../../platform/clock.ts'
import type { FlvKeyFrame } from '../media/flv-recording.ts'
import type { FileSystem } from './file-system.ts'
import type { FilesStore, RecordingRow } from './files-store.ts'
import { extensionOf, fileKey, type RecordNames } from './record-names.ts'
import type { FileListener, RecordedFile } from './recorded-file.ts'
import type { RecordingFolder } from './recording-folder.ts'
import type { WorkResult } from './work.ts'
import type { Workers } from './workers.ts'

/** A file before it is finished. */
export type Unfinished = Pick<RecordingRow, 'vid' | 'cid' | 'uid' | 'format' | 'slice' | 'beginTime' | 'filename'> & {
  /** 1 for a clip of what was on air, which is whole or not there. */
  readonly merged?: number
  readonly clip?: string
  /** When the file was last written to, in ms, if its begin is in doubt: that was its length before at the latest. */
  readonly written?: number
}

/** Source of the missing figures: the file itself, or its writer. */
export type FinishFrom =
  | { readonly recover: true }
  | { readonly recover: false; readonly duration: number; readonly keyFrames: readonly FlvKeyFrame[] }
  | { readonly recover: false; readonly made: WorkResult }

/** Completes a written file and lists it. */
export type Finisher = ReturnType<typeof createFinisher>

/** A shorter slice is dropped (behaviour.md#kept-and-dropped-files); ms. */
const shortest = 1000

/** Makes the finisher, which works in a thread. */
export function createFinisher(options: {
  readonly store: Pick<FilesStore, 'complete' | 'forget'>
  readonly folder: RecordingFolder
  readonly files: Pick<FileSystem, 'remove'>
  readonly workers: Pick<Workers, 'run'>
  readonly names: RecordNames
  readonly clock: Clock
  readonly listener: FileListener
  /** Takes a finished file that is listed later, when it is in the object store; `isChanged` by a recovery. */
  readonly storing?: ((file: RecordedFile, isChanged: boolean) => Promise<void>) | undefined
}) {
  const { store, folder, files, workers, names, clock, listener, storing } = options
  return {
    /** The listed file; undefined when too short or empty. Rejects on disk errors: it can be finished later. */
    async finish(file: Unfinished, from: FinishFrom): Promise<RecordedFile | undefined> {
      const path = folder.file(file)
      const index = folder.index(file)
      const { bytes, duration } =
        'made' in from
          ? from.made
          : await workers.run(
              file.format === 1
                ? {
                    kind: 'flv',
                    path,
                    ...(!from.recover && { end: { duration: from.duration, keyFrames: from.keyFrames } }),
                  }
                : { kind: 'mp4', path, index, recover: from.recover },
            )
      if (duration < shortest) {
        await files.remove(path)
        await files.remove(index)
        await store.forget(file.vid)
        return undefined
      }
      const completed = clock.now()
      const merged = file.merged === 1
      const begun = file.written === undefined ? file.beginTime : Math.min(file.beginTime, file.written - duration)
      const begin = merged ? completed : begun
      const end = merged ? completed : begin + duration
      const format = extensionOf(file.format)
      const listed: RecordedFile = {
        vid: file.vid,
        cid: file.cid,
        uid: file.uid,
        name: merged ? file.filename : names.name({ filename: file.filename, cid: file.cid, begin, end }),
        key: fileKey({ cid: file.cid, begin, end, vid: file.vid, slice: file.slice, format }),
        begin,
        end,
        completed,
        format,
        bytes,
        duration,
        merged,
        ...(file.clip && { clip: file.clip }),
      }
      if (storing) {
        await storing(listed, from.recover)
        return listed
      }
      if (!(await store.complete(listed, (transaction) => listener.enqueue(transaction, listed)))) return undefined
      listener.onFile(listed, merged)
      return listed
    },
  }
}
