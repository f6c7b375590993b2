import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { Duplex } from 'node:stream'
import type { AddressInfo } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'
import { expect, it, onTestFinished } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createClients } from '../http/clients.ts'
import { linkClose, linkLimits } from '../../contract/link/frames.ts'
import { createConnection, type Connection } from './connection.ts'
import { pingFrame, textFrame } from './frame.ts'

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

/** A connection over a WebSocket and a socket in memory, with what is done to them. */
function made() {
  const did: string[] = []
  const webSocket = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    close: (code: number, reason: string) => void did.push(`close ${code} ${reason}`),
    pause: () => void did.push('pause'),
    resume: () => void did.push('resume'),
  })
  const written: Buffer[] = []
  const socket = Object.assign(new EventEmitter(), {
    writableLength: 0,
    writableNeedDrain: false,
    write: (frame: Buffer) => written.push(frame),
  })
  const texts: string[] = []
  const clock = manualClock()
  const client = {
    address: '192.0.2.1',
    subnet: '192.0.2.1',
    scheme: 'http',
    readable: false,
    passedOn: false,
  } as const
  const connection = createConnection(webSocket as unknown as WebSocket, socket as unknown as Duplex, client, {
    clock,
    events: { text: (text) => void texts.push(text), closed: () => void did.push('closed') },
  })
  const hear = (text: string, isBinary = false) => webSocket.emit('message', Buffer.from(text), isBinary)
  return { connection, webSocket, socket, clock, did, written, texts, hear }
}

it('a client may send 200 frames in any 10 s, with pings and their answers, and is ended with the next', () => {
  const { hear, webSocket, clock, did, texts, connection } = made()
  for (let frame = 0; frame < linkLimits.framesIn10s - 2; frame++) hear(`${frame}`)
  webSocket.emit('ping')
  webSocket.emit('pong')
  clock.advance(9_999)
  expect([did, connection.isOpen]).toEqual([[], true])
  clock.advance(1)
  for (let frame = 0; frame < linkLimits.framesIn10s; frame++) hear('again')
  expect([did, texts.length]).toEqual([[], 2 * linkLimits.framesIn10s - 2])
  clock.advance(9_999)
  hear('too much')
  expect(did).toEqual([`close ${linkClose.flood} too many frames`, 'pause'])
  expect([connection.isOpen, texts.at(-1)]).toEqual([false, 'again'])
  hear('after')
  expect(texts.at(-1)).toBe('again')
})

it('a binary frame ends a connection, once, and nothing is written after that', () => {
  const { hear, connection, did, written, texts } = made()
  hear('x', true)
  connection.end(1000, 'again')
  connection.say({ t: 'x' })
  connection.resume()
  expect([did, written, texts, connection.isOpen]).toEqual([['close 1003 frames are text'], [], [], false])
})

it('an error or the end of the socket ends a connection, which says that it is closed', () => {
  const failed = made()
  failed.webSocket.emit('error', new Error('protocol'))
  expect([failed.connection.isOpen, failed.did]).toEqual([false, []])
  const gone = made()
  gone.webSocket.emit('close')
  expect([gone.connection.isOpen, gone.did]).toEqual([false, ['closed']])
})

it('an object is written as one frame, and nothing while the WebSocket is closing', () => {
  const { connection, webSocket, written } = made()
  connection.say({ t: 'x' })
  expect(written).toEqual([textFrame('{"t":"x"}')])
  webSocket.readyState = 2
  connection.say({ t: 'y' })
  expect(written).toHaveLength(1)
})

it('whatever a client says is a sign of life, and a ping asks for one', () => {
  const { connection, hear, webSocket, written } = made()
  expect([connection.isAlive(), connection.isAlive()]).toEqual([true, true])
  expect(written).toEqual([pingFrame, pingFrame])
  hear('x')
  expect([connection.isAlive(), connection.isAlive()]).toEqual([true, true])
  webSocket.emit('pong')
  expect([connection.isAlive(), connection.isAlive(), connection.isAlive()]).toEqual([true, true, false])
  expect(written).toHaveLength(6)
})

it('waits for what is unsent, or for the end, and calls once', () => {
  const { connection, socket } = made()
  let calls = 0
  const call = (): void => void calls++
  connection.whenDrained(call)
  expect(calls).toBe(1)
  socket.writableNeedDrain = true
  connection.whenDrained(call)
  expect(calls).toBe(1)
  socket.emit('drain')
  socket.emit('close')
  expect([calls, socket.listenerCount('drain'), socket.listenerCount('close')]).toEqual([2, 0, 0])
  connection.whenDrained(call)
  socket.emit('close')
  expect(calls).toBe(3)
  connection.end(1000, 'over')
  connection.whenDrained(call)
  expect(calls).toBe(4)
})
