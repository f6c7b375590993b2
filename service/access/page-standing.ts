import type { Clock } from '../../platform/clock.ts'
import type { Bus } from '../bus/bus.ts'
import type { NodeCommands } from '../bus/node-commands.ts'
import { createNodeQuestion, NoAnswer } from '../bus/node-questions.ts'
import type { Access } from './access.ts'
import type { Doors } from './doors.ts'
import type { Ground } from './players.ts'

/** A page that was let in and asks how it stands: a plain value, as another node may be asked. */
export interface StandingPage {
  readonly cid: string
  readonly ground: Ground
  /** Group of its address. */
  readonly from: string
  /** What tells its browser from others. */
  readonly key: string
  /** Where it says which it is. */
  readonly page?: string
  /** Cookie of its turn; `isKnown`: the browser had it already. */
  readonly turn: string
  readonly isKnown: boolean
}

/** Why a page that was let in does not play: nothing where it plays, or has room. */
export interface Standing {
  readonly gate?: 'full'
  readonly ahead?: number
  readonly isLinkFull?: true
  readonly takesPassphrase?: true
  readonly isShareFull?: true
  /** It has no player and no kept place: its browser is to have the cookie of its turn. */
  readonly takesTurn?: true
}

/** What a node of a cluster needs for it. */
export interface StandingElsewhere {
  readonly bus: Pick<Bus, 'up'>
  readonly clock: Pick<Clock, 'after'>
  readonly commands: NodeCommands
  /** The node that has the push of a channel, where that is another one. */
  readonly owner: (cid: string) => string | undefined
}

/**
 * How pages stand, in the order in which they wait. In a cluster the node that has the push of a channel says so: it
 * has all players of the channel, their households, the places that are kept, and the line.
 */
export function createPageStanding(options: {
  readonly access: Pick<Access, 'row'>
  readonly doors: Pick<
    Doors,
    | 'pages'
    | 'isThere'
    | 'isLinkFull'
    | 'isLinkLimited'
    | 'isLimited'
    | 'isKept'
    | 'ahead'
    | 'isShareFull'
    | 'pageLeaves'
  >
  readonly elsewhere?: StandingElsewhere | undefined
}) {
  const { access, doors, elsewhere } = options
  const here = ({ cid, ground, from, key, page, turn, isKnown }: StandingPage): Standing => {
    // One that does not say which page it is, and has no cookie of its turn, has the key of all players of such a
    // browser at its address. None of them came with a link that bounds its players: those get the cookie with their
    // first look.
    const isTold = isKnown || !doors.isLinkLimited(cid, ground)
    if (page === undefined ? isTold && doors.isThere(cid, key) : doors.pages.plays(page)) return {}
    const isLinkFull = doors.isLinkFull(cid, ground)
    const keyOfPage = page === undefined ? undefined : doors.pages.keyOf(page)
    const seeker = { page: page ?? turn, key: keyOfPage ?? key, from, ground }
    // Without a new cookie, by which its player would not be known.
    if (!isLinkFull && doors.isKept(cid, seeker)) return {}
    const ahead = isLinkFull ? undefined : doors.ahead(cid, seeker)
    return {
      takesTurn: true,
      ...(isLinkFull && { gate: 'full', isLinkFull }),
      // It would have come by the passphrase, if it had given that.
      ...(isLinkFull && access.row(cid).mode === 'passphrase' && { takesPassphrase: true }),
      ...(ahead !== undefined && { gate: 'full', ahead }),
      ...(ahead !== undefined && doors.isShareFull(cid, seeker) && { isShareFull: true }),
    }
  }
  const ask =
    elsewhere &&
    createNodeQuestion({ ...elsewhere, name: 'page-standing', answer: here, within: 1000, mostWaiting: 10_000 })
  const left = elsewhere?.commands.kind<{ readonly cid: string; readonly page: string }>('page-left', ({ cid, page }) =>
    doors.pageLeaves(cid, page),
  )
  return {
    /** A page asks. Where the node with the push does not answer, it may try, and is refused there if it must wait. */
    of(page: StandingPage): Standing | Promise<Standing> {
      const owner = elsewhere?.owner(page.cid)
      if (!ask || owner === undefined || !doors.isLimited(page.cid, page.ground)) return here(page)
      if (!elsewhere.bus.up()) return {}
      return ask(owner, page).catch((error: unknown) => {
        if (error instanceof NoAnswer) return {}
        throw error
      })
    },
    /** A page is closed or loaded again. */
    leaves(cid: string, page: string) {
      doors.pageLeaves(cid, page)
      const owner = elsewhere?.owner(cid)
      if (owner !== undefined) left?.(owner, { cid, page })
    },
  }
}

/** How pages stand. */
export type PageStanding = ReturnType<typeof createPageStanding>
