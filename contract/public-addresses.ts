import type { PublicAddresses } from './service-process.ts'

/** Schemes of each public address, and an example. */
export const publicAddressShapes = {
  media: { schemes: ['https:', 'http:'], example: 'https://live.example.com' },
  api: { schemes: ['https:', 'http:'], example: 'https://api.example.com' },
  link: { schemes: ['wss:', 'ws:'], example: 'wss://live.example.com/link' },
  rtmp: { schemes: ['rtmp:', 'rtmps:'], example: 'rtmp://live.example.com' },
} as const satisfies Readonly<
  Record<keyof PublicAddresses, { readonly schemes: readonly string[]; readonly example: string }>
>

/** In characters. */
export const maxPublicAddress = 1024

/** Letters, digits and what addresses need: links are pasted into shells, where other characters can be commands. */
const plainAddress = /^[a-z]+:\/\/[\p{L}\p{M}\p{N}._~:/[\]-]+$/iu

/** Longest name of a host, without the dot at its end (RFC 1035, 2.3.4). */
const maxName = 253
const nameLabel = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/

/** Whether the host of an address is an IP address, or a name that one can have. */
function isHost(address: string): boolean {
  // Names of other schemes are not spelled as the domain name system has them.
  const host = URL.parse(address.replace(/^[^:]*/, 'http'))?.hostname ?? ''
  if (host.startsWith('[')) return true
  const name = host.replace(/\.$/, '')
  return name.length <= maxName && name.split('.').every((label) => nameLabel.test(label))
}

/** What a public address does not have that it must, or has that it must not; undefined if it is valid. */
export function publicAddressFault(name: keyof PublicAddresses, given: string): string | undefined {
  const { schemes } = publicAddressShapes[name]
  if (given.length > maxPublicAddress) return `it may have at most ${maxPublicAddress} characters`
  if (/\s/u.test(given)) return 'it may have no blanks'
  const scheme = /^[a-z]+:(?=\/\/)/i.exec(given)?.[0].toLowerCase()
  if (!schemes.some((one) => one === scheme))
    return `it must begin with ${schemes.map((one) => `${one}//`).join(' or ')}`
  if (/[?#]/.test(given)) return 'it may have no query and no fragment'
  const { hostname = '', username, password, pathname = '' } = URL.parse(given) ?? {}
  if (username || password) return 'it may have no user name and no password'
  if (!plainAddress.test(given) && !given.endsWith('//'))
    return 'its host and path may have letters, digits and . _ ~ - only'
  if (hostname === '') return 'it must have a host, and a port from 1 to 65535 if any'
  if (!isHost(given))
    return 'its host must be an IP address, or a name of parts that are not empty and have no - at an end'
  if (name === 'rtmp' && pathname.length > 1) return 'it may have no path, as those of channels are added to it'
  if (name === 'link' && pathname.length <= 1) return 'it must have the path of the link, which is told as given'
  return undefined
}

/** Parses a public address, unchanged except for trailing slashes; undefined if invalid. */
export const readPublicAddress = (name: keyof PublicAddresses, given: string): string | undefined =>
  publicAddressFault(name, given) === undefined ? given.replace(/\/+$/, '') : undefined

/**
 * First numbers of IPv4 addresses that are of no computer on the internet, of IANA's special-purpose registry. Left out
 * are those for documentation: in tests they stand for public ones, of routers and of the computer that tests run on.
 */
const inner4 = [
  /^(?:0|10|127|22[4-9]|2[3-5]\d)\./,
  /^(?:169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))\./,
  /^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
  // For measurements between networks.
  /^198\.1[89]\./,
]

/** The same of IPv6: Teredo, documentation, and 6to4, whose addresses may be of a private IPv4 address. */
const inner6 = /^\[(?:2001:(?:0?:|db8:)|2002:)/

/** Ends of names that networks give to their own computers: of one part, or kept for that. */
const innerName = /(?:^|\.)(?:local|localhost|lan|home|home\.arpa|internal|intranet)$/

/** Whether people on the internet may get to the host of an address: not to one of this computer or its network. */
export function isOnInternet(address: string): boolean {
  const host = URL.parse(address)?.hostname ?? ''
  // Global unicast addresses (RFC 4291, 2.4) are all of 2000::/3 so far.
  if (host.startsWith('[')) return /^\[[23][\da-f]{3}:/.test(host) && !inner6.test(host)
  if (/^[\d.]+$/.test(host)) return !inner4.some((range) => range.test(host))
  // A dot at the end is of the same name.
  const name = host.replace(/\.$/, '')
  return name.includes('.') && !innerName.test(name)
}

const part = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const version4 = new RegExp(`^${part}(?:\\.${part}){3}$`)
const isVersion6 = (address: string): boolean =>
  /^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(address) && URL.canParse(`http://[${address}]/`)

/** Error in an IP address or CIDR range; undefined if valid. */
export function rangeFault(range: string): string | undefined {
  const [address = '', length, ...more] = range.split('/')
  const family = version4.test(address) ? 4 : isVersion6(address) ? 6 : 0
  if (family === 0 || more.length > 0) return `"${range}" is no IP address or range such as 10.0.0.0/8`
  if (length === undefined) return undefined
  return /^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128)
    ? undefined
    : `"${range}" has no prefix length that its address can have`
}

/** Whether a range has addresses of anybody: those of networks of one's own are 10.0.0.0/8 and fc00::/7 at most. */
export function isForAnybody(range: string): boolean {
  const [address = '', length] = range.split('/')
  return length !== undefined && Number(length) < (address.includes(':') ? 7 : 8)
}

/** Proxy ranges in the app's settings. */
export const maxProxies = 16

/** Splits a list at commas and spaces. */
export const readRanges = (text: string): string[] => text.split(/[\s,]+/).filter((range) => range !== '')
