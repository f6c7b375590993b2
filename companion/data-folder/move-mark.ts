import { readdir, rm, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { jsonFile } from '../../platform/json-file.ts'
import { markName } from './folder-content.ts'

const Mark = z.object({
  version: z.literal(1),
  /** Whose copy it is: no other app's files are touched. */
  installation: z.string(),
  /** The folder did not exist before. */
  made: z.boolean(),
  /** Names at its top that the move writes. */
  names: z.array(z.string()),
})

/** What stands in a folder from before its first byte is copied until the data are used there: whose it is, and what of it may be removed. */
export type Mark = z.infer<typeof Mark>

/** Only names that a folder can have at its top: a mark that somebody edited removes nothing elsewhere. */
const isName = (name: string): boolean => name !== '' && name !== '.' && name !== '..' && name === path.basename(name)

const markFile = (folder: string) => jsonFile(path.join(folder, markName), (raw) => Mark.parse(raw), { foreign: true })

/** Marks a folder, on the disk itself. */
export const writeMark = (folder: string, mark: Mark): Promise<void> => markFile(folder).save(mark)

/** Reads the mark; undefined when there is none of ours. */
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

/** Removes these names from a folder, and the folder itself when it is empty then and `whole` says so. */
export async function removeNames(folder: string, names: readonly string[], whole: boolean): Promise<void> {
  for (const name of names.filter(isName))
    await rm(path.join(folder, name), { recursive: true, force: true, maxRetries: 3 })
  if (!whole) return
  const left = await readdir(folder).catch(() => [])
  // What somebody else put there stays, and the folder with it.
  if (left.length === 0) await rmdir(folder).catch(() => undefined)
}

/** Removes what a move that did not end left in a folder, and the folder when the move `made` it; nothing else where there is no mark of ours. */
export async function removePartial(folder: string, installation: string, made: boolean): Promise<void> {
  const mark = await readMark(folder, installation)
  if (mark === undefined) {
    // Killed between the folder and its mark: half a mark is not read.
    await rm(path.join(folder, `${markName}.new`), { force: true }).catch(() => undefined)
    if (made) await removeNames(folder, [], true)
    return
  }
  await removeNames(folder, mark.names, false)
  await removeMark(folder)
  await removeNames(folder, [], mark.made)
}
