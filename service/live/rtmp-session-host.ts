import type { HubEvent, Publication } from './hub.ts'
import type { BoundedLines } from '../../platform/bounded-lines.ts'
import type { PushPace } from './push-pace.ts'
import type { ReaderQueues } from './reader-queue.ts'
import type { SharedTurn } from './shared-turn.ts'

/** Decides on publishers and players, synchronously and from memory. */
export interface PublishGate {
  admit(
    cid: string,
    key: { readonly wsSecret: string; readonly wsTime: string },
  ):
    | { readonly ok: true }
    | { readonly ok: false; readonly remedy: 'key' | 'expired' | 'disabled' | 'unknown'; readonly reason: string }
  /** An admitted publisher is gone; `lastPacketAt` in ms. */
  released(cid: string, key: { readonly wsSecret: string; readonly wsTime: string }, lastPacketAt: number): void
  mayPlay(cid: string): boolean
}

/** What of the hub a connection uses. */
export interface SessionHub {
  publish(cid: string, source: { readonly remote: string; readonly encoder?: string }): Publication | 'busy'
  refused(cid: string, remedy: HubEvent['remedy'], detail: string, from: string): void
}

/** What the server gives each of its connections. */
export interface SessionHost<Session> {
  readonly hub: SessionHub
  readonly gate: PublishGate
  readonly players: ReaderQueues
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Milliseconds that only ever pass. */
  readonly monotonic: () => number
  /** The turns of the event loop that all connections share. */
  readonly turn: SharedTurn
  readonly random: (length: number) => Buffer
  readonly log: SessionLog
  /** Lines about peers that neither publish nor play, of whom there may be thousands a second. */
  readonly strangerLines: BoundedLines
  /** How long a stranger may take to publish or play, and a closing peer to go; ms. */
  readonly patience: { readonly stranger: number; readonly closing: number }
  /** The time before which an encoder whose codec was refused is not answered again; ms. */
  readonly holds: { until(cid: string): number; hold(cid: string): void }
  /** How often the pushes of a channel begin and change their configurations. */
  readonly pace: Pick<PushPace, 'wait' | 'spend'>
  /** The connection becomes a publisher or player; false when there are too many of these. */
  admit(session: Session, role: 'publisher' | 'player'): boolean
  /** It is neither any more. */
  released(session: Session): void
  closed(session: Session): void
}

/** Where connections report. */
export interface SessionLog {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}
