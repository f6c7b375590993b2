import { request, type IncomingHttpHeaders } from 'node:http'

/** A raw request, for what `fetch` does not allow: any Host, repeated headers, odd bodies. */
export interface RawRequest {
  readonly method?: string
  /** Names may repeat; `host` is that of the address by default, and omitted if `null`. */
  readonly headers?: readonly (readonly [string, string])[]
  readonly host?: string | null
  readonly body?: string | Buffer
}

/** The answer. */
export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Sends a request on a new connection and reads the whole answer. */
export const httpRequest = (
  url: string,
  { method = 'POST', headers = [], host, body }: RawRequest = {},
): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const { host: own } = new URL(url)
    const flat = headers.flatMap(([name, value]) => [name, value])
    if (host !== null) flat.push('host', host ?? own)
    if (body !== undefined && !headers.some(([name]) => /^(transfer-encoding|content-length)$/i.test(name)))
      flat.push('content-length', String(Buffer.byteLength(body)))
    const outgoing = request(url, { method, headers: flat, agent: false, setHost: false }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text: Buffer.concat(parts).toString('utf8'),
        }),
      )
      answer.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
