import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { FlvRecordingEnd } from '../media/flv-recording.ts'
import type { ByteSource } from '../media/mp4-reader.ts'

/** Work for a worker thread. */
export type Work =
  /** Finishes a hybrid MP4 from its index, or with `recover` from the file. */
  | { readonly kind: 'mp4'; readonly path: string; readonly index: string; readonly recover: boolean }
  /** Finishes an FLV with known figures, or from the file. */
  | { readonly kind: 'flv'; readonly path: string; readonly end?: Omit<FlvRecordingEnd, 'size'> }
  /** Merges finished MP4 files, or what is within a range, into `target`, through `temporary`. */
  | {
      readonly kind: 'merge'
      readonly sources: readonly string[]
      readonly temporary: string
      readonly target: string
      readonly range?: CutRange | undefined
    }
  /** Plans a merge of finished MP4 files of which only some bytes are here. */
  | { readonly kind: 'plan'; readonly sources: readonly KnownBytes[]; readonly range?: CutRange | undefined }
  /** Makes a file of packets, those in files and then the rest, from the one with a timestamp on. */
  | {
      readonly kind: 'clip'
      readonly configurations: Uint8Array
      readonly files: readonly string[]
      readonly rest: Uint8Array
      readonly start: number
      readonly temporary: string
      readonly index: string
      readonly target: string
    }

/** What is cut out: from ms of the first source to ms of the last one. */
export interface CutRange {
  readonly from: number
  readonly to: number
}

/** Some bytes of a file. */
export interface KnownBytes {
  readonly size: number
  readonly pieces: readonly { readonly at: number; readonly bytes: Uint8Array<ArrayBuffer> }[]
}

/** What a merged file is made of, in order: its head, bytes of the sources, and its end. */
export interface MergeLayout {
  readonly head: Uint8Array<ArrayBuffer>
  readonly copies: readonly { readonly part: number; readonly from: number; readonly length: number }[]
  readonly end: Uint8Array<ArrayBuffer>
}

/** Size in bytes, and length of the media in ms. */
export interface WorkResult {
  readonly bytes: number
  readonly duration: number
  /** Of a cut, in ms: where it begins in the first source, and how much earlier what ignores edit lists begins. */
  readonly from?: number
  readonly early?: number
  /** Of a plan. */
  readonly layout?: MergeLayout
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
