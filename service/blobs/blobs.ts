import { noteAway } from '../away-notes.ts'

/** Where an object store is, for services that share a database. */
export interface ObjectPlace {
  /** Its address, such as `https://s3.example.com`. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKey: string
  readonly secretKey: string
  /** Begins the key of each object. */
  readonly prefix: string
  /** Whether the bucket is the first part of the path; otherwise it is part of the host. */
  readonly isPathStyle: boolean
}

/** Why an object store did not do what it was asked; the message is for the log and has no secret. */
export class BlobFault extends Error {
  /** `missing`: it has no such object or upload. */
  readonly kind: 'missing' | 'refused' | 'unreachable'
  constructor(kind: BlobFault['kind'], sentence: string) {
    super(sentence)
    this.kind = kind
    noteAway(this)
  }
}

/** Number of a part, from 1, and the store's mark of its bytes. */
export interface BlobPart {
  readonly number: number
  readonly mark: string
}

/** A part that is there. */
export interface StoredPart extends BlobPart {
  readonly bytes: number
}

/** An upload that was begun and neither completed nor aborted. */
export interface LeftUpload {
  readonly key: string
  readonly upload: string
  /** In ms, by the store's clock. */
  readonly begun: number
}

/** Bytes of a part but for the last one; the least that every store takes. */
export const partBytes = 5 * 1024 * 1024
/** Parts of one upload, by the protocol. */
export const maxParts = 10_000

/**
 * Objects that several services share, by key. Every call is repeated a few times and then rejects with BlobFault.
 * What has no object store keeps its files itself, at its own paths.
 */
export interface Blobs {
  /** Stores the bytes under the key; what was there is replaced as a whole. */
  put(key: string, bytes: Buffer): Promise<void>
  /** Bytes `from` to `to`, both included. */
  read(key: string, from: number, to: number): Promise<Buffer>
  /** Undefined when there is none. */
  size(key: string): Promise<number | undefined>
  /** Nothing happens when there is none. */
  remove(key: string): Promise<void>
  /** Begins an upload part by part, and names it. */
  begin(key: string): Promise<string>
  /** Stores a part; a later one with the same number replaces it. */
  part(key: string, upload: string, number: number, bytes: Buffer): Promise<BlobPart>
  /** Parts that are there, in order. Some stores tell them of a completed upload too. */
  parts(key: string, upload: string): Promise<StoredPart[]>
  /** Makes the object of its parts. Once more it does nothing, or rejects as `missing`, by the maker of the store. */
  complete(key: string, upload: string, parts: readonly BlobPart[]): Promise<void>
  /** Forgets an upload and its parts; nothing happens when there is none, or when it was completed. */
  abort(key: string, upload: string): Promise<void>
  /** Uploads below a prefix that are under way or were left, a thousand at most. */
  left(prefix: string): Promise<LeftUpload[]>
  close(): void
}
