import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { Failure } from '../failure.ts'

/** Checks a path before it is shown: a plain file of this number in the service's folder. Throws Failure. */
export async function checkedPlace(folder: string, vid: number, file: string | undefined): Promise<string> {
  const place = file === undefined ? undefined : path.resolve(file)
  const within = place === undefined ? '..' : path.relative(path.resolve(folder), place)
  const named = place !== undefined && (path.basename(place) === `${vid}.mp4` || path.basename(place) === `${vid}.flv`)
  if (!named || within === '' || path.isAbsolute(within) || within.split(path.sep).includes('..'))
    throw new Failure('notOurs', 'the file is not within the folder of the service')
  const found = await lstat(place).catch(() => undefined)
  if (!found?.isFile()) throw new Failure('absent', 'the file is not on the disk any more')
  return place
}
