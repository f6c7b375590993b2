import type { Spans } from '../tracing/spans.ts'
import type { LocalEvent } from '../../contract/local-events.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Quarantine } from '../../platform/quarantine.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { Bus } from '../bus/bus.ts'
import type { NodeCommands } from '../bus/node-commands.ts'
import type { Channels } from '../channels/channels.ts'
import type { FileReads } from '../http/file-reads.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Presence } from '../presence/presence.ts'
import type { Store } from '../storage/store.ts'
import type { FilesDatabase } from './files-store.ts'
import type { PlaybackTickets } from './playback.ts'
import type { FileListener } from './recorded-file.ts'
import type { RecorderHub } from './recorder.ts'
import type { RecordingLimits } from './recording-limits.ts'
import type { Retention } from './removal.ts'

/** Options of recording. */
export interface RecordingOptions extends Omit<FilesDatabase, 'node'> {
  /** Other services of the same database; absent where there are none. */
  readonly cluster?: { readonly node: string; readonly media?: string } | undefined
  readonly presence?: Presence | undefined
  readonly commands?: NodeCommands
  readonly bus?: Bus
  readonly jobs?: Jobs
  readonly store: Pick<Store, 'db' | 'numberAbove'>
  readonly dataDir: string
  readonly timeZone: string
  readonly hub: RecorderHub
  readonly channels: Pick<Channels, 'get' | 'setRecording' | 'recording'>
  /** Whether an application may record (1-live, 723), from memory. */
  readonly mayRecord: (uid: number) => boolean
  readonly retention: () => readonly Retention[]
  readonly tell: (uid: number, event: LocalEvent) => void
  readonly listener: FileListener
  readonly mediaRoot: () => string
  /** Tickets for the media listener, valid across restarts. */
  readonly fileTickets: PlaybackTickets
  readonly fileReads: FileReads
  /** Where finished recordings are brought; they stay in the data folder when absent. */
  readonly blobs?: Blobs | undefined
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void }
  readonly limits?: RecordingLimits | undefined
  readonly spans?: Spans | undefined
  readonly quarantine: Pick<Quarantine, 'setAside' | 'putBack'>
}
