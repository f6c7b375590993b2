import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createDataFolder, type DataFolder, type DataFolderPorts } from '../data-folder/data-folder.ts'
import { databaseName, isPassing } from '../data-folder/folder-content.ts'
import { openComputerDocument } from '../this-computer/computer-document.ts'

/** Whose data the tests' folders hold. */
export const installation = 'a'.repeat(32)

/** Fills a folder as the service does: database, recordings, uploaded files, and what is of the moment. */
export function fillData(folder: string, files = 6, bytes = 200_000): void {
  mkdirSync(path.join(folder, 'recordings', 'c'.repeat(32)), { recursive: true })
  mkdirSync(path.join(folder, 'files', 'incoming'), { recursive: true })
  writeFileSync(path.join(folder, databaseName), randomBytes(50_000))
  writeFileSync(path.join(folder, `${databaseName}-wal`), randomBytes(3_000))
  writeFileSync(path.join(folder, `${databaseName}-shm`), 'of the moment')
  writeFileSync(path.join(folder, 'lock.db'), 'of the moment')
  writeFileSync(path.join(folder, 'files', '录像 %20 -x'), randomBytes(10))
  writeFileSync(path.join(folder, 'files', 'empty'), '')
  for (let n = 0; n < files; n++)
    writeFileSync(path.join(folder, 'recordings', 'c'.repeat(32), `${n}.mp4`), randomBytes(bytes))
}

/** What lies in a data folder, by digest; what is of the moment is left out. */
export const digestsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !(entry.parentPath === folder && isPassing(entry.name)))
      .map((entry) => {
        const file = path.join(entry.parentPath, entry.name)
        return [path.relative(folder, file), createHash('sha256').update(readFileSync(file)).digest('hex')] as const
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

/** A data folder over a document on disk, with a service that only notes what it is told. */
export async function openDataFolder(
  home: string,
  more: Partial<DataFolderPorts> = {},
): Promise<DataFolder & { readonly said: string[] }> {
  const said: string[] = []
  const data = createDataFolder({
    home,
    usual: path.join(home, 'service'),
    named: false,
    installation,
    store: await openComputerDocument(home),
    now: () => Date.now(),
    random: randomBytes,
    service: {
      hold: () => {
        said.push('hold')
        return Promise.resolve()
      },
      release: (folder) => said.push(`release: ${folder}`),
    },
    changed: () => undefined,
    log: (line) => said.push(`log: ${line}`),
    ...more,
  })
  return { ...data, said }
}
