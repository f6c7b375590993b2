import { EventEmitter } from 'node:events'
import { connect } from 'node:net'
import type { FastifyReply } from 'fastify'
import { describe, expect, it } from 'vitest'
import { listenOn } from '../../platform/listen.ts'
import { until } from '../testing/condition.ts'
import { httpRequest } from '../testing/http-request.ts'
import { openLineStream, type LineSink } from './line-stream.ts'
import { createListener } from './listener.ts'
import { testBounds } from '../testing/listener-bounds.ts'

const start = async (begin: (sink: LineSink) => () => void) => {
  const listener = createListener({
    requestId: () => 'x',
    bounds: testBounds(),
    origin: () => true,
    allowed: () => undefined,
  })
  listener.app.post('/', (_request, reply) => openLineStream(reply, begin))
  await listener.app.ready()
  const port = await listenOn(listener.server, '127.0.0.1', 0)
  return { listener, port, url: `http://127.0.0.1:${port}/` }
}

describe('an endless answer', () => {
  it('has the lines that were written while it began, then the others, and its end', async () => {
    const { listener, url } = await start((sink) => {
      sink.write({ first: 1 })
      setImmediate(() => {
        sink.write({ second: '2\n' })
        sink.end()
        sink.write({ never: 3 })
      })
      return () => {}
    })
    const { status, headers, text } = await httpRequest(url)
    expect([status, headers['content-type'], text]).toEqual([
      200,
      'application/x-ndjson; charset=utf-8',
      '{"first":1}\n{"second":"2\\n"}\n',
    ])
    await listener.close(100)
  })

  it('is kept by no cache, and its type is not guessed', async () => {
    const { listener, url } = await start((sink) => {
      setImmediate(() => sink.end())
      return () => {}
    })
    expect((await httpRequest(url)).headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    await listener.close(100)
  })

  it('ends at once when its reader went while it began', async () => {
    let ended = 0
    let goOn = (): void => undefined
    let begun = false
    const listener = createListener({
      requestId: () => 'x',
      bounds: testBounds(),
      origin: () => true,
      allowed: () => undefined,
    })
    const gone = Promise.withResolvers<undefined>()
    listener.app.post('/', (request, reply) => {
      request.raw.socket.once('close', () => gone.resolve(undefined))
      return openLineStream(reply, async () => {
        begun = true
        await new Promise<void>((resolve) => (goOn = resolve))
        return () => void ended++
      })
    })
    await listener.app.ready()
    const port = await listenOn(listener.server, '127.0.0.1', 0)
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 0\r\n\r\n`),
    )
    socket.on('error', () => undefined)
    await until('the beginning', () => begun)
    socket.destroy()
    await gone.promise
    goOn()
    await until('the end', () => ended > 0)
    await listener.close(100)
  })

  it('is told when its reader goes', async () => {
    let ended = 0
    const { listener, port } = await start(() => () => void ended++)
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 0\r\n\r\n`),
    )
    socket.on('data', () => socket.destroy())
    await until('the end', () => ended === 1)
    await listener.close(100)
    expect(ended).toBe(1)
  })

  it('of a reader that stopped reading is cut at 1 MiB, so that it cannot grow', async () => {
    let sink: LineSink | undefined
    let ended = false
    const { listener, port } = await start((one) => {
      sink = one
      return () => (ended = true)
    })
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 0\r\n\r\n`),
    )
    socket.on('error', () => undefined)
    socket.pause()
    await until('the stream', () => sink)
    const before = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed
    await until('the cut', () => {
      for (let index = 0; index < 100; index++) sink!.write({ pad: 'x'.repeat(10_000) })
      return ended
    })
    expect(process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024)
    socket.destroy()
    await listener.close(100)
  })

  it('that could not begin leaves the reply to others', async () => {
    const listener = createListener({
      requestId: () => 'x',
      bounds: testBounds(),
      origin: () => true,
      allowed: () => undefined,
    })
    listener.app.post('/', async (_request, reply) => {
      try {
        return await openLineStream(reply, () => {
          throw new Error('full')
        })
      } catch (error) {
        return reply.code(503).send((error as Error).message)
      }
    })
    await listener.app.ready()
    const port = await listenOn(listener.server, '127.0.0.1', 0)
    expect(await httpRequest(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 503, text: 'full' })
    await listener.close(100)
  })

  it('of a reader with 1 MiB pending goes on, and is cut with one byte more', async () => {
    const did: string[] = []
    const raw = Object.assign(new EventEmitter(), {
      destroyed: false,
      writableEnded: false,
      writableLength: 1024 * 1024,
      write: (line: string) => did.push(line),
      destroy: () => did.push('destroyed'),
      end: () => did.push('ended'),
      writeHead: () => undefined,
      flushHeaders: () => undefined,
    })
    let sink: LineSink | undefined
    await openLineStream({ raw, request: { id: 'x' }, hijack: () => undefined } as unknown as FastifyReply, (one) => {
      sink = one
      return () => undefined
    })
    sink!.write({ at: 'limit' })
    raw.writableLength++
    sink!.write({ over: 'limit' })
    expect(did).toEqual(['{"at":"limit"}\n', 'destroyed'])
    raw.destroyed = true
    sink!.write({ after: 'it' })
    Object.assign(raw, { destroyed: false, writableEnded: true, writableLength: 0 })
    sink!.write({ after: 'its end' })
    expect(did).toHaveLength(2)
  })
})
