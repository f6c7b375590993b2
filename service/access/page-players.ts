import type { IncomingHttpHeaders } from 'node:http'
import { pageHeader } from '../../contract/watch.ts'
import type { Clock } from '../../platform/clock.ts'

/** Shape of the id that a watch page gives its requests for media (`?page=`). */
const shape = /^[0-9A-Za-z_-]{16,64}$/
/** A page that has not asked for a playlist for so long plays over a connection; ms. */
const pollingFor = 15_000
/** A page takes its place to another household once in this time, so that several do not share one; ms. */
const moveEvery = 30_000
/** Pages whose playlists are remembered; the one that asked longest ago is forgotten. */
const maxPages = 20_000

interface Polling {
  readonly polled: number
  /** What told its browser from others when it asked for a playlist. */
  readonly key: string
  readonly household: string
  /** When it last came from another household with its place. */
  readonly moved: number
}

/** What each watch page plays. */
export type PagePlayers = ReturnType<typeof createPagePlayers>

/**
 * What each watch page plays. After a break of the network its old connection is dead without a word for a while: the
 * next one of the page takes its place, so that nobody counts twice.
 */
export function createPagePlayers(clock: Pick<Clock, 'monotonic'>) {
  const { monotonic } = clock
  /** Ends the connection of a page and counts it no more at once; as many as there are connections. */
  const connections = new Map<string, () => void>()
  const polling = new Map<string, Polling>()
  const isPolling = (page: string): boolean => (polling.get(page)?.polled ?? -Infinity) >= monotonic() - pollingFor
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
      return this.plays(page)
    },
    plays: (page: string): boolean => connections.has(page) || isPolling(page),
    /** What told its browser from others when it last asked for a playlist: it may play media by another program. */
    keyOf: (page: string): string | undefined => polling.get(page)?.key,
    /** A page connects: its connection from before ends. Whether there was one. */
    connects(page: string): boolean {
      const end = connections.get(page)
      if (!end) return false
      connections.delete(page)
      end()
      return true
    },
    /** It is connected; the returned function notes that it is not any more. */
    connected(page: string, end: () => void): () => void {
      connections.set(page, end)
      return () => {
        if (connections.get(page) === end) connections.delete(page)
      }
    },
    /**
     * A page asks for a playlist. Its connection ends if it played over that; while it polls it may try one. The key
     * that it had so far, if that was another one whose place it gives up.
     */
    polls(page: string, key: string, household: string): string | undefined {
      const known = polling.get(page)
      const isNew = !isPolling(page)
      const isElsewhere = known !== undefined && known.key !== key && known.household !== household
      const mayMove = !isElsewhere || known.moved < monotonic() - moveEvery
      if (isNew) this.connects(page)
      polling.delete(page)
      if (polling.size >= maxPages) polling.delete(polling.keys().next().value!)
      const moved = isElsewhere && mayMove ? monotonic() : (known?.moved ?? -Infinity)
      polling.set(page, { polled: monotonic(), key, household, moved })
      return isNew || !mayMove || known?.key === key ? undefined : known?.key
    },
    /** A page is closed or loaded again; the key of its HLS player, if that played. Its connection closes by itself. */
    leaves(page: string): string | undefined {
      const last = polling.get(page)
      if (!last || !isPolling(page)) return undefined
      polling.set(page, { ...last, polled: -Infinity })
      return last.key
    },
  }
}
