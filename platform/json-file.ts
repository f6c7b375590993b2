import { readFile } from 'node:fs/promises'
import { writeAtomically } from './atomic-file.ts'
import { clearPlace, DamagedStore, missStore, noteStore, setStoreAside } from './stores.ts'
import { createSerial } from './serial.ts'

/** A small file that is the old or the new version, even after kill -9 during a write. */
export interface JsonFile<T> {
  /** Undefined if there is none; a damaged or newer one is quarantined and counts as none. Rejects with disk errors. */
  load(): Promise<T | undefined>
  /** Replaces the document; calls run in order. */
  save(value: T): Promise<void>
}

const largest = 4 * 1024 * 1024
/** Newest version of documents with `version`. */
const newest = 1

const versionOf = (raw: unknown): number | undefined => {
  const version = typeof raw === 'object' && raw !== null ? (raw as { version?: unknown }).version : undefined
  return typeof version === 'number' ? version : undefined
}

/** Reads a document; throws DamagedStore, or the system's error. */
async function readDocument<T>(file: string, read: (raw: unknown) => T): Promise<T> {
  const bytes = await readFile(file)
  if (bytes.length > largest) throw new DamagedStore('damaged', 'it is larger than expected')
  let raw: unknown
  try {
    raw = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown
  } catch (error) {
    throw new DamagedStore(
      'damaged',
      bytes.length === 0 ? 'the file is empty' : `it is not JSON: ${(error as Error).message.slice(0, 100)}`,
    )
  }
  const version = versionOf(raw)
  if (version !== undefined && version > newest)
    throw new DamagedStore('newer', `it was made by a newer Sidestage (form ${version}, this one knows ${newest})`)
  try {
    return read(raw)
  } catch (error) {
    throw Object.assign(new DamagedStore('damaged', 'it does not have the expected form'), { cause: error })
  }
}

/**
 * A JSON document at `file` (0600), replaced atomically. `read` validates it and throws. `foreign`: the folder may be
 * another program's, so an invalid document is refused and left in place. `passing`: the document may be absent at any
 * time and is not reported missing.
 */
export function jsonFile<T>(
  file: string,
  read: (raw: unknown) => T,
  {
    foreign = false,
    passing = false,
    now = Date.now,
  }: { readonly foreign?: boolean; readonly passing?: boolean; readonly now?: () => number } = {},
): JsonFile<T> {
  const inTurn = createSerial()
  let noted = false
  /** Failure is harmless: the list of stores is written with the next change. */
  const note = (): void => {
    if (noted || foreign || passing) return
    try {
      noteStore(file, now)
      noted = true
    } catch {
      noted = false
    }
  }
  return {
    load: async () => {
      if (!foreign) clearPlace(file, now)
      try {
        const value = await readDocument(file, read)
        note()
        return value
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code
        if (code === 'ENOENT') {
          if (!foreign && !passing) missStore(file, now)
          return undefined
        }
        if (foreign) throw error
        if (error instanceof DamagedStore) setStoreAside(file, error.reason, error.message, now)
        else if (code === 'EACCES' || code === 'EPERM')
          setStoreAside(file, 'unreadable', `it may not be read (${code})`, now)
        else throw error
        return undefined
      }
    },
    save: (value) => {
      const text = `${JSON.stringify(value, null, 2)}\n`
      return inTurn(async () => {
        await writeAtomically(file, text)
        note()
      })
    },
  }
}

/** Loads a document, kept in memory equal to that on disk; `first` if there is none. */
export async function keptDocument<T>(file: JsonFile<T>, first: T) {
  let value = (await file.load()) ?? first
  const inTurn = createSerial()
  return {
    value: () => value,
    /** Applies changes in order, each to the last state. It takes effect once written; rejects without a change. */
    change: (update: (value: T) => T) =>
      inTurn(async () => {
        const changed = update(value)
        if (changed === value) return
        await file.save(changed)
        value = changed
      }),
  }
}
