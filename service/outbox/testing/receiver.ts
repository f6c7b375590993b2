import { systemClock, type Clock } from '../../../platform/clock.ts'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A received request. */
export interface Acks {
  readonly at: number
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly fields: Readonly<Record<string, string>>
}

/** A receiver whose answers a test sets. */
export interface Receiver {
  readonly url: string
  readonly port: number
  readonly received: Acks[]
  /** Answers each request; by default 200 with an empty body. */
  answer: (request: Acks, response: ServerResponse) => void
  close(): Promise<void>
}

/** Starts one on a free port of this computer, on loopback unless another address is given. */
export async function startReceiver(clock: Pick<Clock, 'now'> = systemClock, host = '127.0.0.1'): Promise<Receiver> {
  const received: Acks[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8')
      const one: Acks = {
        at: clock.now(),
        path: request.url ?? '',
        headers: request.headers,
        body,
        fields: JSON.parse(body) as Record<string, string>,
      }
      received.push(one)
      receiver.answer(one, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `http://${host}:${port}/recorded`,
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
