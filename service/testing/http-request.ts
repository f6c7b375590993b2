import { request, type IncomingHttpHeaders } from 'node:http'

/** A request as bytes, for what `fetch` does not allow: any Host, repeated headers, odd bodies. */
export interface RawRequest {
  readonly method?: string
  /** Name and value by turns may repeat; `host` is the address's own unless given, and left out when it is `null`. */
  readonly headers?: readonly (readonly [string, string])[]
  readonly host?: string | null
  readonly body?: string | Buffer
}

/** What came back. */
export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Sends one request on a connection of its own and reads the whole answer. */
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
