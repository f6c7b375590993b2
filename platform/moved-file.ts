import { rename as renameFile } from 'node:fs/promises'

/** How long a program may keep a file from being moved, in ms. Scanners of viruses look at what was just written for a second or two. */
const patience = 5_000
const longestWait = 200

/** What a move goes by; the system's own when absent. */
export interface MovePorts {
  readonly platform?: NodeJS.Platform
  readonly rename?: (from: string, to: string) => Promise<void>
  readonly wait?: (ms: number) => Promise<void>
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

/**
 * Moves a file to a place on the same disk, over a file that is there. Windows refuses that while another program has either of the two
 * open, so it is tried again for 5 s there. Rejects with the system's error.
 */
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
