/**
 * How a shell's companion runs the service in a process of its own: the messages on the process channel. Secrets travel here and
 * nowhere else, never in argv or the environment.
 */

/** Where a listener binds, and the port it wants (0: any free one). */
export interface ListenerChoice {
  readonly host: string
  readonly port: number
}

/** What a service needs to start, without its secrets. */
export interface ServiceChoices {
  readonly dataDir: string
  readonly api: ListenerChoice
  readonly media: ListenerChoice
  readonly rtmp: ListenerChoice
  /** Host name put into addresses; the bound address when absent. */
  readonly publicHost?: string
  /** IANA zone for file names and statistics; the system's when absent. */
  readonly timeZone?: string
  /** Origins that may read media and open the client link from a page. */
  readonly origins?: readonly string[]
}

/** An application's credentials. */
export interface Credentials {
  readonly appKey: string
  readonly appSecret: string
}

/** What a service says of itself when callers can begin; the stand-alone service prints it as one line. */
export interface ServiceReady {
  readonly event: 'ready'
  readonly appKey: string
  readonly baseUrl: string
  readonly imBaseUrl: string
  readonly mediaUrl: string
  readonly rtmpUrl: string
  readonly linkUrl: string
}

/** A port that was taken, and what was used instead. */
export interface PortNote {
  readonly listener: 'api' | 'media' | 'rtmp'
  readonly wanted: number
  readonly used: number
  readonly holder?: string
}

/** From the companion to the service. */
export type ToService = { readonly type: 'start'; readonly choices: ServiceChoices; readonly credentials: Credentials } | { readonly type: 'stop' }

/** From the service to the companion. */
export type FromService =
  | { readonly type: 'ready'; readonly ready: ServiceReady; readonly notes: readonly PortNote[] }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'stopped' }
