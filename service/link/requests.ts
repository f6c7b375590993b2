import { pause, type Clock } from '../../platform/clock.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { linkLimits, type LinkRequestKind } from '../../contract/link/frames.ts'
import type { RefusalReason } from '../../contract/catalogue/refusal-reasons.ts'
import { faultOf } from '../away-words.ts'
import { inBackground } from '../background.ts'
import { Refused } from '../refusal.ts'
import type { TimeBudget } from '../http/time-budget.ts'
import type { Log } from '../log.ts'
import { asCall } from '../storage/unchanged.ts'
import type { Acks } from './acks.ts'
import type { Session } from './session.ts'
import type { Sessions } from './sessions.ts'
import type { TurnPlaces } from './turn-places.ts'
import { isRequestKind, readRequest, type LinkHandler, type LinkHandlers, type HandledKind } from './handlers.ts'
import type { NotificationPreferences } from './notification-preferences.ts'

/** Pending requests at which reading stops. One socket read, up to 64 KiB, may come on top. */
const maxWaiting = 32

/** A client's frame before its kind is known. */
export interface ClientFrame {
  readonly t: unknown
  readonly id: number
  readonly members: object
}

/** Parses an object with kind and number; undefined for anything else. */
export function readFrame(text: string): ClientFrame | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { t, id } = value as { t?: unknown; id?: unknown }
  return typeof id === 'number' && Number.isSafeInteger(id) ? { t, id, members: value } : undefined
}

/** What requests are served with. */
export interface RequestSources {
  readonly handlers: LinkHandlers
  readonly sessions: Pick<Sessions, 'online' | 'watch'>
  readonly received: Pick<Acks, 'note'>
  readonly preferences: NotificationPreferences
  readonly isFrozen: (uid: number) => boolean
  /** Whether an account may make a request; by default always. */
  readonly mayAsk?: ((uid: number, accid: string, kind: LinkRequestKind, members: object) => boolean) | undefined
  /** Guests are also charged to all strangers; by default nobody is a guest. */
  readonly isGuest?: ((uid: number, accid: string) => boolean) | undefined
  /** Where guests' requests begin, so that hundreds at once, each within its own limit, do not delay others. */
  readonly guestTurns: TurnPlaces
  readonly clock: Clock
  readonly budget: TimeBudget
  readonly log: Pick<Log, 'error' | 'warn'>
}

/** Answers requests in order, with a turn between them; beyond its time, a session is delayed and not read. */
export function createRequests(session: Session, sources: RequestSources): (text: string) => void {
  const { handlers, sessions, received, preferences, isFrozen, mayAsk, guestTurns, clock, budget, log } = sources
  const { uid, accid, device, clientType, connection } = session
  const waiting: string[] = []
  const { subnet } = connection.client
  const isGuest = sources.isGuest?.(uid, accid) === true
  const address = isGuest ? budget.ofStranger(subnet) : budget.ofAddress(subnet)
  const accounts = address ? [budget.account(), address] : [budget.account()]
  let running = false

  const fail = (id: number | undefined, code: number, desc: string, reason: RefusalReason = 'other'): void =>
    connection.say({ t: 'error', ...(id !== undefined && { id }), code, desc, ...(reason !== 'other' && { reason }) })
  const read = <K extends LinkRequestKind>(kind: K, frame: ClientFrame) => {
    const reading = readRequest(kind, frame.members)
    if (!reading.ok) throw new Refused(reading.refusal.code, reading.refusal.reason)
    return reading.value
  }
  const pass = <K extends HandledKind>(kind: K, frame: ClientFrame) => {
    const handler = handlers[kind] as LinkHandler<K>
    return handler(read(kind, frame), {
      uid,
      accid,
      device,
      clientType,
      address: connection.client.address,
      subnet,
      session: session.id,
      connection,
    })
  }
  const perform = async (frame: ClientFrame): Promise<void> => {
    const { t, id } = frame
    const ok = (members: object): void => connection.say({ t: 'ok', id, ...members })
    if (!isRequestKind(t)) throw new Refused(414, 'unknown kind of frame')
    if (isFrozen(uid)) throw new Refused(403, 'the application is frozen')
    if (mayAsk?.(uid, accid, t, frame.members) === false) throw new Refused(403, 'guests may only use their room')
    switch (t) {
      case 'login':
        throw new Refused(414, 'this connection is already logged in')
      case 'ping':
        return ok({ time: clock.now() })
      case 'sync':
        return session.sync(read('sync', frame).after, ({ events, seq, more }) =>
          ok({
            events: events.map((event) => ({
              ...event.frame,
              ...preferences.on(session, preferences.of(uid, event.from, event.frame)(accid)),
            })),
            seq,
            more,
          }),
        )
      case 'received':
        received.note(uid, accid, device, read('received', frame).upTo)
        return ok({})
      case 'watch': {
        const { accids } = read('watch', frame)
        sessions.watch(session, accids)
        return ok({
          presence: session.watched.map((watched) => {
            const clientTypes = sessions.online(uid, watched)
            return { accid: watched, online: clientTypes.length > 0, clientTypes }
          }),
        })
      }
      case 'logout':
        ok({})
        return connection.end(1000, 'logged out')
      default:
        return ok(await pass(t, frame))
    }
  }
  const answer = async (frame: ClientFrame | undefined): Promise<void> => {
    if (!frame) return fail(undefined, 414, 'a frame is a JSON object with t and a number as id')
    try {
      await perform(frame)
    } catch (error) {
      if (error instanceof Refused) return fail(frame.id, error.code, error.message, error.reason)
      const { sentence, refusal, about } = faultOf(error)
      const kind = isRequestKind(frame.t) ? frame.t : undefined
      log.error(
        { ...about, uid, session: session.id, kind },
        sentence === undefined ? 'a request of the link failed' : `a request of the link failed: ${sentence}`,
      )
      fail(frame.id, 500, sentence ?? `internal fault; log id ${session.id}`, refusal)
    }
  }
  const timeLeft = async (): Promise<void> => {
    for (let wait = 1; wait > 0 && connection.isOpen;) {
      wait = Math.max(...accounts.map((account) => account.wait()))
      if (wait === 0) return
      connection.pause()
      await pause(clock, wait)
    }
  }
  const run = async (): Promise<void> => {
    for (let isFirst = true; waiting.length > 0 && connection.isOpen; isFirst = false) {
      // A settled promise would continue without a turn for others.
      if (!isFirst) await nextTurn()
      await timeLeft()
      if (isGuest) await guestTurns.enter()
      if (!connection.isOpen) break
      const text = waiting.shift()!
      await budget.charged(accounts, () => asCall(() => answer(readFrame(text))))
      // The client does not read its answers.
      if (connection.waiting > linkLimits.queue / 2)
        await new Promise<void>((drained) => connection.whenDrained(drained))
      if (waiting.length < maxWaiting) connection.resume()
    }
    running = false
  }

  return (text) => {
    waiting.push(text)
    if (waiting.length >= maxWaiting) connection.pause()
    if (running) return
    running = true
    inBackground(run(), log, 'answering requests of the link')
  }
}
