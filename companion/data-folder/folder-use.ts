import { statfs } from 'node:fs/promises'
import path from 'node:path'
import type { FolderUse } from '../../contract/rpc/index.ts'
import { readContent } from './folder-content.ts'

/** Of which kind a file of the data folder is, by its name within it. */
function kindOf(name: string): 'recordings' | 'files' | 'databases' | 'other' {
  const [first = '', ...rest] = name.split(path.sep)
  if (rest.length === 0) return /\.db(-wal|-journal)?$/.test(first) ? 'databases' : 'other'
  return first === 'recordings' || first === 'files' ? first : 'other'
}

/** Files that count as recordings; indexes and unfinished merges only take space. */
const isRecording = (name: string): boolean => /\.(mp4|flv)$/.test(name)

/** Bytes and files by kind, and the disk's free space. */
export async function readUse(folder: string): Promise<FolderUse> {
  const use = {
    recordings: { bytes: 0, files: 0 },
    files: { bytes: 0, files: 0 },
    databases: { bytes: 0, files: 0 },
    other: { bytes: 0, files: 0 },
  }
  const [content, disk] = await Promise.all([readContent(folder), statfs(folder)])
  for (const { name, bytes } of content.files) {
    const kind = use[kindOf(name)]
    kind.bytes += bytes
    if (kind !== use.recordings || isRecording(name)) kind.files++
  }
  return { ...use, free: disk.bavail * disk.bsize, total: disk.blocks * disk.bsize }
}
