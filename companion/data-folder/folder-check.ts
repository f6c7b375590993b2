import { mkdtemp, readdir, realpath, rmdir, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import type { FolderFault } from '../../contract/rpc/index.ts'
import { databaseName, readContent } from './folder-content.ts'
import { readMark } from './move-mark.ts'
import { isOnNetwork } from './network-drive.ts'
import { unkeepableName } from '../../platform/path-names.ts'

/** Bytes that stay free after a move: what recording leaves free, twice. */
export const spareBytes = 1_073_741_824

/** What a look at a folder came to; nothing was changed. */
interface FolderAnswer {
  readonly path: string
  readonly fault: FolderFault | null
  readonly need: number
  readonly free: number
  readonly detail: string | null
}

const isWithin = (inner: string, outer: string): boolean => {
  const way = path.relative(outer, inner)
  return way === '' || (!path.isAbsolute(way) && way.split(path.sep)[0] !== '..')
}

/** The path with links resolved as far as it exists. */
async function real(place: string): Promise<{ whole: string; existing: string }> {
  const rest: string[] = []
  for (let at = place; ; at = path.dirname(at)) {
    const found = await realpath(at).catch(() => undefined)
    if (found !== undefined) return { whole: path.join(found, ...rest), existing: found }
    if (path.dirname(at) === at) return { whole: place, existing: at }
    rest.unshift(path.basename(at))
  }
}

/** Whether we can write: tried, because permissions do not tell on every system. */
async function takes(folder: string): Promise<boolean> {
  try {
    await rmdir(await mkdtemp(path.join(folder, '.sidestage-')))
    return true
  } catch {
    return false
  }
}

/** Where data would lie in a chosen folder. */
async function placeIn(chosen: string, installation: string): Promise<{ place: string; fault: FolderFault | null }> {
  const found = await stat(chosen).catch(() => undefined)
  if (found && !found.isDirectory()) return { place: chosen, fault: 'file' }
  const names = found ? await readdir(chosen).catch(() => undefined) : []
  if (names === undefined) return { place: chosen, fault: 'refused' }
  if (names.length === 0 || (await readMark(chosen, installation))) return { place: chosen, fault: null }
  return { place: chosen, fault: names.includes(databaseName) ? 'data' : 'occupied' }
}

/** Checks a chosen folder. Rejects when the present data cannot be read. */
export async function lookAtFolder(
  chosen: string,
  question: {
    readonly present: string
    readonly home: string
    /** The only place inside the app's own folder that is allowed. */
    readonly usual: string
    readonly installation: string
  },
  platform = process.platform,
): Promise<FolderAnswer> {
  const answer = (at: string, fault: FolderFault | null, more: Partial<FolderAnswer> = {}): FolderAnswer => ({
    path: at,
    fault,
    need: 0,
    free: 0,
    detail: null,
    ...more,
  })
  if (!path.isAbsolute(chosen) || chosen.includes('\0')) return answer(chosen, 'relative')
  // By name first: to access a share of Windows is to sign in there.
  if (await isOnNetwork(path.resolve(chosen))) return answer(chosen, 'network')
  const bad = unkeepableName(chosen, platform)
  if (bad !== undefined) return answer(chosen, 'name', { detail: bad })
  const [present, home, usual] = await Promise.all(
    [question.present, question.home, question.usual].map(async (each) => (await real(each)).whole),
  )
  if (present === undefined || home === undefined || usual === undefined) return answer(chosen, 'relative')
  let { whole, existing } = await real(path.resolve(chosen))
  if (whole === present) return answer(whole, 'same')
  const isUsual = (at: string): boolean => at === usual
  if (isWithin(whole, present)) return answer(whole, 'inside')
  if (await isOnNetwork(whole)) return answer(whole, 'network')
  let { place, fault } = await placeIn(whole, question.installation)
  if (fault === 'occupied') {
    // Not empty: use a folder of our own inside it.
    ;({ whole, existing } = await real(path.join(whole, 'Sidestage')))
    if (whole === present) return answer(whole, 'same')
    ;({ place, fault } = await placeIn(whole, question.installation))
  }
  if (fault !== null) return answer(place, fault)
  if (isWithin(place, home) && !isUsual(place)) return answer(place, 'app')
  if (isWithin(present, place)) return answer(place, 'around')
  if (!(await takes(existing))) return answer(place, 'refused')
  const [content, disk] = await Promise.all([readContent(question.present), statfs(existing)])
  const figures = { need: content.bytes, free: disk.bavail * disk.bsize }
  if (content.strange !== undefined)
    return answer(place, 'link', { ...figures, detail: path.join(question.present, content.strange) })
  return answer(place, figures.free < figures.need + spareBytes ? 'space' : null, figures)
}
