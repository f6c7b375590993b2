import type { Page } from 'playwright/test'

/** Calls of a page to the app. */
export interface Calls {
  /** Paths of those that were not answered yet. */
  readonly open: () => readonly string[]
}

/** What ends the JSON of a frame that has bytes behind it. */
const delimiter = 0xff
/** A frame of oRPC: a request names a path, the first frame with its number that comes back is its answer. */
interface Frame {
  readonly i: string
  readonly t?: number
  readonly p?: { readonly u?: string }
}
const read = (payload: string | Uint8Array): Frame => {
  const bytes = Buffer.from(payload)
  const end = bytes.indexOf(delimiter)
  return JSON.parse(bytes.toString('utf8', 0, end < 0 ? bytes.length : end)) as Frame
}

/** Follows the calls of a page over its connection, from before it is opened. */
export function watchCalls(page: Page): Calls {
  let open = new Map<string, string>()
  // The calls of a document go with it, and nothing tells of the end of its connection; the next one need not have one (a seat that is not signed in).
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) open = new Map()
  })
  page.on('websocket', (socket) => {
    // A page has one connection.
    const asked = (open = new Map<string, string>())
    socket.on('framesent', ({ payload }) => {
      const { i, t, p } = read(payload)
      // Only requests have no type; what follows them in a stream has one.
      if (t === undefined) asked.set(i, p?.u ?? '')
    })
    socket.on('framereceived', ({ payload }) => asked.delete(read(payload).i))
    socket.on('close', () => asked.clear())
  })
  return { open: () => [...open.values()] }
}
