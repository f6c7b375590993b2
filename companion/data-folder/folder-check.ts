import { mkdtemp, readdir, realpath, rmdir, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import type { FolderFault } from '../../contract/rpc/index.ts'
import { databaseName, readContent } from './folder-content.ts'
import { readMark } from './move-mark.ts'
import { isOnNetwork } from './network-drive.ts'
import { unkeepableName } from '../../platform/path-names.ts'

/** Bytes that stay free after a move at least: as many as recording leaves free, and as many again to record into. */
export const spareBytes = 1_073_741_824

/** What a folder is looked at for. */
export interface FolderQuestion {
  /** The folder that data are moved from, and the app's own, of which it is a part at first. */
  readonly present: string
  readonly home: string
  /** Where data lie unless they were moved: the one place within the app's own folder that they may go to. */
  readonly usual: string
  readonly installation: string
}

/** What a look at a folder came to; nothing was changed. */
export interface FolderAnswer {
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

/** The path with every link followed, as far as it exists; what does not exist yet stays as it is. */
async function real(place: string): Promise<{ whole: string; existing: string }> {
  const rest: string[] = []
  for (let at = place; ; at = path.dirname(at)) {
    const found = await realpath(at).catch(() => undefined)
    if (found !== undefined) return { whole: path.join(found, ...rest), existing: found }
    if (path.dirname(at) === at) return { whole: place, existing: at }
    rest.unshift(path.basename(at))
  }
}

/** Whether we may make something in a folder: asked by doing it, since rights alone do not tell everywhere. */
async function takes(folder: string): Promise<boolean> {
  try {
    await rmdir(await mkdtemp(path.join(folder, '.sidestage-')))
    return true
  } catch {
    return false
  }
}

/** Where in a chosen folder data would lie: in itself while it is empty or half filled by us, else in one of our own within it. */
async function placeIn(chosen: string, installation: string): Promise<{ place: string; fault: FolderFault | null }> {
  const found = await stat(chosen).catch(() => undefined)
  if (found && !found.isDirectory()) return { place: chosen, fault: 'file' }
  const names = found ? await readdir(chosen).catch(() => undefined) : []
  if (names === undefined) return { place: chosen, fault: 'refused' }
  if (names.length === 0 || (await readMark(chosen, installation))) return { place: chosen, fault: null }
  return { place: chosen, fault: names.includes(databaseName) ? 'data' : 'occupied' }
}

/** Looks at a folder that somebody chose. Rejects when the present data cannot be read. */
export async function lookAtFolder(
  chosen: string,
  question: FolderQuestion,
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
  // By its name first: to look at a share of Windows is to sign in there.
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
    // Other people's files lie there: ours go into a folder of their own beside them.
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
