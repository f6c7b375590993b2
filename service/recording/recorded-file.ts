import type { Transaction } from 'kysely'
import type { Tables } from '../storage/schema.ts'

/** A recorded file that can be listed and played (1-live, Recorded file entries). */
export interface RecordedFile {
  readonly vid: number
  readonly cid: string
  /** Owner number of the application. */
  readonly uid: number
  /** `video_name`; the outputName of a merged file. */
  readonly name: string
  /** `orig_video_key`: a storage path, not an address. */
  readonly key: string
  /** Begin and end in ms; of a merged file both are the completion. */
  readonly begin: number
  readonly end: number
  readonly completed: number
  readonly format: 'flv' | 'mp4'
  readonly bytes: number
  /** Length of the media in ms. */
  readonly duration: number
  readonly merged: boolean
}

/** What hears of finished files: once for each, across crashes. */
export interface FileListener {
  /** Runs inside the transaction that lists the file, so that a notice is stored exactly when the file is. */
  enqueue(transaction: Transaction<Tables>, file: RecordedFile): Promise<void>
  /** The file is listed. `file.merged` tells a merged file, whose notice has no begin and end. */
  onFile(file: RecordedFile, merged: boolean): void
}
