import { constants } from 'node:fs'
import { open, stat, type FileHandle } from 'node:fs/promises'

/** What is named is not a file, or a larger one than is read. */
export class NotThisFile extends Error {}

// Opening a FIFO would wait for its writer, and hold a thread of the pool for as long. Windows has neither flag.
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

/** Bytes of a file from its begin, whatever size the system tells: a file may grow, and those of /proc have none. */
async function readAtMost(handle: FileHandle, most: number): Promise<Buffer> {
  const bytes = Buffer.alloc(most + 1)
  let size = 0
  while (size < bytes.length) {
    const { bytesRead } = await handle.read(bytes, size, bytes.length - size, size)
    if (bytesRead === 0) return bytes.subarray(0, size)
    size += bytesRead
  }
  throw new NotThisFile(`it is larger than ${most} bytes`)
}

/**
 * Reads a file that somebody named, of `most` bytes. Only regular files are opened: devices, FIFOs and sockets may
 * answer late, never, or without an end. Rejects with NotThisFile, or the system's error.
 */
export async function readNamedFile(file: string, most: number): Promise<Buffer> {
  const isFile = (stats: { isFile(): boolean }): void => {
    if (!stats.isFile()) throw new NotThisFile('it is not a file')
  }
  isFile(await stat(file))
  const handle = await open(file, flags)
  try {
    // Another one may be there by now.
    isFile(await handle.stat())
    return await readAtMost(handle, most)
  } finally {
    await handle.close()
  }
}
