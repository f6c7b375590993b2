import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DeliveryTable } from '../storage/schema.ts'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import { startRig, type Rig, type RigOptions } from './testing/rig.ts'
import { waitFor } from './testing/wait.ts'

let rig: Rig
let time: ManualClock
let server: Server
let port: number
/** Connections made, and for each request its connection, how many came before on it, and the target. */
let connections: Socket[]
let requests: { readonly connection: number; readonly earlier: number; readonly to: string | undefined }[]
let answer: (response: ServerResponse, request: IncomingMessage, earlier: number) => void

beforeEach(async () => {
  time = manualClock()
  connections = []
  requests = []
  answer = (response) => void response.end('{}')
  server = createServer((request, response) => {
    const connection = connections.indexOf(request.socket)
    const earlier = requests.filter((one) => one.connection === connection).length
    requests.push({ connection, earlier, to: request.socket.localAddress })
    request.resume().on('end', () => answer(response, request, earlier))
  })
  server.on('connection', (socket) => connections.push(socket))
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  port = (server.address() as AddressInfo).port
})
afterEach(async () => {
  await rig.close()
  server.close()
  server.closeAllConnections()
})

async function begin(options: RigOptions = {}): Promise<void> {
  rig = await startRig({ clock: time, ...options })
  await rig.copies.set(rig.uid, {
    url: `http://${options.resolve ? 'receiver.example' : '127.0.0.1'}:${port}/`,
    kinds: [1],
  })
}
/** Queues a message copy; returns its nId. */
async function enqueue(to = 'sea'): Promise<string> {
  const message = {
    eventType: '1',
    convType: 'PERSON',
    to,
    fromAccount: 'ann',
    msgTimestamp: '1',
    msgType: 'TEXT',
    body: 'hello',
    msgidServer: '1',
  }
  await rig.store.db.transaction().execute((transaction) => rig.copies.enqueue(transaction, rig.uid, message))
  return (await rig.outbox.list(rig.uid, 1, undefined))[0]!.nId
}
/** Delivers one message in a single attempt. */
async function deliver(): Promise<void> {
  const nId = await enqueue()
  const entry = (): Promise<DeliveryTable> => rig.entry(nId)
  await waitFor('an attempt', async () => (await entry()).attempts > 0)
  expect(await entry()).toMatchObject({ state: 'delivered', attempts: 1 })
}
const closed = (socket: Socket): Promise<void> => waitFor('the connection to be closed', () => socket.destroyed)

describe('a connection', () => {
  it('is used again for the next delivery', async () => {
    await begin()
    for (let count = 0; count < 5; count++) await deliver()
    expect(requests.map(({ connection }) => connection)).toEqual([0, 0, 0, 0, 0])
  })

  it('that the receiver closes between two deliveries costs no attempt', async () => {
    await begin()
    await deliver()
    connections[0]!.destroy()
    await deliver()
    expect(requests).toHaveLength(2)
    // The other order: sent before this side learns of the close.
    answer = (response, request, earlier) => (earlier > 0 ? request.socket.destroy() : response.end('{}'))
    await deliver()
    expect(requests.map(({ connection }) => connection)).toEqual([0, 1, 1, 2])
  })

  it('is not asked for more than once beyond the first when every one is cut', async () => {
    await begin()
    await deliver()
    answer = (_response, request) => void request.socket.destroy()
    const nId = await enqueue()
    await waitFor('an attempt', async () => (await rig.entry(nId)).attempts > 0)
    expect(await rig.entry(nId)).toMatchObject({ state: 'waiting', attempts: 1, result: 'connection ended' })
    expect(requests.map(({ connection }) => connection)).toEqual([0, 0, 1])
  })

  it('is not used for a target that has another address now', async () => {
    const answers = ['127.0.0.1', '127.0.0.1', '127.0.0.2', '127.0.0.1']
    await begin({ resolve: () => Promise.resolve([answers.shift()!]) })
    for (let count = 0; count < 4; count++) await deliver()
    expect(requests.map(({ connection, to }) => [connection, to])).toEqual([
      [0, '127.0.0.1'],
      [0, '127.0.0.1'],
      [1, '127.0.0.2'],
      [2, '127.0.0.1'],
    ])
    await closed(connections[0]!)
    await closed(connections[1]!)
  })

  it('is not used for an address that is not allowed any more', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.1', '169.254.169.254']]
    await begin({ resolve: () => Promise.resolve(answers.shift()!) })
    await deliver()
    const nId = await enqueue()
    await waitFor('an attempt', async () => (await rig.entry(nId)).attempts > 0)
    expect(await rig.entry(nId)).toMatchObject({
      state: 'waiting',
      result: 'receiver.example is an address of a metadata service',
    })
    expect(requests).toHaveLength(1)
  })

  it('is not used for longer than a minute, nor after a reply that was not read to its end', async () => {
    await begin()
    await deliver()
    time.advance(60_000)
    await deliver()
    await deliver()
    answer = (response) => void response.end('x'.repeat(100_000))
    await deliver()
    await deliver()
    const used = requests.map(({ connection }) => connection)
    expect(used.slice(0, 2)).toEqual([0, 0])
    expect(new Set(used)).toEqual(new Set([0, 1, 2]))
  })

  it('is not kept while another waits for a receiver that may serve one at a time', async () => {
    await begin()
    const waiting: (() => void)[] = []
    answer = (response) => void waiting.push(() => void response.end('{}'))
    const both = [await enqueue('sea'), await enqueue('sky')]
    await waitFor('both', () => waiting.length === 2)
    waiting[0]!()
    await closed(connections[0]!)
    waiting[1]!()
    for (const nId of both) await waitFor('the delivery', async () => (await rig.entry(nId)).state === 'delivered')
    answer = (response) => void response.end('{}')
    await deliver()
    expect(requests.map(({ connection }) => connection)).toEqual([0, 1, 1])
  })

  it('is not kept after another status than 200', async () => {
    await begin()
    answer = (response) => void response.writeHead(500).end('no')
    const nId = await enqueue()
    await waitFor('an attempt', async () => (await rig.entry(nId)).attempts > 0)
    await closed(connections[0]!)
    expect(requests).toHaveLength(1)
  })

  it('is not kept for a callback', async () => {
    await begin()
    await rig.callbacks.setAddress(rig.uid, `http://127.0.0.1:${port}/`)
    for (let count = 0; count < 2; count++) {
      const { nId } = await rig.enqueue()
      await waitFor('the delivery', async () => (await rig.entry(nId)).state === 'delivered')
    }
    expect(requests.map(({ connection }) => connection)).toEqual([0, 1])
  })

  it('ends with the outbox', async () => {
    await begin()
    await deliver()
    await rig.outbox.close()
    await closed(connections[0]!)
  })
})
