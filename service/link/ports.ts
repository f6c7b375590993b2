import type { MessagingStream } from '../stream/stream.ts'

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
  quietIn(uid: number, tid: number): (accid: string) => boolean
}

/** Mute lists. */
export interface LinkRelations {
  hasQuieted(uid: number, owner: string, other: string): boolean
}

/** The stored events. */
export type LinkStream = Pick<MessagingStream, 'since' | 'cursor' | 'received' | 'unread'>

/** What the link reads of an application. */
export interface LinkApplication {
  readonly uid: number
  readonly settings: { readonly frozen: boolean }
}
