import { root } from './place.ts'
import { randomId } from './random-id.ts'

/** By address, as frames of one tab share this storage. */
const keptId = (): string => `sidestage-page ${location.pathname}${location.search}`

/** The id that this page had before it was loaded again, or a new one; a copy of a tab has its own. */
function takeId(): string {
  try {
    const id = sessionStorage.getItem(keptId())
    sessionStorage.removeItem(keptId())
    return id ?? randomId()
  } catch {
    // Without storage, as in a frame of another site, each load is a new page.
    return randomId()
  }
}
/** Tells the service which player is of this page: a later one takes the place of an earlier one. */
export const pageId = takeId()

/** Keeps the id for the next load of this page: stored only while none is loaded, so that copies do not have it. */
export function keepPageId(): void {
  try {
    sessionStorage.setItem(keptId(), pageId)
  } catch {
    // As above.
  }
}
/** The page goes on, as after "back". */
export function forgetKeptPageId(): void {
  try {
    sessionStorage.removeItem(keptId())
  } catch {
    // As above.
  }
}

/** Address of a stream for this page; null without one. */
export const streamOf = (path: string | undefined): string | null =>
  path === undefined ? null : `${root}${path}?page=${pageId}`
