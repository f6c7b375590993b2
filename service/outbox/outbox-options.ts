import type { Log } from '../log.ts'
import type { Store } from '../storage/store.ts'
import type { AddressGuard } from './address-guard.ts'

/** How one kind of message is delivered. */
export interface DeliveryKind {
  /** Waits in ms before each resend; after the last the message stays in the log. */
  readonly resendAfter: readonly number[]
  /** What is sent at an attempt, of what stands in the log: for members that must be fresh; the same when absent. */
  readonly body?: (uid: number, logged: string) => string
  /** Headers of one attempt, made anew for each: signed with what is in force then. */
  headers(uid: number, body: string): Promise<Readonly<Record<string, string>>>
}

/** What an outbox works with. */
export interface OutboxOptions {
  readonly store: Pick<Store, 'db' | 'reads' | 'durable'>
  readonly guard: AddressGuard
  readonly kinds: Readonly<Record<string, DeliveryKind>>
  /** Whether an application's messages may go to this computer and its network. */
  readonly localAllowed: (uid: number) => Promise<boolean>
  readonly clock: () => number
  /** Calls once after ms; returns its cancellation. */
  readonly after: (ms: number, call: () => void) => () => void
  readonly random: (bytes: number) => Buffer
  readonly log: Log
  /** For how long, in ms, what is put into a line waits for more after the line was sent; 0 when absent. */
  readonly gatherFor?: number | undefined
  /** Certificate authorities beside the system's. */
  readonly ca?: string | undefined
}
