import { createHash, type Hash } from 'node:crypto'
import { open, rm, type FileHandle } from 'node:fs/promises'

/** An invalid upload; the message is for the caller. */
export class UploadFault extends Error {}

/** A completely written file. */
export interface StoredBytes {
  /** Temporary path. */
  readonly path: string
  /** SHA-256 in hexadecimal. */
  readonly hash: string
  readonly bytes: number
}

/** An upload written to a temporary file. */
export interface IncomingFile {
  /** Throws UploadFault beyond the limit, or disk errors. */
  write(part: Buffer): Promise<void>
  /** Syncs and closes the file. */
  finish(): Promise<StoredBytes>
  /** Closes and removes the file; safe at any time. */
  discard(): Promise<void>
}

/** Opens a temporary file of at most `maxBytes` bytes. */
export async function openIncomingFile(path: string, maxBytes: number): Promise<IncomingFile> {
  const handle: FileHandle = await open(path, 'wx', 0o600)
  const hash: Hash = createHash('sha256')
  let bytes = 0
  let closed = false
  const close = async (): Promise<void> => {
    if (closed) return
    closed = true
    await handle.close()
  }
  return {
    async write(part) {
      bytes += part.length
      if (bytes > maxBytes) throw new UploadFault(`the file has more than ${maxBytes} bytes`)
      hash.update(part)
      for (let at = 0; at < part.length;) at += (await handle.write(part, at)).bytesWritten
    },
    async finish() {
      await handle.datasync()
      await close()
      return { path, hash: hash.digest('hex'), bytes }
    },
    async discard() {
      await close()
      await rm(path, { force: true })
    },
  }
}
