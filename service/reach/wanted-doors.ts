import { isIP, isIPv4 } from 'node:net'
import type { ServiceChoices } from '../../contract/service-process.ts'
import { isLoopback } from '../public-addresses.ts'
import type { WantedDoor } from './doors.ts'
import { everyAddress, homeAddresses, inUrl } from './network.ts'
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

/** Host and port at which a proxy reaches the media side. */
export function proxyTarget({ proxies }: ReachSettings, { media }: Choices, port: PortOf): string {
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
export function proxyApiTarget(
  { proxies }: ReachSettings,
  { api, tls }: Pick<ServiceChoices, 'api' | 'tls'>,
  port: PortOf,
): string | undefined {
  if (isLoopback(api.host)) return isElsewhere(proxies) ? undefined : `${inUrl(api.host)}:${port('api')}`
  if (tls) return undefined
  return `${inUrl(['0.0.0.0', '::'].includes(api.host) ? '127.0.0.1' : api.host)}:${port('api')}`
}
