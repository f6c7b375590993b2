import { constants } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import path from 'node:path'
import { reasonOf } from '../failure.ts'
import { clearPlace, missStore, noteStore, setStoreAside } from '../../platform/stores.ts'

/** Seats whose revocation is not in DATA/seats.json yet, kept where a full disk still takes them. */
export interface RevocationMarks {
  /** Those that an earlier run left. */
  readonly left: readonly string[]
  /** Replaces them. Resolves with whether they are on the disk. */
  put(ids: readonly string[]): Promise<boolean>
}

/** Ids of 200 seats with a line break each are 3,400 bytes. */
const size = 4_096

/**
 * Opens DATA/revoked-seats, a file of one fixed size. It takes its room when there is some and is written over in place later, which a full disk
 * allows on file systems that do not copy on write. Elsewhere, and where it could not be made, `put` says that nothing was kept.
 */
export async function openRevocationMarks(dataDir: string, log: (line: string) => void): Promise<RevocationMarks> {
  const file = path.join(dataDir, 'revoked-seats')
  const write = async (ids: readonly string[]): Promise<void> => {
    const handle = await open(file, constants.O_RDWR | constants.O_CREAT, 0o600)
    try {
      await handle.write(
        Buffer.from(
          ids
            .map((id) => `${id}\n`)
            .join('')
            .padEnd(size, '\n'),
        ),
        0,
        size,
        0,
      )
      await handle.datasync()
    } finally {
      await handle.close()
    }
  }
  const read = async (): Promise<string | undefined> => {
    clearPlace(file)
    try {
      return await readFile(file, 'latin1')
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EACCES' || code === 'EPERM') setStoreAside(file, 'unreadable', `it may not be read (${code})`)
      else if (code === 'ENOENT') missStore(file)
      else throw error
      return undefined
    }
  }
  const put = async (ids: readonly string[]): Promise<boolean> => {
    try {
      await write(ids)
      return true
    } catch {
      return false
    }
  }
  let text = await read()
  if (text !== undefined && (text.length !== size || !/^(?:[0-9a-f]{16}\n)*\n*$/.test(text))) {
    setStoreAside(file, 'damaged', 'it does not have the expected form')
    text = undefined
  }
  if (text === undefined && (await put([]))) {
    try {
      noteStore(file)
    } catch (error) {
      // A full disk took this file and not the list: it is only not missed when it is gone.
      log(`the list of stores was not written: ${reasonOf(error)}`)
    }
  }
  return { left: (text ?? '').split('\n').filter((line) => line !== ''), put }
}
