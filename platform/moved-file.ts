import { rename as renameFile } from 'node:fs/promises'

/** How long another program may block a move, in ms. Virus scanners hold new files for a second or two. */
const patience = 5_000
const longestWait = 200

/** Dependencies of a move; by default the system's. */
export interface MovePorts {
  readonly platform?: NodeJS.Platform
  readonly rename?: (from: string, to: string) => Promise<void>
  readonly wait?: (ms: number) => Promise<void>
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

/** Renames over the target; rejects with the system's error. On Windows retried for 5 s while either file is open. */
export async function moveFile(
  from: string,
  to: string,
  { platform = process.platform, rename = renameFile, wait = pause }: MovePorts = {},
): Promise<void> {
  for (let waited = 0, next = 10; ; next = Math.min(next * 2, longestWait)) {
    try {
      return await rename(from, to)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (platform !== 'win32' || !['EPERM', 'EACCES', 'EBUSY'].includes(code) || waited >= patience) throw error
    }
    await wait(next)
    waited += next
  }
}
