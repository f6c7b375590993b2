import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { listenOn } from '../../platform/listen.ts'
import { eventually } from '../testing/eventually.ts'
import { PacedSink } from './paced-sink.ts'

const mib = 1024 * 1024

/** A connection whose other end reads only once told to. */
async function connected(): Promise<{ readonly near: Socket; readonly far: Socket }> {
  const server = createServer()
  const port = await listenOn(server, '127.0.0.1', 0)
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const far = connect(port, '127.0.0.1').pause()
  const [near] = await accepted
  near.on('error', () => undefined)
  onTestFinished(() => {
    far.destroy()
    near.destroy()
    server.close()
  })
  return { near, far }
}

it('gives a socket no more than it takes, in pieces, and ends after all', async () => {
  const { near, far } = await connected()
  const sink = new PacedSink(near, { canCut: true })
  const parts = Array.from({ length: 32 }, (_, index) => Buffer.alloc(mib, index))
  sink.cork()
  for (const part of parts) sink.write(part)
  sink.uncork()
  await eventually(() => expect(near.writableLength).toBeGreaterThan(0))
  expect(near.writableLength).toBeLessThan(256 * 1024)
  expect(sink.given + sink.writableLength - near.writableLength).toBe(32 * mib)
  sink.end(() => near.end())
  const read: Buffer[] = []
  for await (const part of far) read.push(part as Buffer)
  expect(Buffer.concat(read).equals(Buffer.concat(parts))).toBe(true)
  expect([sink.given, sink.writableLength]).toEqual([32 * mib, 0])
})

it('counts all that the socket was given: the system may have sent a part of the last piece', async () => {
  const { near } = await connected()
  const sink = new PacedSink(near, { canCut: true })
  for (let part = 0; part < 32; part++) sink.write(Buffer.alloc(mib))
  await eventually(() => expect(near.writableLength).toBeGreaterThan(0))
  expect(sink.given).toBe(near.bytesWritten)
})

it('does not cut what others write between, and leaves out what is cleared', async () => {
  const { near, far } = await connected()
  const sink = new PacedSink(near, { canCut: false })
  for (let part = 0; part < 32; part++) sink.write(Buffer.alloc(mib, 1))
  near.write('between')
  sink.clear()
  near.end()
  let read = 0
  let text = ''
  for await (const part of far) {
    read += (part as Buffer).length
    text = (part as Buffer).subarray(-7).toString()
  }
  expect([(read - 7) % mib, text]).toEqual([0, 'between'])
  expect(read).toBeLessThan(32 * mib)
})

it('counts nothing more once the connection is gone', async () => {
  const { near, far } = await connected()
  const sink = new PacedSink(near, { canCut: true })
  for (let part = 0; part < 32; part++) sink.write(Buffer.alloc(mib))
  await eventually(() => expect(near.writableLength).toBeGreaterThan(0))
  far.resetAndDestroy()
  await new Promise((resolve) => near.once('close', resolve))
  const { given } = sink
  expect(given).toBeLessThan(12 * mib)
  expect([sink.write(Buffer.alloc(1)), sink.given, sink.writableLength]).toEqual([false, given, 0])
})
