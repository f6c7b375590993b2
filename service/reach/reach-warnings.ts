import { isForAnybody } from '../../contract/public-addresses.ts'
import { isForHost } from '../../contract/certificate-host.ts'
import type { ServiceChoices } from '../../contract/service-process.ts'
import { isLoopback, portOf, type Addresses } from '../public-addresses.ts'
import type { Certificate } from './certificate.ts'
import type { WantedDoor } from './doors.ts'
import type { ReachSettings } from './reach-settings.ts'

/** What the log says of a reach that does not work, or trusts everybody. */
export interface ReachWarning {
  readonly fields: object
  readonly sentence: string
}

type Name = 'api' | 'media' | 'rtmp'

/** What is open, and what callers are told. */
export interface ReachNow {
  readonly choices: Pick<ServiceChoices, Name | 'tls' | 'publicAddresses'>
  readonly settings: Pick<ReachSettings, 'reach' | 'portUrl' | 'proxies' | 'certificateFile'>
  readonly addresses: Addresses
  readonly port: (listener: Name) => number
  readonly doors: readonly WantedDoor[]
  readonly certificate: Certificate | undefined
}

const switches = { api: '--public-api', media: '--public-url', rtmp: '--public-rtmp' } as const
const rtmpPorts: Readonly<Partial<Record<string, number>>> = { 'rtmp:': 1935, 'rtmps:': 443 }

const isSecure = (address: string): boolean => /^(?:https|wss|rtmps):/.test(address)
const hostIn = (address: string): string => new URL(address).hostname.replace(/^\[|\]$/g, '')
const portIn = (address: string): number => {
  const url = new URL(address)
  const implied = rtmpPorts[url.protocol]
  return implied === undefined ? portOf(url) : Number(url.port) || implied
}

interface OpenListener {
  readonly name: Name
  readonly port: number
  readonly tls: boolean
}

/** Those that others reach. */
function openListeners({ choices, port, doors }: ReachNow): OpenListener[] {
  const own = (['api', 'media', 'rtmp'] as const).filter((name) => !isLoopback(choices[name].host))
  return [
    ...own.map((name) => ({ name, port: port(name), tls: name === 'api' && choices.tls !== undefined })),
    ...doors,
  ]
}

/** Hosts of addresses behind which this certificate answers, and which it does not name. */
function* nameWarnings(now: ReachNow): Generator<ReachWarning> {
  const { certificate, choices, settings, addresses } = now
  if (!certificate) return
  const isNamed: Readonly<Record<Name, boolean>> = {
    api: choices.publicAddresses?.api !== undefined,
    media: settings.portUrl !== '',
    rtmp: typeof choices.publicAddresses?.rtmp === 'string',
  }
  const hosts = new Map<string, Name[]>()
  for (const { name, tls } of openListeners(now)) {
    const host = hostIn(addresses[name])
    // Encoders are told of no address of RTMP over TLS where none is named.
    if (!tls || (name === 'rtmp' && isLoopback(host)) || isForHost(certificate, host)) continue
    hosts.set(host, [...(hosts.get(host) ?? []), name])
  }
  for (const [host, names] of hosts) {
    const unnamed = names.filter((name) => !isNamed[name]).map((name) => switches[name])
    const remedy = unnamed.length === 0 ? '' : `, or name a public address that it has (${unnamed.join(', ')})`
    yield {
      fields: {
        file: settings.certificateFile,
        names: certificate.names,
        expires: certificate.expires,
        addresses: names.map((name) => addresses[name]),
      },
      sentence: `the certificate does not name ${host}, so clients refuse it: use one that does${remedy}`,
    }
  }
}

/** Addresses that callers are told and at which nothing of this service can answer. */
function* addressWarnings(now: ReachNow): Generator<ReachWarning> {
  const { choices, settings, addresses, doors } = now
  const open = openListeners(now)
  const { link } = choices.publicAddresses ?? {}
  const told = [
    ['api', addresses.api],
    ['media', addresses.media],
    ...(link === undefined ? [] : [['media', link] as const]),
    ['rtmp', addresses.rtmp],
  ] as const
  const isProxied = settings.proxies.length > 0
  for (const [name, address] of told) {
    const port = portIn(address)
    const there = open.find((one) => one.name === name && one.port === port)
    const says = `the public address ${address} cannot be reached: `
    // A proxy of another computer may have TLS at the same port.
    if (there && there.tls !== isSecure(address) && (there.tls || !isProxied))
      yield {
        fields: { address, port },
        sentence: `${says}port ${port} ${there.tls ? 'is TLS alone' : 'has no TLS'}; use ${schemeFor(address)}`,
      }
    else if (name === 'media' && !isSecure(address) && settings.reach === 'port' && !isProxied)
      if (!open.some((one) => one.name === 'media' && !one.tls))
        yield {
          fields: { address, ports: doors.filter((one) => one.name === 'media').map((one) => one.port) },
          sentence: `${says}only HTTPS is open to others; use ${schemeFor(address)}`,
        }
  }
  const isNamed = typeof choices.publicAddresses?.rtmp === 'string'
  if (!isNamed && !isLoopback(hostIn(addresses.rtmp)) && !open.some(({ name, tls }) => name === 'rtmp' && !tls))
    yield {
      fields: { address: addresses.rtmp },
      sentence:
        `encoders are told ${addresses.rtmp}, where RTMP is not open: ` +
        'open it with --bind-rtmp, or name where it is reached with --public-rtmp',
    }
}

/** The scheme that an address should have instead. */
const schemeFor = (address: string): string => {
  const { protocol } = new URL(address)
  return `${isSecure(address) ? protocol.replace('s:', ':') : protocol.replace(':', 's:')}//`
}

/** Everything that is to be said now. */
export function reachWarnings(now: ReachNow): ReachWarning[] {
  const ranges = now.settings.proxies.filter(isForAnybody)
  return [
    ...nameWarnings(now),
    ...addressWarnings(now),
    ...ranges.map((range) => ({
      fields: { range },
      sentence:
        `${range} is trusted as proxies, which has addresses of anybody: ` +
        'they can say that they are another client, and that they use TLS; name the proxies alone',
    })),
  ]
}
