import type { WebSocket } from 'ws'

/** Makes an empty set. */
export function createOpenPages(options: {
  readonly maxPages: number
  readonly pagesOfHolder: number
  /** Undefined for an invalid session. */
  readonly holder: (session: string) => string | undefined
  readonly connections: () => Iterable<WebSocket>
}) {
  const pages = new Map<WebSocket, { readonly session: string; readonly holder: string }>()
  const alive = new WeakSet<WebSocket>()
  return {
    /** Whether a holder may open one more page. When full, who has most loses their newest, if that stays fair. */
    hasPlace: (holder: string): boolean => {
      const byHolder = Map.groupBy(pages, ([, of]) => of.holder)
      const own = byHolder.get(holder)?.length ?? 0
      if (own >= options.pagesOfHolder) return false
      if (pages.size < options.maxPages) return true
      const [most = []] = [...byHolder.values()].sort((a, b) => b.length - a.length)
      const newest = most.at(-1)?.[0]
      if (!newest || most.length <= own + 1) return false
      pages.delete(newest)
      newest.terminate()
      return true
    },
    add: (page: WebSocket, of: { readonly session: string; readonly holder: string }) => {
      pages.set(page, of)
      alive.add(page)
      page.on('pong', () => alive.add(page))
      page.once('close', () => pages.delete(page))
    },
    end: (session: string) => {
      for (const [page, of] of pages) if (of.session === session) page.terminate()
    },
    /** Ends pages without a session or sign of life; pings the others. */
    check: () => {
      for (const [page, { session }] of pages) if (options.holder(session) === undefined) page.terminate()
      for (const page of options.connections()) {
        if (!alive.delete(page)) page.terminate()
        else page.ping()
      }
    },
    close: () => {
      for (const page of options.connections()) page.terminate()
    },
  }
}
