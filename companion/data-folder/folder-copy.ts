import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import path from 'node:path'
import type { FolderContent } from './folder-content.ts'

const piece = 1_048_576

/** A copy differs from its original. */
export class CopyDiffers extends Error {}

/** Flushes a folder to the disk. */
async function sync(folder: string): Promise<void> {
  // Windows cannot open a folder; NTFS journals the rename.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function readThrough(
  handle: FileHandle,
  signal: AbortSignal,
  take: (read: Buffer) => Promise<void> | void,
): Promise<string> {
  const digest = createHash('sha256')
  const buffer = Buffer.allocUnsafe(piece)
  for (let at = 0; ;) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, piece, at)
    if (bytesRead === 0) return digest.digest('base64')
    const read = buffer.subarray(0, bytesRead)
    digest.update(read)
    await take(read)
    at += bytesRead
  }
}

/** Copies and flushes every file; returns their digests in order. */
export async function copyContent(
  from: string,
  to: string,
  content: FolderContent,
  signal: AbortSignal,
  progress: (bytes: number) => void,
): Promise<string[]> {
  for (const folder of content.folders) await mkdir(path.join(to, folder), { recursive: true, mode: 0o700 })
  const digests: string[] = []
  for (const { name } of content.files) {
    await using source = await open(path.join(from, name), 'r')
    await using target = await open(path.join(to, name), 'w', 0o600)
    digests.push(
      await readThrough(source, signal, async (read) => {
        for (let at = 0; at < read.length;) at += (await target.write(read, at, read.length - at)).bytesWritten
        progress(read.length)
      }),
    )
    await target.sync()
  }
  for (const folder of [...content.folders].reverse()) await sync(path.join(to, folder))
  await sync(to)
  return digests
}

/** Reads every copy back; throws CopyDiffers. */
export async function checkCopies(
  to: string,
  content: FolderContent,
  digests: readonly string[],
  signal: AbortSignal,
  progress: (bytes: number) => void,
): Promise<void> {
  for (const [index, { name }] of content.files.entries()) {
    await using copy = await open(path.join(to, name), 'r')
    const digest = await readThrough(copy, signal, (read) => progress(read.length))
    if (digest !== digests[index]) throw new CopyDiffers(name)
  }
}
