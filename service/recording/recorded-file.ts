import type { Transaction } from 'kysely'
import type { Tables } from '../storage/schema.ts'

/** A recorded file (1-live, Recorded file entries). */
export interface RecordedFile {
  readonly vid: number
  readonly cid: string
  readonly uid: number
  /** `video_name`; the outputName of a merged file. */
  readonly name: string
  /** `orig_video_key`: a storage path, not an address. */
  readonly key: string
  /** In ms; both are the completion for a merged file. */
  readonly begin: number
  readonly end: number
  readonly completed: number
  readonly format: 'flv' | 'mp4'
  readonly bytes: number
  /** In ms. */
  readonly duration: number
  readonly merged: boolean
  /** What a clip is of, as its row has it (`clip.ts`). */
  readonly clip?: string
}

/** Notified of finished files: once for each, across crashes. */
export interface FileListener {
  /** Runs in the transaction that lists the file: the notice is stored exactly if the file is. */
  enqueue(transaction: Transaction<Tables>, file: RecordedFile): Promise<void>
  /** The file is listed; the notice of a merged file has no begin and end. */
  onFile(file: RecordedFile, merged: boolean): void
}
