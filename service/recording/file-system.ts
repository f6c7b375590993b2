import { mkdir, open, rm, stat, statfs, writeFile } from 'node:fs/promises'

/** An open file. */
export interface OpenFile {
  /** Writes all parts at an offset; returns the bytes written, fewer when the disk is full. */
  writev(parts: readonly Buffer[], at: number): Promise<number>
  datasync(): Promise<void>
  truncate(length: number): Promise<void>
  /** False when the file was unlinked. */
  named(): Promise<boolean>
  close(): Promise<void>
}

/** Disk operations of the recorder; every method rejects with the system's error. */
export interface FileSystem {
  /** Makes a file, and its folder if only that is missing. */
  create(folder: string, path: string): Promise<OpenFile>
  /** Opens an existing file for changes. */
  change(path: string): Promise<OpenFile>
  remove(path: string): Promise<void>
  /** Undefined when there is no such file. */
  size(path: string): Promise<number | undefined>
  /** Free bytes of a folder's disk; rejects when the folder is missing. */
  free(folder: string): Promise<number>
  /** Writes and removes a small file. */
  probe(folder: string): Promise<void>
}

const has = (error: unknown, code: string): boolean => (error as { code?: unknown }).code === code
const openAs = async (path: string, flags: string): Promise<OpenFile> => {
  const handle = await open(path, flags, 0o600)
  return {
    async writev(parts, at) {
      const { bytesWritten } = await handle.writev(parts as Buffer[], at)
      return bytesWritten
    },
    datasync: () => handle.datasync(),
    truncate: (length) => handle.truncate(length),
    named: async () => (await handle.stat()).nlink > 0,
    close: () => handle.close(),
  }
}

/** The real disk. */
export const diskFiles: FileSystem = {
  async create(folder, path) {
    try {
      return await openAs(path, 'wx')
    } catch (error) {
      if (!has(error, 'ENOENT')) throw error
      try {
        // Not recursive: nothing must be made where a drive was removed.
        await mkdir(folder, { mode: 0o700 })
      } catch (fault) {
        if (!has(fault, 'EEXIST')) throw fault
      }
      return openAs(path, 'wx')
    }
  },
  change: (path) => openAs(path, 'r+'),
  remove: (path) => rm(path, { force: true }),
  async size(path) {
    try {
      return (await stat(path)).size
    } catch (error) {
      if (has(error, 'ENOENT')) return undefined
      throw error
    }
  },
  async free(folder) {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  },
  async probe(folder) {
    const path = `${folder}/.probe`
    await writeFile(path, Buffer.alloc(4096), { mode: 0o600 })
    await rm(path, { force: true })
  },
}
