import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import path from 'node:path'
import { moveFile } from './moved-file.ts'

/** The temporary file of an atomic write. */
export const temporaryOf = (file: string): string => `${file}.new`

/** Syncs a folder, so that a rename in it survives a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder; its renames are journalled.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** `syncFolder`, synchronously, for a start. */
export function syncFolderNow(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Replaces a file (0600): after a kill or on a full disk it is the old or new one. Rejects with the system's error. */
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

/** `writeAtomically`, synchronously, for a start. `exclusive` throws EEXIST for an existing file. */
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
