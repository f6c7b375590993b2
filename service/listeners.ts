import type {
  Credentials,
  ListenerChoice,
  PortNote,
  ServiceChoices,
  ServiceReady,
} from '../contract/service-process.ts'
import type { ListenerState } from './channels/live-operations-local.ts'
import type { Log } from './log.ts'
import { bindPort, promisedPorts, type PortBinding } from './port-binding.ts'
import { isLoopback, toldAddresses, type Addresses, type ToldAddresses } from './public-addresses.ts'
import type { Service } from './service.ts'
import { SwitchFault } from './switch-fault.ts'

/** The listeners of a service. */
export type ListenerName = 'api' | 'media' | 'rtmp'
const names = ['api', 'media', 'rtmp'] as const

/** What others can do at a listener that is not bound to this computer alone. */
const openTo = {
  rtmp: 'stream keys travel in clear there',
  media: 'anyone there can watch',
  api: 'signed calls are taken over TLS, from trusted proxies that say https, and from this computer',
} as const

/**
 * Where the listeners of a service are bound. Whoever tells an address asks for it when it is told: a listener has
 * its port from `bind` on.
 */
export type Listeners = ReturnType<typeof createListeners>

const foreignAddress = (name: ListenerName, host: string, cause: unknown): SwitchFault =>
  new SwitchFault(
    `${host} (--bind-${name}) is not an address of this computer: name one of its own, or 0.0.0.0 for all`,
    {
      cause,
    },
  )

/** Keeps the bindings of a service's listeners; nothing is bound yet. */
export function createListeners(
  options: Pick<ServiceChoices, ListenerName | 'namedPorts' | 'httpsPort' | 'rtmpsPort'> & {
    readonly told: Pick<ToldAddresses, 'addresses'>
    readonly log: Pick<Log, 'warn'>
    /** Ports of further listeners to others, which open and close; none by default. */
    readonly doorPorts?: () => readonly number[]
  },
) {
  const { told, log, namedPorts = [], doorPorts = () => [] } = options
  const bindings: Partial<Record<ListenerName, PortBinding>> = {}
  const chosen = (name: ListenerName): ListenerChoice => options[name]
  const port = (name: ListenerName): number => bindings[name]?.used ?? chosen(name).port
  const bound = () =>
    names.flatMap((name) => {
      const binding = bindings[name]
      return binding ? [{ name, ...binding }] : []
    })
  return {
    /** The port of a listener: the one that was chosen before it is bound. */
    port,
    /** Where a listener is bound, or is to be. */
    place: (name: ListenerName): ListenerChoice => ({ host: chosen(name).host, port: port(name) }),
    /** Where callers reach the listeners now. */
    addresses: (): Addresses => told.addresses(port),
    /** All on which this service listens. */
    ports: (): number[] => [...bound().map(({ used }) => used), ...doorPorts()],
    /**
     * Binds a listener to the port that was chosen for it, or to the next free one. Rejects when there is none, or when
     * the port must not move.
     */
    async bind(name: ListenerName, listen: (port: number) => Promise<number>) {
      const { host, port: wanted } = chosen(name)
      const reserved = names.map((other) => chosen(other).port)
      const fixed = namedPorts.includes(name) ? name : undefined
      const binding = await bindPort(
        listen,
        wanted,
        reserved,
        process.platform,
        fixed,
        promisedPorts(options, name),
      ).catch((error: unknown) => {
        throw (error as { code?: unknown } | null)?.code === 'EADDRNOTAVAIL' ? foreignAddress(name, host, error) : error
      })
      bindings[name] = binding
      if (binding.used !== wanted && wanted !== 0)
        log.warn(
          { listener: name, ...binding },
          `port ${wanted} is taken by ${binding.holder ?? 'another program'}; using ${binding.used}`,
        )
      if (!isLoopback(host))
        log.warn(
          { listener: name, host, port: binding.used },
          `the ${name} listener is open to the network: ${openTo[name]}`,
        )
    },
    /** Those that are bound, as the service describes them. */
    states: (): ListenerState[] =>
      bound().map(({ name, wanted, used, holder }) => ({
        name,
        address: chosen(name).host,
        port: used,
        wanted,
        ...(holder !== undefined && { holder }),
      })),
    /** Those whose port was taken. */
    notes: (): PortNote[] =>
      bound().flatMap(({ name, wanted, used, holder }): PortNote[] =>
        wanted === 0 || wanted === used
          ? []
          : [{ listener: name, wanted, used, ...(holder !== undefined && { holder }) }],
      ),
  }
}

/** Throws a sentence when the api listener would be reached without TLS. */
export function requireSafeApi(api: ListenerChoice, trustedProxies: readonly string[], hasTls = false): void {
  if (!isLoopback(api.host) && trustedProxies.length === 0 && !hasTls)
    throw new SwitchFault(
      `the api listener cannot be bound to ${api.host} without TLS: signed headers could be read and used by others for 5 minutes; bind it to 127.0.0.1, give it a certificate with --tls-cert and --tls-key, or name the proxy with TLS that reaches it with --trust-proxy`,
    )
}

/** The ready line of a service that is reached at these addresses. */
const readyAt = (appKey: string, { api, media, rtmp, link }: Addresses): ServiceReady => ({
  event: 'ready',
  appKey,
  baseUrl: api,
  imBaseUrl: `${api}/nimserver`,
  mediaUrl: media,
  rtmpUrl: rtmp,
  linkUrl: link,
})

/** Without public addresses. */
const ownChoices = ({ api, media, rtmp, tls }: Pick<ServiceChoices, ListenerName | 'tls'>) => ({
  api,
  media,
  rtmp,
  ...(tls && { tls }),
})

/** What whoever runs a service is told of its listeners, once all are bound. */
export const describeListeners = (
  listeners: Listeners,
  { appKey }: Credentials,
  choices: Pick<ServiceChoices, ListenerName | 'tls'>,
): Pick<Service, 'ready' | 'own' | 'addresses' | 'listening' | 'notes'> => ({
  ready: readyAt(appKey, listeners.addresses()),
  own: readyAt(appKey, toldAddresses(ownChoices(choices)).addresses(listeners.port)),
  addresses: listeners.addresses(),
  listening: { api: listeners.port('api'), media: listeners.port('media'), rtmp: listeners.port('rtmp') },
  notes: listeners.notes(),
})
