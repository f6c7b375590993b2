import { readdir, rm, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { jsonFile } from '../../platform/json-file.ts'
import { markName } from './folder-content.ts'

const Mark = z.object({
  version: z.literal(1),
  installation: z.string(),
  /** The folder did not exist before. */
  made: z.boolean(),
  names: z.array(z.string()),
})

/** Says whose an unfinished copy is, and which names in it may be removed. */
type Mark = z.infer<typeof Mark>

/** Only names directly in the folder: an edited mark removes nothing elsewhere. */
const isName = (name: string): boolean => name !== '' && name !== '.' && name !== '..' && name === path.basename(name)

const markFile = (folder: string) => jsonFile(path.join(folder, markName), (raw) => Mark.parse(raw), { foreign: true })

/** Marks a folder, flushed to the disk. */
export const writeMark = (folder: string, mark: Mark): Promise<void> => markFile(folder).save(mark)

/** Reads our mark; undefined if there is none. */
export async function readMark(folder: string, installation: string): Promise<Mark | undefined> {
  const mark = await markFile(folder)
    .load()
    .catch(() => undefined)
  return mark?.installation === installation ? mark : undefined
}

/** Takes the mark away: the data in the folder are in use. */
export async function removeMark(folder: string): Promise<void> {
  for (const name of [markName, `${markName}.new`]) await rm(path.join(folder, name), { force: true })
}

/** Removes these names, and with `whole` the folder if it is empty then. */
export async function removeNames(folder: string, names: readonly string[], whole: boolean): Promise<void> {
  for (const name of names.filter(isName))
    await rm(path.join(folder, name), { recursive: true, force: true, maxRetries: 3 })
  if (!whole) return
  const left = await readdir(folder).catch(() => [])
  // Files of others stay.
  if (left.length === 0) await rmdir(folder).catch(() => undefined)
}

/** Removes what an interrupted move left; nothing without a mark of ours. */
export async function removePartial(folder: string, installation: string, made: boolean): Promise<void> {
  const mark = await readMark(folder, installation)
  if (mark === undefined) {
    // Killed before the mark was complete.
    await rm(path.join(folder, `${markName}.new`), { force: true }).catch(() => undefined)
    if (made) await removeNames(folder, [], true)
    return
  }
  await removeNames(folder, mark.names, false)
  await removeMark(folder)
  await removeNames(folder, [], mark.made)
}
