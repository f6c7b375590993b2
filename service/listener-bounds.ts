import type { ListenerBounds } from '../platform/bounded-listener.ts'
import type { PlaceLimits } from '../platform/connection-places.ts'
import { addressGroup, isLoopbackGroup } from '../platform/address-group.ts'
import { createHandshakeRate } from '../platform/handshake-rate.ts'
import { createBoundedLines } from '../platform/bounded-lines.ts'
import { systemClock, type Clock } from '../platform/clock.ts'
import { createDescriptorBudget, descriptorLimit, type DescriptorShare } from '../platform/descriptors.ts'
import { plainAddress } from '../platform/plain-address.ts'
import { createRefusalCount } from '../platform/refusal-count.ts'
import type { FileReadBounds } from './http/file-reads.ts'
import type { Log } from './log.ts'

/** Connections of the HTTP listeners. Those of the link are long-lived, and rooms have thousands. */
export const listenerPlaces = {
  api: { all: 2048, perAddress: 512, perLoopback: 1024 },
  media: { all: 8192, perAddress: 512, perLoopback: 6144 },
  metrics: { all: 64, perAddress: 16, perLoopback: 32 },
  hooks: { all: 256, perAddress: 128, perLoopback: 128 },
} as const satisfies Record<string, PlaceLimits>

/** Descriptors of RTMP connections by role: players cannot take those of encoders. */
export interface RtmpDescriptors {
  readonly waiting: DescriptorShare
  readonly players: DescriptorShare
  readonly publishers: DescriptorShare
}

/** Lines on PROXY headers of others than trusted proxies. */
const untrustedLines = { perSecond: 1 / 60, atOnce: 5 }

/** Limits of a service's listeners. */
export interface ServiceBounds {
  readonly api: ListenerBounds
  readonly media: ListenerBounds
  /** They take a part of the descriptors: for a service that opens them. */
  readonly metrics: () => ListenerBounds
  readonly hooks: () => ListenerBounds
  /** Requests to the media listener whose answer may wait, at most: the others make room. */
  readonly waiting: number
  /** File reads for clients of both listeners. */
  readonly files: FileReadBounds
  readonly rtmp: { readonly descriptors: RtmpDescriptors; readonly refused: (why: string) => void } & Pick<
    ListenerBounds,
    'shared' | 'handshakes'
  >
  close(): void
}

/** Divides the process's descriptors among the listeners and logs refusals. `limit` is the process's by default. */
export function createServiceBounds(options: {
  readonly log: Pick<Log, 'warn'>
  readonly limit?: number
  /** Addresses of many clients; none by default. */
  readonly shared?: (address: string) => boolean
  readonly clock?: Pick<Clock, 'monotonic'>
}): ServiceBounds {
  const { log, limit = descriptorLimit(), shared, clock = systemClock } = options
  const budget = createDescriptorBudget(limit)
  const counts = (['api', 'media', 'rtmp', 'metrics', 'hooks'] as const).map((listener) =>
    createRefusalCount((refused) =>
      log.warn({ listener, refused }, `the ${listener} listener turned connections away`),
    ),
  )
  const [api, media, rtmp, metrics, hooks] = counts as [
    (typeof counts)[0],
    (typeof counts)[0],
    (typeof counts)[0],
    (typeof counts)[0],
    (typeof counts)[0],
  ]
  const handshakes = createHandshakeRate({
    isFree: (address) => isLoopbackGroup(addressGroup(address)) || shared?.(address) === true,
  })
  const lines = createBoundedLines(clock, untrustedLines)
  const untrusted = (address: string): void =>
    lines.line((leftOut) =>
      log.warn(
        { remote: plainAddress(address), ...leftOut },
        'a PROXY header came from an address that is not trusted as a proxy: name it with --trust-proxy',
      ),
    )
  const common = { shared, handshakes, untrusted }
  return {
    api: { places: listenerPlaces.api, descriptors: budget.share(1 / 16), refused: (why) => api.add(why), ...common },
    media: {
      places: listenerPlaces.media,
      descriptors: budget.share(1 / 8),
      refused: (why) => media.add(why),
      ...common,
    },
    metrics: () => ({
      places: listenerPlaces.metrics,
      descriptors: budget.share(1 / 256),
      refused: (why) => metrics.add(why),
      ...common,
    }),
    hooks: () => ({
      places: listenerPlaces.hooks,
      descriptors: budget.share(1 / 128),
      refused: (why) => hooks.add(why),
      ...common,
    }),
    waiting: Math.floor(Math.min(listenerPlaces.media.all, limit / 2) / 4),
    files: { descriptors: budget.share(1 / 16), refused: (why) => media.add(why) },
    rtmp: {
      descriptors: { waiting: budget.share(1 / 16), players: budget.share(1 / 32), publishers: budget.share(1 / 32) },
      refused: (why) => rtmp.add(why),
      ...common,
    },
    close() {
      for (const count of counts) count.close()
    },
  }
}
