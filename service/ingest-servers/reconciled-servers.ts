import type { Clock } from '../../platform/clock.ts'
import { repeated } from '../../platform/repeated.ts'
import type { Channels } from '../channels/channels.ts'
import type { Log } from '../log.ts'
import type { IngestServer, ServerControl } from './ingest-server.ts'
import { mediamtxControl } from './mediamtx.ts'
import { nginxRtmpControl } from './nginx-rtmp.ts'
import { serverCalls } from './server-calls.ts'
import { srsControl } from './srs.ts'

const controls = {
  'nginx-rtmp': nginxRtmpControl,
  srs: srsControl,
  mediamtx: mediamtxControl,
} as const satisfies Record<IngestServer['make'], unknown>

/** Between comparisons with what is allowed, in ms. */
const reconcileEvery = 10_000
const cidShape = /^[0-9a-f]{32}$/
/** Encoders of one server that are cut off at the same time. */
const atOnce = 4

/** Servers of other makes, whose pushes end as the service's own do. */
export interface IngestServers {
  /** Looks now, as a channel may not be pushed to any more. */
  look(): void
  close(): Promise<void>
}

/**
 * Cuts off encoders at servers of other makes whose channel may not be pushed to: when asked to look, and every 10 s,
 * as a call may be lost, and a server may have started anew or not have asked.
 */
export function createIngestServers(options: {
  readonly servers: readonly IngestServer[]
  /** In ms; 10 s when absent. */
  readonly every?: number | undefined
  readonly channels: Pick<Channels, 'get'>
  readonly clock: Clock
  readonly log: Pick<Log, 'warn' | 'info'>
}): IngestServers {
  const { channels, clock, log } = options
  // Other names are of somebody else's.
  const mayPush = (cid: string): boolean => !cidShape.test(cid) || channels.get(cid)?.row.disabled === 0
  let isClosed = false
  const watched = options.servers.map(({ make, url }) => {
    const control: ServerControl = controls[make](serverCalls(url))
    let running: Promise<void> | undefined
    let isAsked = false
    let hasFailed = false
    const once = async (): Promise<void> => {
      try {
        const pushes = (await control.pushes()).filter(({ cid }) => !mayPush(cid))
        for (let from = 0; from < pushes.length && !isClosed; from += atOnce)
          await Promise.all(pushes.slice(from, from + atOnce).map((push) => control.cut(push)))
        if (pushes.length > 0) log.info({ server: make, encoders: pushes.length }, 'encoders were cut off at a server')
        hasFailed = false
      } catch (error) {
        // Asked again in 10 s; said once.
        if (!hasFailed && !isClosed)
          log.warn({ server: make, reason: (error as Error).message }, 'an ingest server does not answer')
        hasFailed = true
      }
    }
    const look = (): void => {
      isAsked = true
      running ??= (async () => {
        while (isAsked && !isClosed) {
          isAsked = false
          await once()
        }
        running = undefined
      })()
    }
    return { look, idle: async () => running }
  })
  const look = (): void => {
    for (const one of watched) one.look()
  }
  const stop = repeated(clock, options.every ?? reconcileEvery, look)
  return {
    look,
    async close() {
      isClosed = true
      stop()
      await Promise.all(watched.map(({ idle }) => idle()))
    },
  }
}
