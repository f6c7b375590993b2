import type { StreamAddress } from '../ingest/ingest-address.ts'
import type { PushRefusal } from '../ingest/rtmp-session-host.ts'

/** What a server of another make, to which encoders push, asks the service. */
export type ServerAsk =
  /** May this push begin, or go on? Undefined where its address is of no channel. */
  | { readonly asks: 'begin' | 'goOn'; readonly address: StreamAddress | undefined; readonly from: string }
  /** Where is it sent on to? */
  | { readonly asks: 'way'; readonly address: StreamAddress | undefined }
  /** It may be watched at the service alone; of MediaMTX whatever is no push. */
  | { readonly asks: 'play' }
  /** It only tells. */
  | { readonly asks: 'nothing' }

/** What is answered; `way` is the RTMP address to which the server sends the push on. */
export type Verdict = { readonly ok: true; readonly way?: string } | PushRefusal

/** An answer of HTTP. */
export interface ServerAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; nothing when absent. */
  readonly body?: object
}

/** How servers of a make ask and are told. */
export interface ServerHooks {
  /** It looks up no names: the way on has an address. */
  readonly isNumeric?: true
  /** Reads a call; undefined where it is not one of this make. */
  read(body: string): ServerAsk | undefined
  answer(ask: ServerAsk, verdict: Verdict): ServerAnswer
}

/** Makes of servers whose control API is known. */
export const serverMakes = ['nginx-rtmp', 'srs', 'mediamtx'] as const

/** A server to which encoders push, and the root of its control API. */
export interface IngestServer {
  readonly make: (typeof serverMakes)[number]
  readonly url: string
}

/** A push at a server. */
export interface ServerPush {
  /** Its name there, a channel id where it is one of the service. */
  readonly cid: string
  /** By which its encoder is cut off. */
  readonly id: string
}

/** The control API of a server. */
export interface ServerControl {
  /** Its pushes. Rejects where it does not answer. */
  pushes(): Promise<readonly ServerPush[]>
  /** Cuts off an encoder. */
  cut(push: ServerPush): Promise<void>
}
