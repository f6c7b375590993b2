import type { IncomingHttpHeaders } from 'node:http'
import { pageHeader } from '../../contract/watch.ts'
import type { Clock } from '../../platform/clock.ts'

/** Shape of the id that a watch page gives its requests for media (`?page=`). */
const shape = /^[0-9A-Za-z_-]{16,64}$/
/** A page that has not asked for a playlist for so long plays over a connection; ms. */
const pollingFor = 15_000
/** Pages remembered; the one that asked longest ago is forgotten. */
const maxPages = 20_000

interface PagePlayer {
  /** Ends its connection, and counts it no more at once. */
  readonly end: (() => void) | undefined
  readonly polled: number
  /** What told its browser from others when it asked for a playlist. */
  readonly key?: string | undefined
}

/** What each watch page plays. */
export type PagePlayers = ReturnType<typeof createPagePlayers>

/**
 * What each watch page plays. After a break of the network its old connection is dead without a word for a while: the
 * next one of the page takes its place, so that nobody counts twice.
 */
export function createPagePlayers({ monotonic }: Pick<Clock, 'monotonic'>) {
  const pages = new Map<string, PagePlayer>()
  const set = (page: string, player: PagePlayer): void => {
    pages.delete(page)
    if (pages.size >= maxPages) pages.delete(pages.keys().next().value!)
    pages.set(page, player)
  }
  return {
    /** The page of a request; undefined for other players. */
    pageOf(cid: string, query: unknown): string | undefined {
      const { page } = query as { readonly page?: unknown }
      return typeof page === 'string' && shape.test(page) ? `${cid} ${page}` : undefined
    },
    /** The page that a request for the state is of; undefined where it does not say which it is. */
    ofHeaders(cid: string, headers: IncomingHttpHeaders): string | undefined {
      return this.pageOf(cid, { page: headers[pageHeader] })
    },
    /** Whether that page plays now; undefined where it does not say which it is. */
    isPlaying(cid: string, headers: IncomingHttpHeaders): boolean | undefined {
      const page = this.ofHeaders(cid, headers)
      if (page === undefined) return undefined
      const known = pages.get(page)
      return known !== undefined && (known.end !== undefined || known.polled >= monotonic() - pollingFor)
    },
    /** What told its browser from others when it last asked for a playlist: it may play media by another program. */
    keyOf: (page: string): string | undefined => pages.get(page)?.key,
    /** A page connects: its connection from before ends. Whether there was one. */
    connects(page: string): boolean {
      const known = pages.get(page)
      if (!known?.end) return false
      pages.set(page, { ...known, end: undefined })
      known.end()
      return true
    },
    /** It is connected; the returned function notes that it is not any more. */
    connected(page: string, end: () => void): () => void {
      set(page, { polled: -Infinity, ...pages.get(page), end })
      return () => {
        const known = pages.get(page)
        if (known?.end === end) pages.set(page, { ...known, end: undefined })
      }
    },
    /**
     * A page asks for a playlist. Its connection ends if it played over that; while it polls it may try one. The key
     * that it had so far, if that was another one.
     */
    polls(page: string, key: string): string | undefined {
      const known = pages.get(page)
      const isNew = (known?.polled ?? -Infinity) < monotonic() - pollingFor
      if (isNew) this.connects(page)
      set(page, { end: pages.get(page)?.end, polled: monotonic(), key })
      return isNew || known?.key === key ? undefined : known?.key
    },
    /** A page is closed or loaded again; the key of its HLS player, if that played. Its connection closes by itself. */
    leaves(page: string): string | undefined {
      const known = pages.get(page)
      if (!known || known.polled < monotonic() - pollingFor) return undefined
      pages.set(page, { ...known, polled: -Infinity })
      return known.key
    },
  }
}
