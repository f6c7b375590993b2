import { linkRequests, type LinkAnswer, type LinkParameters, type LinkRequestKind } from '../../contract/link/frames.ts'
import type { Connection } from './connection.ts'
import { readParameters, type Reading } from '../../contract/validate.ts'

/** Requests that the link answers by itself; the others are handlers of messaging. */
export type OwnKind = 'login' | 'sync' | 'received' | 'watch' | 'ping' | 'logout'
/** Requests that are passed on. */
export type HandledKind = Exclude<LinkRequestKind, OwnKind>

/** Who asks. */
export interface LinkCaller {
  readonly uid: number
  readonly accid: string
  readonly device: string
  readonly clientType: string
  readonly address: string
  /** The part of the address that limits count by (`Client.subnet`). */
  readonly subnet: string
  /** The session, which gets no push of what it sends itself (`NewEvent.origin`). */
  readonly session: string
  /** Where frames of rooms are written while it is open. */
  readonly connection: Pick<Connection, 'isOpen' | 'write'>
}

/** What serves a request; throws `Refused` for a code that the client is told. */
export type LinkHandler<K extends HandledKind> = (
  parameters: LinkParameters<K>,
  caller: LinkCaller,
) => LinkAnswer<K> | Promise<LinkAnswer<K>>
/** Every request that is passed on, with what serves it: the same functions as behind the operations. */
export type LinkHandlers = { readonly [K in HandledKind]: LinkHandler<K> }

/** Reads the members of a request; everything wrong is a 414 (behaviour.md#the-link). */
export const readRequest = <K extends LinkRequestKind>(kind: K, raw: object): Reading<LinkParameters<K>> =>
  readParameters({ parameters: linkRequests[kind].parameters, invalid: 414, encoding: 'json' }, raw) as Reading<
    LinkParameters<K>
  >

/** Whether a text names a request. */
export const isRequestKind = (kind: unknown): kind is LinkRequestKind =>
  typeof kind === 'string' && Object.hasOwn(linkRequests, kind)
