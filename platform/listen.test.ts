import { createServer, type AddressInfo } from 'node:net'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { listenOn } from './listen.ts'

/** Makes many connections and notifies `done` when all are connected. */
const crowd = `
const net = require('node:net')
const { port, count, done } = require('node:worker_threads').workerData
let left = count
for (let n = 0; n < count; n++)
  net.connect(port, '127.0.0.1', () => {
    left -= 1
    if (left === 0) { Atomics.store(done, 0, 1); Atomics.notify(done, 0) }
  })
`

it.skipIf(process.platform !== 'linux')(
  'has a thousand connections wait for a turn of the event loop that lasts',
  async () => {
    const taken: unknown[] = []
    const server = createServer((socket) => void taken.push(socket.on('error', () => undefined)))
    const port = await listenOn(server, '127.0.0.1', 0)
    const done = new Int32Array(new SharedArrayBuffer(4))
    const worker = new Worker(crowd, { eval: true, workerData: { port, count: 1000, done } })
    // Nothing is accepted meanwhile: the system's backlog connects them.
    expect(Atomics.wait(done, 0, 0, 30_000)).not.toBe('timed-out')
    expect(taken).toEqual([])
    await worker.terminate()
    server.close()
  },
)

it('rejects for a port that is taken, and tells the port that was free', async () => {
  const server = createServer()
  const port = await listenOn(server, '127.0.0.1', 0)
  expect(port).toBe((server.address() as AddressInfo).port)
  await expect(listenOn(createServer(), '127.0.0.1', port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  server.close()
})
