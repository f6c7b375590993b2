import type { IncomingMessage } from 'node:http'
import type { Client } from '../http/clients.ts'
import type { Ground } from './players.ts'

/** A request as the doors read it. */
export type DoorRequest = Pick<IncomingMessage, 'headers'> & { readonly client: Client }

/** Why somebody is not let in; `ended` is told to who has the link that ended, and to nobody else. */
export type Gate = 'passphrase' | 'link' | 'ended' | 'closed'

/** What somebody brings who wants to watch. */
export interface Visitor {
  /** On this computer, and not through a proxy; or the app's own preview. */
  readonly isFree: boolean
  /** A visit that proves the reach runs in its browser. */
  readonly isVisit?: boolean
  /** Cookie header. */
  readonly cookie?: string | undefined
  /** Named links are left out of account, as the one it has is full. */
  readonly isWithoutLink?: boolean
  /** Token in the address. */
  readonly link?: string | undefined
  /** What another node let it in for. */
  readonly grant?: Ground | undefined
  /** Passphrase of a player, for `admitWith`. */
  readonly passphrase?: string | undefined
}

/** Whether somebody may watch, and on what ground. */
export type Admission =
  | { readonly ok: true; readonly ground: Ground }
  /** `linkOver`: for who has a link that was revoked, or with gate `passphrase` one that has ended. */
  | { readonly ok: false; readonly gate: Gate; readonly linkOver?: 'ended' | 'revoked' }
