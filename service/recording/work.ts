import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { FlvRecordingEnd } from '../media/flv-recording.ts'
import type { ByteSource } from '../media/mp4-reader.ts'

/** Work for a worker thread. */
export type Work =
  /** Finishes a hybrid MP4 from its index, or with `recover` from the file. */
  | { readonly kind: 'mp4'; readonly path: string; readonly index: string; readonly recover: boolean }
  /** Finishes an FLV with known figures, or from the file. */
  | { readonly kind: 'flv'; readonly path: string; readonly end?: Omit<FlvRecordingEnd, 'size'> }
  /** Merges finished MP4 files into `target`, through `temporary`. */
  | { readonly kind: 'merge'; readonly sources: readonly string[]; readonly temporary: string; readonly target: string }

/** Size in bytes, and length of the media in ms. */
export interface WorkResult {
  readonly bytes: number
  readonly duration: number
}

/** From the worker thread. */
export type WorkMessage =
  | { readonly type: 'progress'; readonly done: number }
  | { readonly type: 'done'; readonly result: WorkResult }
  | { readonly type: 'failed'; readonly code: string; readonly reason: string }

/** A file read at any offset. */
export interface SourceFile extends ByteSource {
  readonly descriptor: number
  close(): void
}

/** Opens a file for reading; blocks, so only for worker threads. */
export function openSource(path: string, flags = 'r'): SourceFile {
  const descriptor = openSync(path, flags)
  return {
    descriptor,
    get size() {
      return fstatSync(descriptor).size
    },
    read(at, length) {
      const bytes = Buffer.allocUnsafe(length)
      let got = 0
      while (got < length) {
        const more = readSync(descriptor, bytes, got, length - got, at + got)
        if (more === 0) break
        got += more
      }
      return bytes.subarray(0, got)
    },
    close: () => closeSync(descriptor),
  }
}
