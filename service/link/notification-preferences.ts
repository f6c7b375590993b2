import type { EventFrame } from '../events/event.ts'
import type { Session } from './session.ts'
import type { Sessions } from './sessions.ts'
import type { LinkAccounts, LinkRelations, LinkTeams } from './ports.ts'

/** Desktop clients for donnop (2-messaging setDonnop). */
const desktops = new Set(['PC', 'WEB'])
const phones = new Set(['AOS', 'IOS', 'WINPHONE'])

/** Preferences of a receiver for an event. */
export interface NotificationPreference {
  readonly push: boolean
  readonly badge: boolean
}

/** Notification preferences (behaviour.md#blacklist-and-mute-list). */
export interface NotificationPreferences {
  /** Preferences of accounts for an event of `from`; undefined for kinds without phone notification. */
  of(uid: number, from: string, frame: EventFrame): (accid: string) => NotificationPreference | undefined
  /** The same on a device. */
  on(session: Session, preference: NotificationPreference | undefined): NotificationPreference | undefined
}

/** Looks preferences up at delivery, live or later. */
export function createNotificationPreferences(options: {
  readonly accounts: Pick<LinkAccounts, 'find'>
  readonly teams: Pick<LinkTeams, 'quietIn'>
  readonly relations: LinkRelations
  readonly sessions: Pick<Sessions, 'of'>
}): NotificationPreferences {
  const { accounts, teams, relations, sessions } = options
  return {
    of(uid, from, frame) {
      if (frame.t !== 'message' && frame.t !== 'notification') return () => undefined
      const { push, badge } = frame
      const [sent, withoutPush, quiet] = [
        { push, badge },
        { push: false, badge },
        { push: false, badge: false },
      ]
      if (frame.scene === 'team') {
        const isQuiet = teams.quietIn(uid, Number(frame.to))
        return (accid) => (accid === from || isQuiet(accid) ? withoutPush : sent)
      }
      return (accid) => (accid === from ? withoutPush : relations.hasQuieted(uid, accid, from) ? quiet : sent)
    },
    on({ uid, accid, clientType }, preference) {
      const isSilenced =
        preference?.push &&
        phones.has(clientType) &&
        accounts.find(uid, accid)?.donnop === true &&
        sessions.of(uid, accid).some((other) => desktops.has(other.clientType))
      return isSilenced ? { ...preference, push: false } : preference
    },
  }
}
