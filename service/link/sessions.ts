import { linkClose } from '../../contract/link/frames.ts'
import { textFrame } from './frame.ts'
import type { KickReason, Session } from './session.ts'

const none: readonly Session[] = []

/** Sessions of one guest (tabs); the oldest is ended for another one. */
export const maxTabs = 8

/** A session at another service. */
export type SessionElsewhere = Pick<Session, 'device' | 'clientType'>
const nowhere: readonly SessionElsewhere[] = []

/** Makes an empty registry; `elsewhere` has the sessions of other services, none by default. */
export function createSessions(elsewhere: (uid: number, accid: string) => readonly SessionElsewhere[] = () => nowhere) {
  const listeners = new Set<(session: Session) => void>()
  /** By application, then account: read for every member of a team. */
  const applications = new Map<number, Map<string, readonly Session[]>>()
  const watchers = new Map<string, Set<Session>>()
  let size = 0
  // accids have no spaces.
  const keyOf = (uid: number, accid: string): string => `${uid} ${accid}`
  const of = (uid: number, accid: string): readonly Session[] => applications.get(uid)?.get(accid) ?? none
  const put = (uid: number, accid: string, sessions: readonly Session[]): void => {
    let accounts = applications.get(uid)
    if (!accounts) applications.set(uid, (accounts = new Map()))
    size += sessions.length - (accounts.get(accid)?.length ?? 0)
    if (sessions.length > 0) accounts.set(accid, sessions)
    else accounts.delete(accid)
  }
  const typesOf = (uid: number, accid: string): string[] => {
    const here = of(uid, accid).map(({ clientType }) => clientType)
    const there = elsewhere(uid, accid)
    return there.length === 0 ? here : [...new Set([...here, ...there.map(({ clientType }) => clientType)])]
  }

  const tellWatchers = (uid: number, accid: string): void => {
    const watching = watchers.get(keyOf(uid, accid))
    if (!watching) return
    const clientTypes = typesOf(uid, accid)
    const frame = textFrame(JSON.stringify({ t: 'presence', accid, online: clientTypes.length > 0, clientTypes }))
    for (const { connection } of watching) connection.write(frame)
  }
  const unwatch = (session: Session): void => {
    for (const accid of session.watched) {
      const key = keyOf(session.uid, accid)
      const watching = watchers.get(key)
      watching?.delete(session)
      if (watching?.size === 0) watchers.delete(key)
    }
    session.watched = []
  }
  const takeOut = (session: Session): boolean => {
    const before = of(session.uid, session.accid)
    const left = before.filter((one) => one !== session)
    if (left.length === before.length) return false
    put(session.uid, session.accid, left)
    unwatch(session)
    for (const listener of listeners) listener(session)
    return true
  }
  /** Ends a session for one that took its place: silently that of the same device. */
  const replace = (session: Session, how: 'replaced' | 'elsewhere'): void => {
    if (!takeOut(session)) return
    if (how === 'replaced') session.connection.end(linkClose.kicked, 'replaced')
    else session.kick('elsewhere')
  }

  return {
    of,
    /** All of them. */
    size: (): number => size,
    online: typesOf,
    /** Sessions of its account at other services that stay beside a new one. */
    stayingElsewhere: ({ uid, accid, device, clientType, isGuest }: Session): SessionElsewhere[] =>
      elsewhere(uid, accid).filter((other) => other.device !== device && (isGuest || other.clientType !== clientType)),
    tellWatchers,
    replace,
    /** Adds a session and ends that of the same device silently, or of the same kind with `elsewhere`. */
    add(session: Session): void {
      const { uid, accid } = session
      // Those of a guest are tabs, which stand beside each other.
      const tabs = session.isGuest ? of(uid, accid).slice(-(maxTabs - 1)) : none
      for (const other of of(uid, accid)) {
        if (other.device === session.device) replace(other, 'replaced')
        else if (other.clientType === session.clientType && !tabs.includes(other)) replace(other, 'elsewhere')
      }
      put(uid, accid, [...of(uid, accid), session])
      tellWatchers(uid, accid)
    },
    /** False when it was already removed. */
    remove(session: Session): boolean {
      if (!takeOut(session)) return false
      tellWatchers(session.uid, session.accid)
      return true
    },
    /** Ends all sessions of an account; returns their number. */
    kick(uid: number, accid: string, reason: KickReason): number {
      const kicked = of(uid, accid)
      for (const session of kicked) {
        takeOut(session)
        session.kick(reason)
      }
      if (kicked.length > 0) tellWatchers(uid, accid)
      return kicked.length
    },
    /** Sends a push without a place in the stream, such as settings, to an account's sessions; how many there were. */
    tell(uid: number, accid: string, push: object): number {
      const online = of(uid, accid)
      for (const { connection } of online) connection.say(push)
      return online.length
    },
    /** Tells of every session that was taken out, once; the returned function ends it. */
    onEnded(listener: (session: Session) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    watch(session: Session, accids: readonly string[]): void {
      unwatch(session)
      session.watched = [...new Set(accids)]
      for (const accid of session.watched) {
        const key = keyOf(session.uid, accid)
        const watching = watchers.get(key)
        if (watching) watching.add(session)
        else watchers.set(key, new Set([session]))
      }
    },
    *all(): Iterable<Session> {
      for (const accounts of applications.values()) for (const sessions of accounts.values()) yield* sessions
    },
  }
}

/** Sessions by application and account; at most one per kind of client. */
export type Sessions = ReturnType<typeof createSessions>
