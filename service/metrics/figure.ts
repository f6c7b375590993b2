import type { Histogram } from '../../platform/histogram.ts'
import type { Bus } from '../bus/bus.ts'
import type { Channels } from '../channels/channels.ts'
import type { DelayedLines } from '../delay/delayed-lines.ts'
import type { Hls } from '../delivery/hls-delivery.ts'
import type { Hub } from '../hub/hub.ts'
import type { Link } from '../link/link.ts'
import type { Sessions } from '../link/sessions.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { createRecording } from '../recording/recording.ts'
import type { RedisScripts } from '../redis/redis-scripts.ts'
import type { RoomRegistry } from '../rooms/rooms-registry.ts'
import type { HeldWrites } from '../storage/held-writes.ts'
import type { MessagingStream } from '../stream/stream.ts'
import type { Targets } from '../targets/targets.ts'
import type { Faults } from './readiness.ts'
import type { ServiceCounts } from './service-counts.ts'

/** Parts whose figures are read at a scrape: none waits, and none goes through more than its channels or rooms. */
export interface CountedParts {
  readonly channels: Pick<Channels, 'totals'>
  readonly hub: Pick<Hub, 'totals'>
  readonly lines: Pick<DelayedLines, 'memory'>
  readonly hls: Pick<Hls, 'totals'>
  readonly held: Pick<HeldWrites, 'size'>
  readonly targets: Pick<Targets, 'totals'>
  readonly recording: Pick<Awaited<ReturnType<typeof createRecording>>, 'totals'>
  readonly rooms: Pick<RoomRegistry, 'totals'>
  readonly sessions: Pick<Sessions, 'size'>
  readonly link: Pick<Link, 'connections'>
  readonly stream: Pick<MessagingStream, 'waiting'>
  readonly outbox: Pick<Outbox, 'attempts'>
  /** In a cluster. */
  readonly redis: Pick<RedisScripts, 'up'> | undefined
  readonly bus: Pick<Bus, 'up'>
}

/** What is read in the background, as it takes a look at the disk or at many rows. */
export interface Looked {
  readonly faults: Faults
  readonly backlog: { readonly waiting: number; readonly oldestAge: number }
}

/** A value with its labels, whose values are of a closed list each: never a channel, an account or an address. */
export type Row = readonly [value: number, labels?: Readonly<Record<string, string>>]

interface Described {
  /** By the conventions of Prometheus: unit last, `_total` for a counter. */
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
}

/** A figure of a service. */
export type Figure =
  | (Described & {
      readonly type: 'gauge' | 'counter'
      readonly read: (parts: CountedParts, counts: ServiceCounts, looked: Looked) => readonly Row[]
    })
  | (Described & {
      readonly type: 'histogram'
      /** What one unit of it is in that of the name. */
      readonly unit: number
      readonly read: (
        counts: ServiceCounts,
      ) => readonly (readonly [Histogram, labels?: Readonly<Record<string, string>>])[]
    })
