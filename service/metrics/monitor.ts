import type { FastifyReply } from 'fastify'
import type { ListenerChoice } from '../../contract/service-process.ts'
import { pause, type Clock } from '../../platform/clock.ts'
import { listenOn } from '../../platform/listen.ts'
import { repeated } from '../../platform/repeated.ts'
import { inBackground } from '../background.ts'
import { createListener, type ListenerOptions } from '../http/listener.ts'
import type { Log } from '../log.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { bindPort } from '../port-binding.ts'
import { isLoopback } from '../public-addresses.ts'
import { SwitchFault } from '../switch-fault.ts'
import type { CountedParts, Looked } from './figure.ts'
import { faultNames, lookForFaults, noFaults, type CheckedParts } from './readiness.ts'
import type { ServiceCounts } from './service-counts.ts'

/** Interval of looks at the disk, the database and the outbox, in ms. */
const lookEvery = 5000
/**
 * How long a node goes on taking what comes after it is not ready any more, in ms: a proxy that asks twice a second
 * (`resources/cluster/haproxy.cfg`) passes nothing on to it then.
 */
const noticeTime = 1500
/** What a scrape that runs may still take when the listener closes, in ms. */
const closeGrace = 500
const paths = new Set(['/healthz', '/readyz', '/metrics'])

/** Parts of a service, once they are there. */
export interface MonitoredParts extends CountedParts, CheckedParts {
  readonly outbox: CountedParts['outbox'] & CheckedParts['outbox'] & Pick<Outbox, 'backlog'>
  readonly held: CountedParts['held'] & CheckedParts['held']
}

/** The listener of `/healthz`, `/readyz` and `/metrics`. */
export interface Monitor {
  /** Root of its addresses; undefined when it is not open. */
  readonly url: string | undefined
  ports(): readonly number[]
  /** The service has begun: from here on `/readyz` asks its parts, and `/metrics` tells their figures. */
  watch(parts: MonitoredParts): Promise<void>
  /**
   * The service is ending: it is not ready any more. Where others can take what comes, resolves when a proxy before
   * them has seen that.
   */
  ending(hasOthers: boolean): Promise<void>
  close(): Promise<void>
}

const closed: Monitor = {
  url: undefined,
  ports: () => [],
  watch: () => Promise.resolve(),
  ending: () => Promise.resolve(),
  close: () => Promise.resolve(),
}

/**
 * Opens the listener first of all, where one is asked for, so that it answers during a long start and until the end. It
 * tells counts alone, to whoever reaches it.
 */
export async function openMonitor(
  choice: ListenerChoice | undefined,
  options: Omit<ListenerOptions, 'bounds'> & {
    readonly bounds: () => ListenerOptions['bounds']
    readonly counts: ServiceCounts
    readonly clock: Clock
    readonly log: Log
  },
): Promise<Monitor> {
  if (!choice) return closed
  const { counts, clock, log } = options
  const { createRegistry } = await import('./registry.ts')
  let state: 'starting' | 'running' | 'ending' = 'starting'
  let looked: Looked = { faults: noFaults, backlog: { waiting: 0, oldestAge: 0 } }
  let parts: MonitoredParts | undefined
  let registry: ReturnType<typeof createRegistry> | undefined
  let stop = (): void => undefined

  const listener = createListener({
    ...options,
    bounds: options.bounds(),
    origin: () => false,
    allowed: (path) => (paths.has(path) ? 'GET, HEAD' : undefined),
  })
  const { app } = listener
  const unready = (reply: FastifyReply, ...broken: string[]): FastifyReply =>
    reply.code(503).header('retry-after', 1).send({ ready: false, broken })
  app.route({ method: ['GET', 'HEAD'], url: '/healthz', handler: () => ({ healthy: true }) })
  app.route({
    method: ['GET', 'HEAD'],
    url: '/readyz',
    async handler(_request, reply) {
      if (!parts || state !== 'running') return unready(reply, state)
      const faults = await lookForFaults(parts, clock)
      // It may have begun to end meanwhile.
      const broken = state === 'running' ? faultNames.filter((name) => faults[name]) : [state]
      return broken.length > 0 ? unready(reply, ...broken) : { ready: true }
    },
  })
  app.route({
    method: ['GET', 'HEAD'],
    url: '/metrics',
    async handler(_request, reply) {
      if (!registry) return unready(reply, state)
      return reply.header('content-type', registry.contentType).send(await registry.metrics())
    },
  })
  await app.ready()
  const { host } = choice
  const { used } = await bindPort(
    (port) => listenOn(listener.server, host, port),
    choice.port,
    [],
    process.platform,
    'metrics',
  ).catch(async (error: unknown) => {
    await listener.close(0)
    if ((error as { code?: unknown } | null)?.code !== 'EADDRNOTAVAIL') throw error
    throw new SwitchFault(
      `${host} (--metrics-host) is not an address of this computer: name one of its own, or 0.0.0.0 for all`,
      { cause: error },
    )
  })
  if (!isLoopback(host))
    log.warn(
      { listener: 'metrics', host, port: used },
      'the metrics listener is open to the network: counts are told there',
    )

  const look = async (of: MonitoredParts): Promise<void> => {
    const [faults, { waiting, oldest }] = await Promise.all([lookForFaults(of, clock), of.outbox.backlog()])
    looked = { faults, backlog: { waiting, oldestAge: oldest === 0 ? 0 : Math.max(0, clock.now() - oldest) } }
  }
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${used}`,
    ports: () => [used],
    async watch(given) {
      parts = given
      registry = createRegistry(given, counts, () => looked)
      // A database that answers no more is told as such, and nothing is known of its outbox.
      const lookAgain = (): void =>
        inBackground(
          look(given).catch(async () => {
            looked = { ...looked, faults: await lookForFaults(given, clock) }
          }),
          log,
          'looking at what a scrape tells',
        )
      await look(given)
      state = 'running'
      stop = repeated(clock, lookEvery, lookAgain)
    },
    async ending(hasOthers) {
      state = 'ending'
      stop()
      if (hasOthers) await pause(clock, noticeTime)
    },
    async close() {
      stop()
      await listener.close(closeGrace)
    },
  }
}
