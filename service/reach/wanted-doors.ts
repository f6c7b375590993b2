import { isIP, isIPv4 } from 'node:net'
import type { ServiceChoices } from '../../contract/service-process.ts'
import { isLoopback } from '../public-addresses.ts'
import type { WantedDoor } from './doors.ts'
import { doorAt, everyAddress, homeAddresses, inUrl } from './network.ts'
import type { ReachSettings } from './reach-settings.ts'

type Choices = Pick<ServiceChoices, 'media' | 'rtmp' | 'rtmpsPort'>
type PortOf = (listener: 'api' | 'media' | 'rtmp') => number

/** Whether a proxy is on another computer. */
const isElsewhere = (proxies: readonly string[]): boolean => proxies.some((range) => !isLoopback(range.split('/')[0]!))

/** Listeners to others that the settings ask for. */
export function wantedDoors(
  { reach, rtmp, port: outer, proxies }: ReachSettings,
  choices: Choices,
  port: PortOf,
  isTrusted: (address: string) => boolean,
): WantedDoor[] {
  const home = homeAddresses()
  const isLoopbackMedia = isLoopback(choices.media.host)
  const onHome = (name: WantedDoor['name'], only?: WantedDoor['only']): WantedDoor[] =>
    home.map((host) => ({ name, host, port: port(name), tls: false, only }))
  const all = everyAddress()
  return [
    ...(reach === 'home' && isLoopbackMedia ? onHome('media') : []),
    // The proxy of another computer comes by the home network; nobody else does.
    ...(reach === 'proxy' && isLoopbackMedia && isElsewhere(proxies) ? onHome('media', isTrusted) : []),
    ...(reach === 'port' ? [{ name: 'media' as const, host: all, port: outer, tls: true }] : []),
    ...(rtmp && reach !== 'computer' && isLoopback(choices.rtmp.host) ? onHome('rtmp') : []),
    ...(choices.rtmpsPort === undefined
      ? []
      : [{ name: 'rtmp' as const, host: all, port: choices.rtmpsPort, tls: true }]),
  ]
}

/** Roots without TLS by which this computer, and its home network, reach the media side with these doors open. */
export function plainRoots({ media: { host } }: Choices, port: number, open: readonly WantedDoor[]) {
  const isWild = host === '0.0.0.0' || host === '::'
  const [home] = homeAddresses()
  const door = doorAt(
    open.filter(({ name, tls }) => name === 'media' && !tls),
    home,
  )
  const homeHost = door?.host ?? (isWild ? home : isLoopback(host) ? undefined : host)
  return {
    own: `http://${inUrl(isWild ? '127.0.0.1' : host)}:${port}`,
    home: homeHost === undefined ? undefined : `http://${inUrl(homeHost)}:${door?.port ?? port}`,
  }
}

/** Host and port at which a proxy reaches the media side. */
function mediaTarget({ proxies }: ReachSettings, { media }: Choices, port: PortOf): string {
  const host = isLoopback(media.host)
    ? isElsewhere(proxies)
      ? (homeAddresses().find(isIPv4) ?? '127.0.0.1')
      : media.host
    : isIP(media.host) !== 0 && !['0.0.0.0', '::'].includes(media.host)
      ? media.host
      : '127.0.0.1'
  return `${inUrl(host)}:${port('media')}`
}

/**
 * Host and port at which a proxy reaches signed calls; undefined where it does not, or where they have a certificate of
 * their own.
 */
function apiTarget(
  { proxies }: ReachSettings,
  { api, tls }: Pick<ServiceChoices, 'api' | 'tls'>,
  port: PortOf,
): string | undefined {
  if (isLoopback(api.host)) return isElsewhere(proxies) ? undefined : `${inUrl(api.host)}:${port('api')}`
  if (tls) return undefined
  return `${inUrl(['0.0.0.0', '::'].includes(api.host) ? '127.0.0.1' : api.host)}:${port('api')}`
}

/** What a proxy passes on: the media side, and what has an address of the same name. */
export function proxied(
  publicUrl: string,
  settings: ReachSettings,
  choices: Choices & Pick<ServiceChoices, 'api' | 'tls' | 'publicAddresses'>,
  port: PortOf,
) {
  const { api, link } = choices.publicAddresses ?? {}
  const isBeside = (address: string | undefined): address is string =>
    address !== undefined && new URL(address.replace(/^ws/, 'http')).origin === new URL(publicUrl).origin
  const target = apiTarget(settings, choices, port)
  return {
    target: mediaTarget(settings, choices, port),
    api: isBeside(api) && target !== undefined ? { publicApi: api, target } : undefined,
    publicLink: isBeside(link) ? link : undefined,
  }
}
