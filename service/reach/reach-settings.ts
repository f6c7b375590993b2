import { foundFaults } from '../../contract/found-faults.ts'
import { publicAddressFault, rangeFault } from '../../contract/public-addresses.ts'
import type { reaches } from '../../contract/operations/reach.ts'
import type { ServiceChoices } from '../../contract/service-process.ts'
import { isLoopback } from '../public-addresses.ts'

/** How far the service is reached. */
export type Reach = (typeof reaches)[number]

/** What is chosen of the reach. */
export interface ReachSettings {
  readonly reach: Reach
  readonly rtmp: boolean
  /** Public address through a proxy; empty for none. */
  readonly publicUrl: string
  /** Public address of the port of this computer; empty for none. */
  readonly portUrl: string
  readonly port: number
  readonly forward: boolean
  readonly certificateFile: string
  readonly keyFile: string
  readonly proxies: readonly string[]
  readonly localName: boolean
}

/** Before anything is chosen. */
export const firstReach: ReachSettings = {
  reach: 'computer',
  rtmp: false,
  publicUrl: '',
  portUrl: '',
  port: 8443,
  forward: false,
  certificateFile: '',
  keyFile: '',
  proxies: [],
  localName: true,
}

/** The member that has the public address of a reach; a call names it `publicUrl`. */
export const addressOf = (reach: Reach): 'portUrl' | 'publicUrl' => (reach === 'port' ? 'portUrl' : 'publicUrl')

/** Members that the command line may set, as answers name them. */
export type FixedMember = 'reach' | 'rtmp' | 'publicUrl' | 'certificate' | 'proxies'

const memberOf: Partial<Record<keyof ReachSettings, FixedMember>> = {
  reach: 'reach',
  rtmp: 'rtmp',
  publicUrl: 'publicUrl',
  portUrl: 'publicUrl',
  certificateFile: 'certificate',
  keyFile: 'certificate',
  proxies: 'proxies',
}

/** What the command line sets. */
export function fixedSettings(
  choices: Pick<
    ServiceChoices,
    'media' | 'rtmp' | 'publicHost' | 'publicAddresses' | 'trustedProxies' | 'tls' | 'httpsPort'
  >,
): Partial<ReachSettings> {
  const { media, rtmp, publicHost, publicAddresses, trustedProxies = [], tls, httpsPort } = choices
  const publicUrl = publicAddresses?.media
  const reach: Reach | undefined =
    httpsPort !== undefined
      ? 'port'
      : publicUrl !== undefined
        ? 'proxy'
        : isLoopback(media.host) && publicHost === undefined
          ? undefined
          : 'home'
  return {
    ...(reach && { reach }),
    ...(httpsPort !== undefined && { port: httpsPort }),
    ...(!isLoopback(rtmp.host) && { rtmp: true }),
    ...(publicUrl !== undefined && { [addressOf(reach ?? 'proxy')]: publicUrl }),
    ...(tls && { certificateFile: tls.certificateFile, keyFile: tls.keyFile }),
    ...(trustedProxies.length > 0 && { proxies: trustedProxies }),
  }
}

/** Names of the members that are fixed. */
export const fixedMembers = (fixed: Partial<ReachSettings>): FixedMember[] => [
  ...new Set((Object.keys(fixed) as (keyof ReachSettings)[]).flatMap((name) => memberOf[name] ?? [])),
]

/** Whether changes only take access away, so that they must hold whatever the disk says. */
export function takesAway(before: ReachSettings, after: ReachSettings): boolean {
  const { reach: _before, proxies: proxiesBefore, ...restBefore } = before
  const { reach, proxies, rtmp, forward, localName, ...rest } = after
  const isCloser = reach === 'computer' && before.reach !== 'computer'
  const flags = [
    [before.rtmp, rtmp],
    [before.forward, forward],
    [before.localName, localName],
  ] as const
  const gives =
    (reach !== before.reach && !isCloser) ||
    proxies.some((range) => !proxiesBefore.includes(range)) ||
    flags.some(([was, is]) => is && !was) ||
    Object.entries(rest).some(([name, value]) => Reflect.get(restBefore, name) !== value)
  const takes = isCloser || proxies.length < proxiesBefore.length || flags.some(([was, is]) => was && !is)
  return takes && !gives
}

/** Switches that set a member, as they are written. */
function switchesOf(name: keyof ReachSettings, { port, publicUrl }: Partial<ReachSettings>): string {
  switch (name) {
    case 'port':
      return '--https-port'
    case 'certificateFile':
      return '--tls-cert'
    case 'keyFile':
      return '--tls-key'
    case 'publicUrl':
    case 'portUrl':
      return '--public-url'
    case 'proxies':
      return '--trust-proxy'
    case 'rtmp':
      return '--bind-rtmp'
    default:
      if (port !== undefined) return '--https-port'
      return publicUrl === undefined ? '--bind-media or --public-host' : '--public-url'
  }
}

/** Why changes cannot be made, in words; undefined when they can. */
export function changesFault(changes: Partial<ReachSettings>, fixed: Partial<ReachSettings>): string | undefined {
  for (const name of Object.keys(changes) as (keyof ReachSettings)[])
    if (fixed[name] !== undefined && JSON.stringify(fixed[name]) !== JSON.stringify(changes[name])) {
      const asked = name === 'portUrl' ? 'publicUrl' : name
      return `${asked} is set by the command line (${switchesOf(name, fixed)}): change it there and start again`
    }
  const { publicUrl, portUrl, proxies, certificateFile, keyFile } = changes
  for (const address of [publicUrl, portUrl]) {
    const fault = address ? publicAddressFault('media', address) : undefined
    if (fault !== undefined) return `publicUrl ${foundFaults.publicAddress}: ${fault}`
  }
  if (portUrl?.startsWith('http:')) return 'publicUrl must begin with https:// for the port, where only HTTPS is open'
  for (const range of proxies ?? []) {
    const fault = rangeFault(range)
    if (fault !== undefined) return `proxies: ${fault}`
  }
  for (const file of [certificateFile, keyFile])
    if (file?.includes('\0')) return 'the path of a file contains no zero byte'
  return undefined
}
