import { linkRequests, type LinkAnswer, type LinkParameters, type LinkRequestKind } from '../../contract/link/frames.ts'
import type { Connection } from './connection.ts'
import { readParameters, type Reading } from '../../contract/validate.ts'

/** Requests that the link handles itself. */
export type OwnKind = 'login' | 'sync' | 'received' | 'watch' | 'ping' | 'logout'
/** Requests handled by messaging. */
export type HandledKind = Exclude<LinkRequestKind, OwnKind>

/** The caller of a request. */
export interface LinkCaller {
  readonly uid: number
  readonly accid: string
  readonly device: string
  readonly clientType: string
  readonly address: string
  /** Key of limits per address (`Client.subnet`). */
  readonly subnet: string
  /** The session, which gets no push of its own messages (`NewEvent.origin`). */
  readonly session: string
  /** For frames of rooms. */
  readonly connection: Pick<Connection, 'isOpen' | 'write'>
}

/** Handles a request; throws `Refused` with a code for the client. */
export type LinkHandler<K extends HandledKind> = (
  parameters: LinkParameters<K>,
  caller: LinkCaller,
) => LinkAnswer<K> | Promise<LinkAnswer<K>>
/** Handlers of all other requests, with the same functions as the operations. */
export type LinkHandlers = { readonly [K in HandledKind]: LinkHandler<K> }

/** Parses the members of a request; 414 if invalid (behaviour.md#the-link). */
export const readRequest = <K extends LinkRequestKind>(kind: K, raw: object): Reading<LinkParameters<K>> =>
  readParameters({ parameters: linkRequests[kind].parameters, invalid: 414, encoding: 'json' }, raw) as Reading<
    LinkParameters<K>
  >

/** Whether a text is a request kind. */
export const isRequestKind = (kind: unknown): kind is LinkRequestKind =>
  typeof kind === 'string' && Object.hasOwn(linkRequests, kind)
