import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import path from 'node:path'
import { moveFile } from './moved-file.ts'

/** The temporary file beside a file that is being written. */
export const temporaryOf = (file: string): string => `${file}.new`

/** Flushes a folder, so that a rename in it outlives a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder for that; there the rename itself is journalled.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** `syncFolder` for a start, before anything else can happen. */
export function syncFolderNow(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Replaces a file (0600): after a kill or a full disk it is the old or the new one, never a part. Rejects with the system's error. */
export async function writeAtomically(file: string, text: string): Promise<void> {
  const fresh = temporaryOf(file)
  try {
    const handle = await open(fresh, 'w', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await moveFile(fresh, file)
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => undefined)
    throw error
  }
  await syncFolder(path.dirname(file))
}

/** `writeAtomically` for a start, before anything else can happen. With `exclusive` a file that is there stays, and EEXIST is thrown. */
export function writeAtomicallyNow(file: string, text: string, { exclusive = false } = {}): void {
  const fresh = exclusive ? `${file}.${process.pid}.new` : temporaryOf(file)
  try {
    const descriptor = openSync(fresh, 'w', 0o600)
    try {
      writeFileSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    if (exclusive) linkSync(fresh, file)
    else renameSync(fresh, file)
  } finally {
    rmSync(fresh, { force: true })
  }
  syncFolderNow(path.dirname(file))
}
