import type { StoredEvent } from '../events/event.ts'
import type { MessageCount } from '../events/message-counts.ts'
import { textFrame } from './frame.ts'
import type { Sessions } from './sessions.ts'
import type { LinkTeams } from './ports.ts'
import type { NotificationPreference, NotificationPreferences } from './notification-preferences.ts'

/** Kept events can be read later; only their pushes have a seq. */
const isKept = ({ keep }: StoredEvent): boolean => keep.offline || keep.roam

/** The push of an event for receivers with this preference. */
function pushOf(event: StoredEvent, preference: NotificationPreference | undefined): object {
  if (isKept(event)) return { ...event.frame, ...preference }
  const { seq, ...frame } = event.frame
  return { ...frame, ...(frame.t === 'message' && { msgid: seq }), ...preference }
}

/** Unique accounts, without one. */
function chosen(accids: Iterable<string>, more: readonly string[], without: string | undefined): Iterable<string> {
  const once = new Set(accids)
  for (const accid of more) once.add(accid)
  if (without !== undefined) once.delete(without)
  return once
}

/** Makes the fan-out of stored events, in call order. Serialised once per preference. */
export function createFanOut(
  sessions: Pick<Sessions, 'of'>,
  teams: Pick<LinkTeams, 'membersOf'>,
  preferences: NotificationPreferences,
  counts?: Pick<MessageCount, 'delivered'>,
): (event: StoredEvent) => void {
  const receiversOf = ({ uid, from, to, hidden, sync, extraRecipients = [] }: StoredEvent): Iterable<string> => {
    const own = sync !== false
    if (hidden) return own ? [from] : []
    if (!('tid' in to))
      return chosen(to.accids, own ? [...extraRecipients, from] : extraRecipients, own ? undefined : from)
    const members = teams.membersOf(uid, to.tid)
    return extraRecipients.length === 0 && own ? members : chosen(members, extraRecipients, own ? undefined : from)
  }

  return (event) => {
    const { uid, from, origin } = event
    const seq = isKept(event) ? event.seq : undefined
    const frames = new Map<number, Buffer>()
    const framed = (preference: NotificationPreference | undefined): Buffer => {
      const key = preference ? Number(preference.push) + 2 * Number(preference.badge) : 0
      let known = frames.get(key)
      if (!known) frames.set(key, (known = textFrame(JSON.stringify(pushOf(event, preference)))))
      return known
    }
    // Not before somebody is connected: an event of another service is read by that.
    let preferenceOf: ReturnType<NotificationPreferences['of']> | undefined
    for (const accid of receiversOf(event)) {
      const online = sessions.of(uid, accid)
      if (online.length === 0) continue
      preferenceOf ??= preferences.of(uid, from, event.frame)
      const preference = preferenceOf(accid)
      for (const session of online)
        if (session.id !== origin) {
          session.offer(framed(preferences.on(session, preference)), seq)
          if (counts) counts.delivered += 1
        }
    }
  }
}
