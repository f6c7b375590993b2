import type { Clock } from '../../platform/clock.ts'
import type { Hub } from '../hub/hub.ts'
import type { Log } from '../log.ts'
import type { BoundedLines } from '../../platform/bounded-lines.ts'
import type { PushKey } from './push-address.ts'
import type { PushPace } from './push-pace.ts'
import type { ReaderQueues } from '../hub/reader-queue.ts'
import type { SharedTurn } from '../hub/shared-turn.ts'

/** Why a push was refused: the remedy, and a detail without secrets. */
export interface PushRefusal {
  readonly ok: false
  readonly remedy: 'key' | 'expired' | 'disabled' | 'unknown'
  readonly reason: string
}

/** Admits publishers and players, synchronously and from memory. */
export interface PublishGate {
  admit(cid: string, key: PushKey): { readonly ok: true } | PushRefusal
  /** An admitted publisher is gone; `lastPacketAt` in ms. */
  released(cid: string, key: PushKey, lastPacketAt: number): void
  mayPlay(cid: string): boolean
}

/** What a connection uses of the hub. */
export type SessionHub = Pick<Hub, 'publish' | 'refused'>

/**
 * A player that may watch: `enter` registers it, unless there is no room, and answers what removes it; `isOver` where
 * the stream ended.
 */
export type PlayerEntry =
  | { readonly ok: false; readonly sentence: string }
  | {
      readonly ok: true
      readonly enter: (player: {
        readonly end: () => void
        readonly sent: () => number
      }) => ((isOver?: boolean) => void) | undefined
      /** Why there was no room, in words. */
      readonly noRoom: () => string
    }

/** What the server asks about players; without it everybody may watch. */
export interface RtmpDoors {
  askRtmp(
    cid: string,
    player: {
      readonly remote: string
      /** A PROXY header told `remote`. */
      readonly passedOn: boolean
      /** That of tcUrl. */
      readonly host: string
      readonly link: string | undefined
      readonly passphrase: string | undefined
      /** Whether it has left meanwhile. */
      readonly isGone: () => boolean
    },
  ): Promise<PlayerEntry>
}

/** Has a push begun once other nodes were asked for its channel; `busy` while an encoder sends to another one. */
export type BeginPush = <T>(cid: string, work: () => T) => T | 'busy' | Promise<T | 'busy'>

/** What the server provides to its connections. */
export interface SessionHost<Session> {
  readonly hub: SessionHub
  readonly gate: PublishGate
  /** Asks other nodes before a push begins; undefined where there is none. */
  readonly begin?: BeginPush | undefined
  readonly players: ReaderQueues
  readonly doors: RtmpDoors | undefined
  readonly clock: Clock
  /** Event-loop turn shared by all connections. */
  readonly turn: SharedTurn
  readonly random: (length: number) => Buffer
  readonly log: SessionLog
  /** Log lines about peers that neither publish nor play; possibly thousands a second. */
  readonly strangerLines: BoundedLines
  /** Time limits of a stranger and of a closing peer; ms. */
  readonly patience: { readonly stranger: number; readonly closing: number }
  /** Time before which an encoder with a refused codec gets no further answer; ms. */
  readonly holds: { until(cid: string): number; hold(cid: string): void }
  readonly pace: Pick<PushPace, 'wait' | 'spend'>
  /** Makes the connection a publisher or player; false at the limit. */
  admit(session: Session, role: 'publisher' | 'player'): boolean
  /** It is neither any more. */
  released(session: Session): void
  closed(session: Session): void
}

/** Log of the connections. */
export type SessionLog = Pick<Log, 'debug' | 'info' | 'warn'>
