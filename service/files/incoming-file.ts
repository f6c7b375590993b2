import { createHash, type Hash } from 'node:crypto'
import { open, rm, type FileHandle } from 'node:fs/promises'

/** An invalid upload; the message is for the caller. */
export class UploadFault extends Error {}

/** A completely written file. */
export interface StoredBytes {
  readonly path: string
  /** SHA-256 in hexadecimal. */
  readonly hash: string
  readonly bytes: number
}

/** An upload written to a temporary file. */
export type IncomingFile = Awaited<ReturnType<typeof openIncomingFile>>

/** Opens a temporary file of at most `maxBytes` bytes. */
export async function openIncomingFile(path: string, maxBytes: number) {
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
    /** Throws UploadFault beyond the limit, or disk errors. */
    async write(part: Buffer) {
      bytes += part.length
      if (bytes > maxBytes) throw new UploadFault(`the file has more than ${maxBytes} bytes`)
      hash.update(part)
      for (let at = 0; at < part.length;) at += (await handle.write(part, at)).bytesWritten
    },
    async finish(): Promise<StoredBytes> {
      await handle.datasync()
      await close()
      return { path, hash: hash.digest('hex'), bytes }
    },
    /** Closes and removes the file; safe at any time. */
    async discard() {
      await close()
      await rm(path, { force: true })
    },
  }
}
