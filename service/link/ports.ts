import type { EventFrame } from '../events/event.ts'

/** What a log-in reads of an account. */
export interface LinkAccount {
  readonly accid: string
  readonly blocked: boolean
  /** Phones get no push while a desktop client is online (2-messaging setDonnop). */
  readonly donnop: boolean
}

/** Accounts and their tokens. */
export interface LinkAccounts {
  find(uid: number, accid: string): LinkAccount | undefined
  /** Compares a token in constant time, also for unknown accounts. */
  tokenMatches(uid: number, accid: string, token: string): boolean
}

/** Members of teams and their reminders. */
export interface LinkTeams {
  /** Current members; empty for an unknown team. */
  membersOf(uid: number, tid: number): Iterable<string>
  /** Whether an account has turned off reminders of a team. */
  quietIn(uid: number, tid: number): (accid: string) => boolean
}

/** Mute lists. */
export interface LinkRelations {
  hasQuieted(uid: number, owner: string, other: string): boolean
}

/** A part of the stream as one account reads it. */
export interface StreamPart {
  /** By seq; `push` and `badge` as sent. */
  readonly events: readonly { readonly seq: number; readonly from: string; readonly frame: EventFrame }[]
  /** End of this part; request the next one after it. */
  readonly seq: number
  readonly more: boolean
}

/** The stored events. */
export interface LinkStream {
  /** Events of an account after a seq; 0 for a new device. */
  since(request: {
    readonly uid: number
    readonly accid: string
    readonly after: number
    readonly limit: number
  }): Promise<StreamPart>
  /** Acknowledged position of a device; undefined for a new one. */
  cursor(uid: number, accid: string, device: string): Promise<number | undefined>
  received(uid: number, accid: string, device: string, upTo: number): Promise<void>
  unread(uid: number, accid: string): Promise<{ readonly total: number }>
}

/** What the link reads of an application. */
export interface LinkApplication {
  readonly uid: number
  readonly settings: { readonly frozen: boolean }
}
