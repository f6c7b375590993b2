import type { EventFrame } from '../messaging/event.ts'
import type { Session } from './session.ts'
import type { Sessions } from './sessions.ts'
import type { LinkAccounts, LinkRelations, LinkTeams } from './sources.ts'

/** Kinds of client that a phone's owner sits at when donnop holds (2-messaging setDonnop). */
const desktops = new Set(['PC', 'WEB'])
const phones = new Set(['AOS', 'IOS', 'WINPHONE'])

/** What differs between receivers of one event. */
export interface Wish {
  readonly push: boolean
  readonly badge: boolean
}

/** What receivers want of events (decisions, Messaging: mute list, setDonnop, muteTeam). */
export interface Wishes {
  /** Whether an account wants push and badge for an event of `from`; undefined for a kind that no phone is notified of. */
  of(uid: number, accid: string, from: string, frame: EventFrame): Wish | undefined
  /** The same on one device of it. */
  on(session: Session, wish: Wish | undefined): Wish | undefined
}

/** Looks wishes up when an event is handed over, live or later. */
export function createWishes(options: {
  readonly accounts: Pick<LinkAccounts, 'find'>
  readonly teams: Pick<LinkTeams, 'isQuiet'>
  readonly relations: LinkRelations
  readonly sessions: Pick<Sessions, 'of'>
}): Wishes {
  const { accounts, teams, relations, sessions } = options
  return {
    of(uid, accid, from, frame) {
      if (frame.t !== 'message' && frame.t !== 'notification') return undefined
      const { push, badge } = frame
      if (accid === from) return { push: false, badge }
      if (frame.scene === 'team') return { push: push && !teams.isQuiet(uid, Number(frame.to), accid), badge }
      return relations.hasQuieted(uid, accid, from) ? { push: false, badge: false } : { push, badge }
    },
    on({ uid, accid, clientType }, wish) {
      const isSilenced =
        wish?.push &&
        phones.has(clientType) &&
        accounts.find(uid, accid)?.donnop === true &&
        sessions.of(uid, accid).some((other) => desktops.has(other.clientType))
      return isSilenced ? { ...wish, push: false } : wish
    },
  }
}
