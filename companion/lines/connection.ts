import type { ConnectedSeat } from './connected-seat.ts'

/** One page's RPC connection, as the procedures see it. */
export interface Connection {
  /** Aborted when the page is gone. */
  readonly closed: AbortSignal
  /** Bytes that the page has not taken yet, where the transport can tell. */
  backlog(): number
  /** The moderator whose page this is; undefined for whoever sits at this computer. */
  readonly seat?: ConnectedSeat | undefined
  /** Calls under way, and open event subscriptions. */
  calls: number
  subscriptions: number
}

/** A transport of text messages with one page: a WebSocket or a message port. */
export interface Line {
  send(text: string): void
  /** Called with each message; anything but text is handed on as undefined. */
  onMessage(listener: (text: string | undefined) => void): void
  onClose(listener: () => void): void
  backlog(): number
  /** With a code of RFC 6455 where the transport carries one. */
  close(code?: number): void
}

/** The code with which a page is closed that sends what is no message, or more than the bounds: policy violation, RFC 6455 section 7.4.1. */
export const refused = 1008
/** Largest message of a page, in characters. */
export const maxMessage = 262_144
/** Calls of one page under way at once. */
export const maxCalls = 128
/** The same of all pages of one moderator together, with the reads that wait for their turn (seat-reads.ts). */
export const maxSeatCalls = 64
/** Event subscriptions of one page at most. */
export const maxSubscriptions = 4
/** A page with this many bytes waiting gets no further events until it has taken them. */
export const backlogPause = 1_048_576
/** A page with this many bytes waiting is disconnected. */
export const maxBacklog = 16 * 1_048_576
