import { open, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'

/** A small document on disk that is either the old or the new one, also after a kill -9 in the middle of a write. */
export interface JsonFile<T> {
  /** The stored document, or undefined when there is none. Throws when it is there but does not pass `read`. */
  load(): Promise<T | undefined>
  /** Replaces the document; calls are carried out in order. */
  save(value: T): Promise<void>
}

const largest = 4 * 1024 * 1024

async function sync(directory: string): Promise<void> {
  // Windows cannot open a folder for that; there the rename itself is journalled.
  if (process.platform === 'win32') return
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function replace(file: string, text: string): Promise<void> {
  const fresh = `${file}.new`
  const handle = await open(fresh, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(fresh, file)
  await sync(path.dirname(file))
}

/** A JSON document at `file` (0600), written beside it, flushed and renamed over it. `read` checks the shape and throws when it is wrong. */
export function jsonFile<T>(file: string, read: (raw: unknown) => T): JsonFile<T> {
  let last: Promise<unknown> = Promise.resolve()
  return {
    load: async () => {
      let text: string
      try {
        text = await readFile(file, 'utf8')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
      if (text.length > largest) throw new Error(`${path.basename(file)} is larger than expected`)
      return read(JSON.parse(text) as unknown)
    },
    save: (value) => {
      const text = `${JSON.stringify(value, null, 2)}\n`
      const done = last.then(() => replace(file, text))
      last = done.catch(() => rm(`${file}.new`, { force: true })).catch(() => undefined)
      return done
    },
  }
}
