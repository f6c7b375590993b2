import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request as a receiver saw it. */
export interface Acks {
  readonly at: number
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly fields: Readonly<Record<string, string>>
}

/** A receiver of deliveries that a test tells what to answer. */
export interface Receiver {
  readonly url: string
  readonly port: number
  readonly received: Acks[]
  /** Answers each request from now on; 200 with an empty body until it is set. */
  answer: (request: Acks, response: ServerResponse) => void
  close(): Promise<void>
}

/** Starts one on a free port of loopback. */
export async function startReceiver(clock: () => number = Date.now): Promise<Receiver> {
  const received: Acks[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8')
      const one: Acks = {
        at: clock(),
        path: request.url ?? '',
        headers: request.headers,
        body,
        fields: JSON.parse(body) as Record<string, string>,
      }
      received.push(one)
      receiver.answer(one, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/recorded`,
    port,
    received,
    answer: (_request, response) => void response.end(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return receiver
}
