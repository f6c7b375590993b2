import { isIP } from 'node:net'

/** The address of a server that a target publishes to. */
export interface TargetAddress {
  readonly isSecure: boolean
  /** Host name or IP address, without brackets. */
  readonly host: string
  readonly port: number
  /** Application with its instance: the path. */
  readonly app: string
  /** As it is told to the server. */
  readonly tcUrl: string
}

/** Usual ports of RTMP and RTMPS. */
const ports = { 'rtmp:': 1935, 'rtmps:': 443 } as const
/** Longest address, in characters. */
const maxAddress = 1024

/** Reads an address without a key; undefined when it is none. */
export function readTargetAddress(text: string): TargetAddress | undefined {
  if (text.length > maxAddress || /[\s\p{Cc}\\#]/u.test(text)) return undefined
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'rtmp:' && url.protocol !== 'rtmps:')) return undefined
  const { protocol, hostname, port, pathname, search, username, password } = url
  const app = `${pathname.slice(1).replace(/\/+$/, '')}${search}`
  if (hostname === '' || username !== '' || password !== '' || app === '' || app.startsWith('?')) return undefined
  // Other schemes than those of the web are not read as hosts.
  const host = URL.parse(`http://${hostname}`)?.hostname.replace(/^\[|\]$/g, '')
  if (host === undefined || host === '' || port === '0') return undefined
  const shown = isIP(host) === 6 ? `[${host}]` : host
  return {
    isSecure: protocol === 'rtmps:',
    host,
    port: port === '' ? ports[protocol] : Number(port),
    app,
    tcUrl: `${protocol}//${shown}${port === '' ? '' : `:${port}`}/${app}`,
  }
}
