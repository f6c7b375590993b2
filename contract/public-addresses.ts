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

/** Parses a public address, unchanged except for trailing slashes; undefined if invalid. */
export function readPublicAddress(name: keyof PublicAddresses, given: string): string | undefined {
  if (given.length > maxPublicAddress || !URL.canParse(given)) return undefined
  const { protocol, hostname, username, password, pathname } = new URL(given)
  const isPlain = hostname !== '' && username === '' && password === '' && plainAddress.test(given)
  const isKnown = publicAddressShapes[name].schemes.some((scheme) => scheme === protocol)
  return isPlain && isKnown && (name !== 'rtmp' || pathname.length <= 1) ? given.replace(/\/+$/, '') : undefined
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

/** Proxy ranges in the app's settings. */
export const maxProxies = 16

/** Splits a list at commas and spaces. */
export const readRanges = (text: string): string[] => text.split(/[\s,]+/).filter((range) => range !== '')
