import type { WebSocket } from 'ws'

/** The pages that are open, each of a session. */
export interface OpenPages {
  /** Whether a holder may open one more page. Where there is no more in all, the newest page of who has most makes room, if that is more than the newcomer has then. */
  hasPlace(holder: string): boolean
  /** Takes a page in until it is closed. */
  add(page: WebSocket, of: { readonly session: string; readonly holder: string }): void
  /** Ends the pages of a session at once. */
  end(session: string): void
  /** Ends pages whose session is none any more, and those that gave no sign of life since the last time; asks the others for one. */
  check(): void
  close(): void
}

/** Makes them with none open. */
export function createOpenPages(options: {
  readonly maxPages: number
  readonly pagesOfHolder: number
  /** Whose pages a session opens; undefined for none of ours. */
  readonly holder: (session: string) => string | undefined
  /** Every connection of a page, also one that made room and is not closed yet. */
  readonly connections: () => Iterable<WebSocket>
}): OpenPages {
  const pages = new Map<WebSocket, { readonly session: string; readonly holder: string }>()
  const alive = new WeakSet<WebSocket>()
  return {
    hasPlace: (holder) => {
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
    add: (page, of) => {
      pages.set(page, of)
      alive.add(page)
      page.on('pong', () => {
        alive.add(page)
      })
      page.once('close', () => {
        pages.delete(page)
      })
    },
    end: (session) => {
      for (const [page, of] of pages) if (of.session === session) page.terminate()
    },
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
