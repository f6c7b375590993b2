import type { Kysely } from 'kysely'
import type { ConversationCopy } from '../../../contract/callbacks/copy.ts'
import type { CopyKind } from '../../../contract/operations/copy-kinds.ts'
import type { Tables } from '../../storage/schema.ts'

/** Accounts as sending needs them; an accid is given in lower case. */
export interface SenderAccounts {
  find(uid: number, accid: string): { readonly name: string } | undefined
}

/** Lists of accounts as sending needs them: whether `owner` has put `other` there. */
export interface SenderRelations {
  /** Nothing of `other` is delivered. */
  hasBlacklisted(uid: number, owner: string, other: string): boolean
  /** Delivered without push or badge. */
  hasQuieted(uid: number, owner: string, other: string): boolean
}

/** A team as sending needs it. */
export interface SenderTeam {
  readonly row: { readonly tid: number }
  readonly members: ReadonlyMap<string, { readonly since: number }>
}
/** Teams as sending needs them. */
export interface SenderTeams {
  /** A team of the application, by its number as it was written. */
  find(uid: number, tid: string): SenderTeam | undefined
  /** Whether an account is a member that may send now. */
  maySpeak(team: SenderTeam, accid: string): boolean
}

/** Where copies go. */
export interface SenderCopies {
  wants(uid: number, kind: CopyKind): boolean
  enqueue(transaction: Kysely<Tables>, uid: number, copy: ConversationCopy): Promise<void>
}

/** The word list. */
export interface SenderWords {
  catches(uid: number, text: string): boolean
}
