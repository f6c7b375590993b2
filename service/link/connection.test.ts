import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'
import { expect, it, onTestFinished } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createClients } from '../http/clients.ts'
import { linkClose, linkLimits } from '../../contract/link/frames.ts'
import { createConnection, type Connection } from './connection.ts'
import { textFrame } from './frame.ts'

/** A client of the link and what the service holds of it. */
async function connected(answersPings: boolean): Promise<{ client: WebSocket; connection: Connection }> {
  const sockets = new WebSocketServer({ noServer: true })
  const server = createServer()
  const accepted = new Promise<Connection>((resolve) => {
    server.on('upgrade', (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (webSocket) =>
        resolve(
          createConnection(webSocket, socket, createClients().of(request), {
            clock: manualClock(),
            events: { text: () => undefined, closed: () => undefined },
          }),
        ),
      ),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, { autoPong: answersPings })
  onTestFinished(() => {
    client.terminate()
    server.close()
  })
  await once(client, 'open')
  return { client, connection: await accepted }
}

it('counts an answer to a ping as a sign of life, though nothing else is sent', async () => {
  const { client, connection } = await connected(true)
  for (let round = 0; round < 5; round++) {
    const heard = once(client, 'ping')
    expect(connection.isAlive()).toBe(true)
    await heard
    // The answer stands before the next frame of the client.
    const after = once(client, 'pong')
    client.ping()
    await after
  }
})

it('takes a client that left two pings unanswered for gone', async () => {
  const { connection } = await connected(false)
  expect([connection.isAlive(), connection.isAlive(), connection.isAlive()]).toEqual([true, true, false])
})

it('ends a client with more unsent bytes than the queue holds as slow, and writes it nothing more', async () => {
  const { client, connection } = await connected(true)
  const closed = once(client, 'close')
  client.pause()
  const frame = textFrame('x'.repeat(64 * 1024))
  while (connection.isOpen) connection.write(frame)
  const { waiting } = connection
  expect(waiting).toBeGreaterThan(linkLimits.queue)
  expect(waiting).toBeLessThan(linkLimits.queue + 3 * frame.length)
  connection.write(frame)
  expect(connection.waiting).toBe(waiting)
  client.resume()
  expect((await closed)[0]).toBe(linkClose.slow)
})
