import { constants } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import path from 'node:path'
import { reasonOf } from '../failure.ts'
import { clearPlace, missStore, noteStore, setStoreAside } from '../../platform/stores.ts'

/** Revocations not written to DATA/seats.json yet, kept where a full disk accepts them. */
interface RevocationMarks {
  readonly left: readonly string[]
  /** Replaces them; resolves with whether they are on the disk. */
  put(ids: readonly string[]): Promise<boolean>
}

/** 200 ids with line breaks are 3,400 bytes. */
const size = 4_096

/** Opens DATA/revoked-seats, a file of fixed size: most file systems can overwrite it on a full disk. */
export async function openRevocationMarks(dataDir: string, log: (line: string) => void): Promise<RevocationMarks> {
  const file = path.join(dataDir, 'revoked-seats')
  const write = async (ids: readonly string[]): Promise<void> => {
    const handle = await open(file, constants.O_RDWR | constants.O_CREAT, 0o600)
    try {
      await handle.write(Buffer.from(ids.join('\n').padEnd(size, '\n')), 0, size, 0)
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
      // The file was written but not listed: its loss would go unnoticed.
      log(`the list of stores was not written: ${reasonOf(error)}`)
    }
  }
  return { left: (text ?? '').split('\n').filter((line) => line !== ''), put }
}
