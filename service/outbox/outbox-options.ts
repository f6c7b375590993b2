import type { Clock } from '../../platform/clock.ts'
import type { Bus } from '../bus/bus.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Log } from '../log.ts'
import type { Store } from '../storage/store.ts'
import type { Spans } from '../tracing/spans.ts'
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
  /** Follows each attempt. */
  readonly spans?: Spans | undefined
  /** Other services that send what is in the outbox; absent where there are none. */
  readonly shared?: { readonly node: string; readonly bus: Pick<Bus, 'topic' | 'onBack'> } | undefined
  readonly jobs?: Jobs
  /** Pause of a line after sending, in ms; 0 by default. */
  readonly gatherFor?: number | undefined
  /** Certificate authorities besides the system's. */
  readonly ca?: string | undefined
}
