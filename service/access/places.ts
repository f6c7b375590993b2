import { householdOf } from '../../platform/address-group.ts'
import type { Access } from './access.ts'
import type { PagePlayers } from './page-players.ts'
import { isCounted, type Ground, type Player, type Players } from './players.ts'
import { isOwnKey } from './viewer-keys.ts'
import type { PlaceSeeker, WatchLimits } from './watch-limits.ts'

/** Places of players: who finds one, and for whom one is kept. */
export function createPlaces(options: {
  readonly access: Pick<Access, 'hasRoom' | 'isLimited' | 'mayWatch'>
  readonly limits: WatchLimits
  readonly players: Players
  readonly pages: PagePlayers
  readonly uidOf: (cid: string) => number | undefined
}) {
  const { access, limits, players, pages, uidOf } = options
  /** The application whose limits hold for somebody. */
  const boundBy = (cid: string, ground: Ground): number | undefined => (isCounted(ground) ? uidOf(cid) : undefined)

  /** A player has left: whoever comes next by that name has its place for some seconds. */
  const keep = (cid: string, name: string, { ground, from }: Pick<Player, 'ground' | 'from'>): void => {
    const uid = boundBy(cid, ground)
    if (uid !== undefined && from !== undefined && access.mayWatch(cid, ground)) limits.left(uid, name, from)
  }
  /** Ends the HLS player of a page, or of who says its key; its place is kept by `name`. */
  const stopPolling = (cid: string, key: string, page?: string, name = key): void => {
    // Several may be one by address and User-Agent: who began it may end it.
    if (!isOwnKey(key) && (page === undefined || players.pollingFor(cid, key) !== page)) return
    const player = players.stopped(cid, key)
    if (player) keep(cid, name, player)
  }
  return {
    keep,
    stopPolling,
    /** Whether a new player gets a place. */
    hasRoom(cid: string, seeker: PlaceSeeker): boolean {
      const uid = boundBy(cid, seeker.ground)
      return uid === undefined || (access.hasRoom(cid, seeker.ground) && limits.admits(uid, cid, seeker))
    },
    /** Whether there is a limit, so that pages are told apart. */
    isLimited(cid: string, ground: Ground): boolean {
      const uid = boundBy(cid, ground)
      return uid !== undefined && (limits.isLimited(uid) || access.isLimited(cid, ground))
    },
    /** A page asks for a playlist. If its browser got another key meanwhile, its player goes on by that. */
    pagePolls(cid: string, page: string, key: string, from: string): void {
      const former = pages.polls(page, key, householdOf(from))
      if (former !== undefined) stopPolling(cid, former, page, page)
    },
    /** A page is closed or loaded again: its HLS player ends, and its place is kept for it. */
    pageLeaves(cid: string, page: string): void {
      const [key, uid] = [pages.leaves(page), uidOf(cid)]
      if (key !== undefined) stopPolling(cid, key, page)
      if (uid !== undefined) limits.leaves(uid, page)
    },
    /** How many pages wait before this one; undefined when there is room. */
    ahead(cid: string, seeker: PlaceSeeker & { readonly page: string }): number | undefined {
      const uid = boundBy(cid, seeker.ground)
      return uid === undefined ? undefined : limits.ahead(uid, cid, seeker)
    },
    /** Whether a place is kept for somebody. */
    isKept(cid: string, seeker: PlaceSeeker): boolean {
      const uid = boundBy(cid, seeker.ground)
      return uid !== undefined && limits.isKept(uid, cid, seeker)
    },
    /** Whether there are places, and the household of somebody has its share of them. */
    isShareFull(cid: string, seeker: PlaceSeeker): boolean {
      const uid = boundBy(cid, seeker.ground)
      return uid !== undefined && limits.isShareFull(uid, cid, seeker)
    },
  }
}
