import { existsSync, mkdirSync, statSync } from 'node:fs'
import path from 'node:path'

const mode = 0o700

/**
 * Makes a folder, and those missing above it, for this user alone (0700). Throws the error of the system when it
 * cannot. For folders that a person names: `recursive` of `mkdir` alone never ends below one that refuses with
 * ENOENT, as /proc does (nodejs/node, `MKDirpSync`).
 */
export function makeFolder(folder: string): void {
  const missing: string[] = []
  for (let at = path.resolve(folder); !existsSync(at) && at !== path.dirname(at); at = path.dirname(at))
    missing.push(at)
  for (const each of missing.toReversed())
    try {
      mkdirSync(each, { mode })
    } catch (error) {
      // Another process may have made it meanwhile.
      if (!statSync(each, { throwIfNoEntry: false })?.isDirectory()) throw error
    }
  if (missing.length === 0) mkdirSync(folder, { recursive: true, mode })
}
