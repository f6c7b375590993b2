import type { EventFrame } from '../events/event.ts'

/** An account as a log-in needs it. */
export interface LinkAccount {
  readonly accid: string
  readonly blocked: boolean
  /** Phones get no push while a desktop client is online (2-messaging setDonnop). */
  readonly donnop: boolean
}

/** Where accounts and their tokens are known. */
export interface LinkAccounts {
  find(uid: number, accid: string): LinkAccount | undefined
  /** Whether a token is the account's, in the same time for every token and also for an account that is not there. */
  tokenMatches(uid: number, accid: string, token: string): boolean
}

/** Who gets a team's events, and who wants no push for them. */
export interface LinkTeams {
  /** Accounts that are members now; none when there is no such team. */
  membersOf(uid: number, tid: number): Iterable<string>
  /** Asks for a team, once for all its members: whether an account has switched its reminders off. */
  quietIn(uid: number, tid: number): (accid: string) => boolean
}

/** Whose messages an account wants without push and badge. */
export interface LinkRelations {
  hasQuieted(uid: number, owner: string, other: string): boolean
}

/** A part of the stream as one account reads it. */
export interface StreamPart {
  /** By seq; `push` and `badge` of each as it was sent. */
  readonly events: readonly { readonly seq: number; readonly from: string; readonly frame: EventFrame }[]
  /** Up to where this part reaches: the next one is asked for behind it. */
  readonly seq: number
  readonly more: boolean
}

/** Where events are kept for those who come later. */
export interface LinkStream {
  /** What an account gets behind a seq; 0 for a device that is new. */
  since(request: {
    readonly uid: number
    readonly accid: string
    readonly after: number
    readonly limit: number
  }): Promise<StreamPart>
  /** Up to where a device has everything; undefined for one that is new. */
  cursor(uid: number, accid: string, device: string): Promise<number | undefined>
  received(uid: number, accid: string, device: string, upTo: number): Promise<void>
  unread(uid: number, accid: string): Promise<{ readonly total: number }>
}

/** An application as the link needs it. */
export interface LinkApplication {
  readonly uid: number
  readonly settings: { readonly frozen: boolean }
}
