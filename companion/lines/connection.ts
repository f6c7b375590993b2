import type { ConnectedSeat } from './connected-seat.ts'

/** One page's RPC connection. */
export interface Connection {
  readonly closed: AbortSignal
  /** Bytes that the page has not taken, where the transport tells. */
  backlog(): number
  /** Undefined for the person at this computer. */
  readonly seat?: ConnectedSeat | undefined
  calls: number
  subscriptions: number
}

/** A transport of text messages with one page. */
export interface Line {
  send(text: string): void
  /** Undefined for anything but text. */
  onMessage(listener: (text: string | undefined) => void): void
  onClose(listener: () => void): void
  backlog(): number
  /** A code of RFC 6455, where the transport has one. */
  close(code?: number): void
}

/** Close code for an invalid or excessive message: policy violation, RFC 6455 section 7.4.1. */
export const refused = 1008
/** Largest message of a page, in characters. */
export const maxMessage = 262_144
/** Concurrent calls of one page. */
export const maxCalls = 128
/** Concurrent calls of one moderator's pages. */
export const maxSeatCalls = 64
/** Event subscriptions of one page. */
export const maxSubscriptions = 4
/** Bytes waiting at which events pause. */
export const backlogPause = 1_048_576
/** Bytes waiting at which a page is disconnected. */
export const maxBacklog = 16 * 1_048_576
