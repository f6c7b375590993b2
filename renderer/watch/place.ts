import { watchPath } from '../../contract/watch.ts'

const at = location.pathname.lastIndexOf(watchPath)

/** Of a proxy, or empty; precedes all paths of the service. */
export const root = location.pathname.slice(0, at)
/** The channel of the page's address. */
export const channel = location.pathname.slice(at + watchPath.length).split('/')[0]!
