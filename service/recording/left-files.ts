import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Quarantine } from '../../platform/quarantine.ts'
import type { FileSystem } from './file-system.ts'
import type { FilesStore } from './files-store.ts'
import type { RecordingFolder } from './recording-folder.ts'
import { extensionOf } from './record-names.ts'

const filePattern = /^([1-9][0-9]{0,14})\.(?:mp4|flv|index|part)$/

/**
 * Removes files on this disk whose recording is in the object store with as many bytes, as a killed process leaves one,
 * and sets others aside: another service finished the recording with less than this disk has. What served to write them
 * goes in both cases.
 */
export async function removeLeftFiles(options: {
  readonly store: Pick<FilesStore, 'ready'>
  readonly folder: RecordingFolder
  readonly files: Pick<FileSystem, 'size' | 'remove'>
  readonly quarantine: Pick<Quarantine, 'setAside'>
}): Promise<void> {
  const { store, folder, files, quarantine } = options
  const vids = new Set<number>()
  for (const channel of await readdir(folder.root, { withFileTypes: true })) {
    if (!channel.isDirectory()) continue
    for (const name of await readdir(join(folder.root, channel.name))) {
      const vid = filePattern.exec(name)?.[1]
      if (vid !== undefined) vids.add(Number(vid))
    }
  }
  const aside: string[] = []
  for (const row of await store.ready([...vids])) {
    if (row.stored !== 1) continue
    await files.remove(folder.index(row))
    await files.remove(folder.temporary(row))
    const size = await files.size(folder.file(row))
    if (size === row.bytes) await files.remove(folder.file(row))
    else if (size !== undefined) aside.push(`recordings/${row.cid}/${row.vid}.${extensionOf(row.format)}`)
  }
  if (aside.length > 0) quarantine.setAside(aside, 'unfinished', 'recordings that another service finished')
}
