import type { Clock } from '../platform/clock.ts'
import type {
  Credentials,
  ListenerChoice,
  PortNote,
  ServiceChoices,
  ServiceReady,
} from '../contract/service-process.ts'
import type { ObjectPlace } from './blobs/blobs.ts'
import type { DeliveryRates } from './rooms/room-deliveries.ts'
import type { ClusterPlace } from './engines.ts'
import type { HooksChoice } from './ingest-servers/ingest-servers.ts'
import type { Log } from './log.ts'
import type { Resolve } from './outbox/address-guard.ts'
import type { Addresses } from './public-addresses.ts'
import type { AskRouter } from './reach/port-mapping.ts'
import type { PostgresPlace } from './storage/store-postgres.ts'
import type { Spans } from './tracing/spans.ts'
import type { RecordingLimits } from './recording/recording-limits.ts'

/** What a service is made of. */
export interface ServiceOptions extends ServiceChoices {
  readonly credentials: Credentials
  /** Further applications of the same service, each with a name by which a later start finds its data. */
  readonly applications?: readonly { readonly name: string; readonly credentials: Credentials }[]
  /** Where the rows are; in a file of the data folder when absent. */
  readonly database?: PostgresPlace | undefined
  /** Further services that share the database; alone when absent. */
  readonly cluster?: ClusterPlace | undefined
  /** Called where a service of a cluster must be started again, with the reason, which is logged. */
  readonly mustEnd?: ((why: string) => void) | undefined
  /** Where uploads and recordings are that services of a database share; each keeps its own when absent. */
  readonly objects?: ObjectPlace | undefined
  /** Limits of recording; for tests and small disks. */
  readonly recording?: RecordingLimits
  /** Time that guests' lines may take; the usual one when absent, others for tests. */
  readonly deliveries?: DeliveryRates
  readonly log?: Log
  /** Follows requests, deliveries and merges as spans of traces; nothing is followed when absent. */
  readonly spans?: Spans | undefined
  /** The system's when absent. */
  readonly clock?: Clock
  /** Unguessable bytes; the system's when absent. */
  readonly random?: (bytes: number) => Buffer
  /** Receive address of the main application's message copies from this start on; as it was when absent. */
  readonly copyUrl?: string | undefined
  /** Serves fault injection, for tests of clients; off when absent. */
  readonly faults?: boolean
  /**
   * Accounts may sign in to the link from other computers without TLS, where others could read their tokens;
   * refused when absent.
   */
  readonly plainSignIn?: boolean
  /** Keeps keys of targets in DIR/target-keys.json; in memory when absent, for whoever has a keychain. */
  readonly targetKeysInFile?: boolean
  /** A further authority for certificates of target servers, in PEM; for tests. */
  readonly targetAuthority?: string
  /** Substitutes of what the reach asks; for tests. */
  readonly reach?: { readonly askRouter?: AskRouter }
  /** Where `/healthz`, `/readyz` and `/metrics` are served; nowhere when absent. */
  readonly metrics?: ListenerChoice | undefined
  /** Where servers of other makes, to which encoders push, ask; nowhere when absent. */
  readonly hooks?: HooksChoice | undefined
  /** What running answers may still take when the service closes, in ms; 1.5 s when absent. */
  readonly drain?: number | undefined
  /** Turns names of callback addresses into IP addresses; the system's when absent. */
  readonly resolve?: Resolve
}

/** A running service. */
export interface Service {
  readonly ready: ServiceReady
  /** The same with the listeners' own addresses, for whoever runs it on this computer and needs no proxy. */
  readonly own: ServiceReady
  readonly addresses: Addresses
  /** Ports of the listeners, whatever addresses lead to them. */
  readonly listening: { readonly api: number; readonly media: number; readonly rtmp: number }
  readonly notes: readonly PortNote[]
  /** Root of `/healthz`, `/readyz` and `/metrics`; undefined when they are not served. */
  readonly metricsUrl: string | undefined
  /** Root of the addresses at which ingest servers ask; undefined when they are not served. */
  readonly hooksUrl: string | undefined
  /** Packets of media that came since the start: while it rises, the broadcast goes on. */
  mediaPackets(): number
  /** Undoes everything in reverse order, within 5 s or what `drain` adds to 3.5 s; safe to call again. */
  close(): Promise<void>
}
