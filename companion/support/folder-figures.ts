import { type Dirent, promises as files } from 'node:fs'
import path from 'node:path'

/** Figures of a data folder; no names made by people. */
export type FolderFigures = Readonly<Awaited<ReturnType<typeof readFolderFigures>>>

const maxEntries = 20_000
const maxParts = 100
/** Folders whose own entries are listed. */
const opened = new Set(['service'])

/** Figures by top-level name, and of the service's folder. */
export async function readFolderFigures(root: string, service = path.join(root, 'service')) {
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
    // Deleted meanwhile.
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
  // Recordings fill the disk.
  const room = await files.statfs(service).catch(() => files.statfs(root).catch(() => undefined))
  return {
    free: room ? room.bavail * room.bsize : null,
    parts: [...parts].map(([name, figures]) => ({ name, ...figures })),
    /** False when something was not counted. */
    complete,
  }
}
