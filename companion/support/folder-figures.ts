import { type Dirent, promises as files } from 'node:fs'
import path from 'node:path'

/** How much a data folder holds; no name of what a person made, and no content. */
export interface FolderFigures {
  /** Bytes that are free where the service's folder is; null where that is not told. */
  readonly free: number | null
  readonly parts: readonly { readonly name: string; readonly files: number; readonly bytes: number }[]
  /** False when there was more than is counted. */
  readonly complete: boolean
}

/** Files and folders looked at, at most; the rest is not counted. */
const maxEntries = 20_000
/** Names told, at most. */
const maxParts = 100
/** Names below these folders are the app's own and are told too. */
const opened = new Set(['service'])

/** Counts what a folder holds, by the names at its top, and what the service's folder holds, which may have moved elsewhere. */
export async function readFolderFigures(
  root: string,
  service: string = path.join(root, 'service'),
): Promise<FolderFigures> {
  const parts = new Map<string, { files: number; bytes: number }>()
  let left = maxEntries
  let complete = true
  const count = (name: string, bytes: number): void => {
    const part = parts.get(name) ?? { files: 0, bytes: 0 }
    if (!parts.has(name) && parts.size >= maxParts) {
      complete = false
      return
    }
    parts.set(name, { files: part.files + 1, bytes: part.bytes + bytes })
  }
  const look = async (folder: string, nameOf: (entry: Dirent) => string): Promise<void> => {
    // What is deleted meanwhile does not count.
    for (const entry of await files.readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (left-- <= 0) {
        complete = false
        return
      }
      const full = path.join(folder, entry.name)
      const name = nameOf(entry)
      if (entry.isDirectory()) await look(full, (below) => (opened.has(name) ? `${name}/${below.name}` : name))
      else if (entry.isFile()) count(name, (await files.lstat(full).catch(() => undefined))?.size ?? 0)
    }
  }
  await look(root, ({ name }) => name)
  if (path.relative(path.join(root, 'service'), service) !== '') await look(service, ({ name }) => `service/${name}`)
  // Recordings are what fills a disk.
  const room = await files.statfs(service).catch(() => files.statfs(root).catch(() => undefined))
  return {
    free: room ? room.bavail * room.bsize : null,
    parts: [...parts].map(([name, figures]) => ({ name, ...figures })),
    complete,
  }
}
