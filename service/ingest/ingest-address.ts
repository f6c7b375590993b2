import type { Amf0Value } from '../media/amf0.ts'

/** Channel and key parameters of an address (behaviour.md#push-addresses). */
export interface StreamAddress {
  /** Exactly 32 lowercase hexadecimal digits. */
  readonly cid: string
  readonly wsSecret: string
  readonly wsTime: string
  /** What a player brings: token of a link, passphrase. */
  readonly link?: string
  readonly passphrase?: string
}

/** Longest application name, stream name or tcUrl that is parsed, in characters. */
export const maxAddress = 2048
const cidPattern = /^[0-9a-f]{32}$/

interface Cut {
  readonly path: string
  readonly query: string
}

function cut(text: string): Cut {
  // Some encoders escape the separators twice; an invalid name is refused anyway.
  const plain = text.includes('?')
    ? text.replaceAll(/\\([?=&])/g, '$1')
    : text
        .replaceAll(/%3[fF]/g, '?')
        .replaceAll(/%3[dD]/g, '=')
        .replaceAll('%26', '&')
  const mark = plain.indexOf('?')
  return mark < 0 ? { path: plain, query: '' } : { path: plain.slice(0, mark), query: separated(plain.slice(mark + 1)) }
}

/** MediaMTX gives a query to commands with its separators escaped. */
const separated = (query: string): string =>
  query.includes('=') ? query : query.replaceAll(/%3[dD]/g, '=').replaceAll('%26', '&')

/** The name that a player asks for: edges of SRS ask by RTMP for what their players ask for by HTTP-FLV. */
export const playedName = (name: Amf0Value): Amf0Value =>
  typeof name === 'string' ? name.replace(/^([0-9a-f]{32})\.flv(?=$|\?)/, '$1') : name

/** Reads an address; the name has precedence. Undefined for another application or an invalid channel id. */
export function readStreamAddress(app: string, tcUrl: string, name: string): StreamAddress | undefined {
  if (app.length > maxAddress || tcUrl.length > maxAddress || name.length > maxAddress) return undefined
  const parts = [cut(name), cut(app), cut(tcUrl)]
  const application = parts[1]!.path.replace(/\/$/, '')
  // With the whole push address as server and no key, an encoder takes the channel id for a part of the application.
  const cid =
    application === 'live'
      ? parts[0]!.path
      : application.startsWith('live/') && parts[0]!.path === ''
        ? application.slice(5)
        : ''
  if (!cidPattern.test(cid)) return undefined
  const entry: { link?: string; passphrase?: string } = {}
  for (const { query } of parts) {
    const values = new URLSearchParams(query)
    const wsSecret = values.get('wsSecret')
    if (wsSecret !== null) return { cid, wsSecret, wsTime: values.get('wsTime') ?? '' }
    for (const name of ['link', 'passphrase'] as const) {
      const value = values.get(name)
      if (value !== null) entry[name] ??= value
    }
  }
  return { cid, wsSecret: '', wsTime: '', ...entry }
}
