import { isIPv4, isIPv6 } from 'node:net'

/** The peer that a proxy reports. */
export interface ProxiedPeer {
  readonly address: string
  readonly port: number
  /** The proxy's address that the peer connected to. */
  readonly reached: string
  /** The peer used TLS to the proxy. */
  readonly tls: boolean
}

/** `more`: may become a header; `none`: the client's own bytes. Without `peer`: the proxy's own or another family. */
export type ProxyHeader =
  | { readonly kind: 'more' }
  | { readonly kind: 'none' }
  | { readonly kind: 'fault' }
  | { readonly kind: 'header'; readonly length: number; readonly peer?: ProxiedPeer }

const textStart = Buffer.from('PROXY ')
const binaryStart = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')
/** Longest line of version 1, with its end. */
const maxText = 107
/** Addresses and fields of version 2, in bytes; proxies send a few hundred at most. */
const maxBinary = 4096
const binaryFixed = 16
const tlsField = 0x20

const fault: ProxyHeader = { kind: 'fault' }
const more: ProxyHeader = { kind: 'more' }

const isPort = (text: string): boolean => /^(0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535

function readText(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, maxText).indexOf('\r\n')
  if (end < 0) return bytes.length < maxText ? more : fault
  const length = end + 2
  const line = bytes.toString('latin1', textStart.length, end)
  if (line === 'UNKNOWN' || line.startsWith('UNKNOWN ')) return { kind: 'header', length }
  const [family, address = '', reached = '', port = '', reachedPort = '', ...rest] = line.split(' ')
  const isAddress = family === 'TCP4' ? isIPv4 : family === 'TCP6' ? isIPv6 : () => false
  if (!isAddress(address) || !isAddress(reached) || !isPort(port) || !isPort(reachedPort) || rest.length > 0)
    return fault
  return { kind: 'header', length, peer: { address, port: Number(port), reached, tls: false } }
}

const addressOf = (bytes: Buffer): string =>
  bytes.length === 4
    ? bytes.join('.')
    : Array.from({ length: 8 }, (_, group) => bytes.readUInt16BE(group * 2).toString(16)).join(':')

/** Whether the fields report TLS; undefined if they exceed the header. */
function readTls(fields: Buffer): boolean | undefined {
  let tls = false
  for (let at = 0; at < fields.length;) {
    if (at + 3 > fields.length) return undefined
    const start = at + 3
    at = start + fields.readUInt16BE(start - 2)
    if (at > fields.length) return undefined
    if (fields[start - 3] === tlsField) tls = ((fields[start] ?? 0) & 1) === 1 && at > start
  }
  return tls
}

function readBinary(bytes: Buffer): ProxyHeader {
  if (bytes.length < binaryFixed) return more
  const [version = 0, family = 0] = bytes.subarray(binaryStart.length)
  const size = bytes.readUInt16BE(14)
  if (version >> 4 !== 2 || (version & 15) > 1 || size > maxBinary) return fault
  const length = binaryFixed + size
  if (bytes.length < length) return more
  const width = family === 0x11 ? 4 : family === 0x21 ? 16 : 0
  if ((version & 15) === 0 || width === 0) return { kind: 'header', length }
  const block = bytes.subarray(binaryFixed, length)
  const addresses = width * 2 + 4
  const tls = block.length < addresses ? undefined : readTls(block.subarray(addresses))
  if (tls === undefined) return fault
  const peer = {
    address: addressOf(block.subarray(0, width)),
    port: block.readUInt16BE(width * 2),
    reached: addressOf(block.subarray(width, width * 2)),
    tls,
  }
  return { kind: 'header', length, peer }
}

/** Parses a PROXY protocol header, version 1 or 2 (haproxy.org, proxy-protocol.txt). */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  for (const [start, read] of [
    [textStart, readText],
    [binaryStart, readBinary],
  ] as const) {
    if (bytes.length >= start.length && bytes.subarray(0, start.length).equals(start)) return read(bytes)
    if (bytes.equals(start.subarray(0, bytes.length))) return more
  }
  return { kind: 'none' }
}

/** Whether the first bytes of a peer are a PROXY header, or the begin of one that is long enough to tell. */
export function isProxyHeader(bytes: Buffer): boolean {
  const { kind } = readProxyHeader(bytes)
  return kind === 'more' ? bytes.length >= textStart.length : kind !== 'none'
}
