import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../log.ts'
import type { Store } from '../storage/store.ts'
import type { AddressGuard } from './address-guard.ts'

/** How one kind of message is delivered. */
export interface DeliveryKind {
  /** Delay of each resend in ms; after the last the message stays in the log. */
  readonly resendAfter: readonly number[]
  /** Body to send for a logged one, to add fresh members; by default the same. */
  readonly body?: (uid: number, logged: string) => string
  /** Headers of an attempt, signed with the current key. */
  headers(uid: number, body: string): Promise<Readonly<Record<string, string>>>
}

/** Options of an outbox. */
export interface OutboxOptions {
  readonly store: Pick<Store, 'db' | 'reads' | 'durable'>
  readonly guard: AddressGuard
  readonly kinds: Readonly<Record<string, DeliveryKind>>
  readonly localAllowed: (uid: number) => Promise<boolean>
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly log: Log
  /** Pause of a line after sending, in ms; 0 by default. */
  readonly gatherFor?: number | undefined
  /** Certificate authorities besides the system's. */
  readonly ca?: string | undefined
}
