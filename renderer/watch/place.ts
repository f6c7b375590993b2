import { watchPath } from '../../contract/watch.ts'

const at = location.pathname.lastIndexOf(watchPath)

/** The path below which the service is reached: empty unless a proxy serves it below one. Paths that the service tells are put after it. */
export const root = location.pathname.slice(0, at)
/** The channel that the page's address names. */
export const channel = location.pathname.slice(at + watchPath.length).split('/')[0]!
