import type { Clock } from '../../platform/clock.ts'
import type { NodeCommands } from '../bus/node-commands.ts'
import type { Presence } from '../presence/presence.ts'
import type { KickReason, Session } from './session.ts'
import { createSessions, maxTabs, type Sessions } from './sessions.ts'

/** A session as other services know it. */
interface SessionEntry {
  readonly uid: number
  readonly accid: string
  readonly device: string
  readonly clientType: string
  readonly isGuest: boolean
  /** Its log-in, in ms by the clock of its service; later than all of its account that were known there. */
  readonly at: number
  /** Place of the last change that its log-in was checked by. */
  readonly place: number
}
type LogIn = Pick<SessionEntry, 'at'> & { readonly id: string }
interface There extends SessionEntry, LogIn {
  readonly node: string
}
interface Kick {
  readonly uid: number
  readonly accid: string
  readonly reason: KickReason
}

/** In ms, in which another service is told again to end a session that it had admitted before it knew of the change. */
const kickedFor = 10_000
const mostKicks = 1000
const none: readonly There[] = []
const earlierFirst = (one: LogIn, next: LogIn): number => one.at - next.at || (one.id < next.id ? -1 : 1)

/** Sessions of all services, with what ends those of an account wherever they are. */
export interface SessionDirectory {
  readonly sessions: Sessions
  kick(uid: number, accid: string, reason: KickReason): void
}

/** The directory of a service that is alone: its own sessions are all there are. */
export function createOwnDirectory(): SessionDirectory {
  const sessions = createSessions()
  return { sessions, kick: (uid, accid, reason) => void sessions.kick(uid, accid, reason) }
}

/**
 * Makes the directory of services that share presence. A log-in ends the session of the same kind of client at another
 * service once that one hears of it. Of two at the same moment the one stays that is later by time, then by id: every
 * service decides alike, however and in whatever order it hears of them.
 */
export function createSessionDirectory(options: {
  readonly presence: Presence
  readonly commands: NodeCommands
  /** Place of the last change of the journal that is made here. */
  readonly applied: () => number
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}): SessionDirectory {
  const { presence, commands, applied, clock } = options
  const elsewhere = new Map<string, Map<string, There>>()
  const loggedIn = new WeakMap<Session, number>()
  const placeOf = (own: Session): LogIn => ({ id: own.id, at: loggedIn.get(own) ?? 0 })
  const kicks = new Map<string, Kick & { readonly place: number; readonly until: number }>()
  // accids have no spaces.
  const keyOf = (uid: number, accid: string): string => `${uid} ${accid}`
  const there = (uid: number, accid: string): readonly There[] => {
    const found = elsewhere.get(keyOf(uid, accid))
    return found ? [...found.values()] : none
  }
  const here = createSessions(there)
  const endHere = ({ uid, accid, reason }: Kick): void => void here.kick(uid, accid, reason)
  const endThere = commands.kind<Kick>('kick', endHere)
  const tellThere = commands.kind<{ readonly uid: number; readonly accid: string; readonly push: object }>(
    'tell',
    ({ uid, accid, push }) => void here.tell(uid, accid, push),
  )

  /** Tells those who watch an account, where a change at another service changed what is online. */
  const noting = ({ uid, accid }: SessionEntry, change: () => void): void => {
    const before = here.online(uid, accid).join()
    change()
    if (here.online(uid, accid).join() !== before) here.tellWatchers(uid, accid)
  }
  const endReplaced = (other: There): void => {
    const { uid, accid, device, clientType, isGuest } = other
    const all = [...here.of(uid, accid).map(placeOf), ...there(uid, accid)].toSorted(earlierFirst)
    const newest = new Set(all.slice(-maxTabs).map(({ id }) => id))
    for (const own of here.of(uid, accid)) {
      const isEarlier = earlierFirst(placeOf(own), other) < 0
      if (own.device === device) {
        if (isEarlier) here.replace(own, 'replaced')
      } else if (isGuest ? !newest.has(own.id) : own.clientType === clientType && isEarlier)
        here.replace(own, 'elsewhere')
    }
  }
  /** A log-in that was checked before its service knew of what it was kicked for. */
  const endKicked = ({ uid, accid, node, place }: There): void => {
    const kick = kicks.get(keyOf(uid, accid))
    if (kick && place < kick.place && clock.monotonic() < kick.until) endThere(node, kick)
  }
  const entries = presence.kind<SessionEntry>('session', {
    came({ node, key: id }, entry) {
      const other: There = { ...entry, node, id }
      const key = keyOf(entry.uid, entry.accid)
      noting(entry, () => {
        const known = elsewhere.get(key)
        if (known) known.set(id, other)
        else elsewhere.set(key, new Map([[id, other]]))
        endReplaced(other)
      })
      endKicked(other)
    },
    gone({ key: id }, entry) {
      const key = keyOf(entry.uid, entry.accid)
      noting(entry, () => {
        const known = elsewhere.get(key)
        known?.delete(id)
        if (known?.size === 0) elsewhere.delete(key)
      })
    },
  })
  here.onEnded(({ id }) => entries.remove(id))
  const remember = (kick: Kick): void => {
    const now = clock.monotonic()
    const key = keyOf(kick.uid, kick.accid)
    kicks.delete(key)
    for (const [old, { until }] of kicks) {
      if (kicks.size < mostKicks && now < until) break
      kicks.delete(old)
    }
    kicks.set(key, { ...kick, place: applied(), until: now + kickedFor })
  }
  const nodesOf = (uid: number, accid: string): ReadonlySet<string> =>
    new Set(there(uid, accid).map(({ node }) => node))

  return {
    sessions: {
      ...here,
      add(session) {
        const { id, uid, accid, device, clientType, isGuest } = session
        const known = [...here.of(uid, accid).map(placeOf), ...there(uid, accid)]
        const at = Math.max(clock.now(), ...known.map((other) => other.at + 1))
        loggedIn.set(session, at)
        here.add(session)
        entries.put(id, { uid, accid, device, clientType, isGuest, at, place: applied() })
      },
      tell(uid, accid, push) {
        for (const node of nodesOf(uid, accid)) tellThere(node, { uid, accid, push })
        return here.tell(uid, accid, push) + there(uid, accid).length
      },
    },
    kick(uid, accid, reason) {
      const kick = { uid, accid, reason }
      endHere(kick)
      remember(kick)
      for (const node of nodesOf(uid, accid)) endThere(node, kick)
    },
  }
}
