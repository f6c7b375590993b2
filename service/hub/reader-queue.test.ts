import { systemClock } from '../../platform/clock.ts'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { createHub, type Hub, type Publication } from './hub.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { createReaderQueues, type ReaderQueues, type ReaderSink } from './reader-queue.ts'
import { readerQueueLimits, type ReaderQueueLimits } from './reader-queue-output.ts'
import { eventually } from '../testing/eventually.ts'

const cid = 'b'.repeat(32)
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Serialised as packet number, body length, body. */
const frame = (packet: MediaPacket): Buffer => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(packet.timestamp)
  head.writeUInt32BE(packet.body.length, 4)
  return Buffer.concat([head, packet.body])
}
const numbersIn = (bytes: Buffer): number[] => {
  const numbers: number[] = []
  for (let at = 0; at + 8 <= bytes.length; at += 8 + bytes.readUInt32BE(at + 4)) numbers.push(bytes.readUInt32BE(at))
  return numbers
}

/** A sink that keeps what it gets and reports `waiting` bytes as unsent. */
class Sink implements ReaderSink {
  writes: Buffer[] = []
  waiting = 0
  stuck = 0
  over: string[] = []
  get writableLength(): number {
    return this.waiting
  }
  write(bytes: Uint8Array): boolean {
    this.writes.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
    return true
  }
  cork(): void {
    /* keeps order only */
  }
  uncork(): void {
    /* keeps order only */
  }
  get numbers(): number[] {
    return numbersIn(Buffer.concat(this.writes))
  }
}

interface Made {
  hub: Hub
  publication: Publication
  queues: ReaderQueues
  frames: number
  time: { now: number }
  send(timestamp: number, more?: Partial<MediaPacket>): void
  sink(): Sink
}
function made(limits: Partial<ReaderQueueLimits> = {}): Made {
  const time = { now: 1_000_000 }
  const clock = { ...systemClock, now: () => time.now, monotonic: () => time.now }
  const hub = createHub({ clock })
  cleanups.push(() => hub.close())
  const publication = hub.publish(cid, { remote: '' }) as Publication
  const all: Made = {
    hub,
    publication,
    time,
    frames: 0,
    queues: createReaderQueues({
      hub,
      kind: 'flv',
      frame: (packet) => {
        all.frames += 1
        return frame(packet)
      },
      clock,
      limits,
    }),
    send: (timestamp, more = {}) =>
      publication.packet({
        kind: 'video',
        timestamp,
        body: Buffer.alloc(10),
        keyFrame: false,
        configuration: false,
        arrived: time.now,
        ...more,
      }),
    sink() {
      const sink = new Sink()
      all.queues.join(cid, {
        sink,
        stuck: () => {
          sink.stuck += 1
        },
        over: (reason) => void sink.over.push(reason),
      })
      return sink
    },
  }
  return all
}
const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

test('joining nothing gives nothing', () => {
  const { hub, queues } = made()
  hub.cut(cid, 'deleted')
  expect(queues.join(cid, { sink: new Sink(), stuck: () => undefined, over: () => undefined })).toBeUndefined()
})

test('the cached GOP and the first 500 ms are written at once, later packets in batches, key frames at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  cleanups.push(() => vi.useRealTimers())
  const all = made({ batchFew: 60, batchMany: 60 })
  all.send(0, { keyFrame: true })
  all.send(40)
  const sink = all.sink()
  await turn()
  expect(sink.numbers).toEqual([0, 40])
  all.send(80)
  await turn()
  expect(sink.numbers).toEqual([0, 40, 80])
  expect(sink.writes).toHaveLength(3)
  all.time.now += 500
  all.send(120)
  await turn()
  expect(sink.numbers).toEqual([0, 40, 80, 120])
  vi.advanceTimersByTime(60)
  const before = sink.writes.length
  all.send(160)
  all.send(200)
  await turn()
  vi.advanceTimersByTime(59)
  expect(sink.writes).toHaveLength(before)
  vi.advanceTimersByTime(1)
  expect(sink.numbers).toEqual([0, 40, 80, 120, 160, 200])
  expect(sink.writes).toHaveLength(before + 1)
  all.send(240)
  all.send(280, { keyFrame: true })
  await turn()
  expect(sink.numbers.slice(-2)).toEqual([240, 280])
  expect(sink.writes).toHaveLength(before + 2)
})

test('a reader of the app itself is no viewer, any other is one until it leaves', () => {
  const { hub, queues } = made()
  const join = (isOwn: boolean) =>
    queues.join(cid, { sink: new Sink(), stuck: () => undefined, over: () => undefined, isOwn })
  join(true)
  expect(hub.viewers(cid)).toBe(0)
  const leave = join(false)
  expect(hub.viewers(cid)).toBe(1)
  leave?.()
  expect(hub.viewers(cid)).toBe(0)
})

test('packets that wait are written before the reader is told of the end, and nothing to one that left', () => {
  const one = made()
  const [stays, leaves] = [one.sink(), new Sink()]
  const leave = one.queues.join(cid, { sink: leaves, stuck: () => undefined, over: () => leaves.over.push('told') })
  one.send(1, { keyFrame: true })
  leave?.()
  one.publication.end('closed')
  expect([stays.numbers, stays.over]).toEqual([[1], ['closed']])
  expect([leaves.numbers, leaves.over]).toEqual([[], []])
})

test('the longest batch is 150 ms', () => {
  expect(Math.max(readerQueueLimits.batchFew, readerQueueLimits.batchMany)).toBeLessThanOrEqual(150)
})

test('a hundred readers share the bytes of a packet and of a batch', async () => {
  const all = made({ batchMany: 20 })
  all.send(0, { keyFrame: true })
  const sinks = Array.from({ length: 100 }, () => all.sink())
  all.time.now += 600
  all.send(40, { keyFrame: true })
  await turn()
  for (const sink of sinks) sink.writes.length = 0
  all.frames = 0
  for (let number = 80; number < 400; number += 40) all.send(number)
  await eventually(() => expect(sinks.at(-1)?.numbers).toHaveLength(8))
  expect(all.frames).toBe(8)
  for (const sink of sinks) {
    expect(sink.writes).toHaveLength(1)
    expect(sink.writes[0]?.buffer).toBe(sinks[0]?.writes[0]?.buffer)
    expect(sink.numbers).toEqual([80, 120, 160, 200, 240, 280, 320, 360])
  }
})

test('every reader gets every packet exactly once and in order, whenever it joins', async () => {
  const all = made({ batchFew: 5, batchMany: 5, direct: 40 })
  const sinks: { sink: Sink; from: number }[] = []
  let key = 0
  for (let number = 0; number < 400; number++) {
    all.time.now += 4
    if (number % 30 === 0) key = number
    all.send(number, { keyFrame: number % 30 === 0 })
    if (number % 13 === 0) sinks.push({ sink: all.sink(), from: key })
    if (number % 3 === 0)
      await new Promise((resolve) => {
        setTimeout(resolve, 1)
      })
  }
  all.publication.end('closed')
  expect(sinks).toHaveLength(31)
  for (const { sink, from } of sinks) {
    expect(sink.numbers).toEqual(Array.from({ length: 400 - from }, (_, index) => from + index))
    expect(sink.over).toEqual(['closed'])
  }
})

test.each(['bytes', 'age'] as const)(
  'a reader over its bound in %s drops to a key frame that finds it drained, with the configuration it missed; others get everything',
  async (bound) => {
    const all = made({ direct: 0, batchFew: 1, bytes: 1000 })
    all.send(0, { keyFrame: true })
    const slow = all.sink()
    const good = all.sink()
    slow.waiting = bound === 'bytes' ? 2000 : 100
    await turn()
    all.send(1)
    await turn()
    if (bound === 'age') all.time.now += 5001
    all.send(2, { keyFrame: true })
    await turn()
    const got = slow.numbers
    slow.waiting = 100_000
    all.send(3)
    all.send(4, { configuration: true, body: Buffer.from('new configuration') })
    all.send(5, { keyFrame: true })
    await turn()
    expect(slow.numbers).toEqual(got)
    slow.waiting = 0
    all.send(6)
    await turn()
    expect(slow.numbers).toEqual(got)
    all.send(7, { keyFrame: true })
    all.send(8)
    await eventually(() => expect(slow.numbers).toEqual([...got, 4, 7, 8]))
    await eventually(() => expect(good.numbers).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]))
    expect(all.hub.figures(cid)?.droppedForReaders).toBe(9 - slow.numbers.length)
    expect(slow.stuck).toBe(0)
  },
)

test('a reader that has not drained 10 s after its drop began is given up once', async () => {
  const all = made({ direct: 0, batchFew: 1, bytes: 1000 })
  all.send(0, { keyFrame: true })
  const slow = all.sink()
  slow.waiting = 5_000_000
  await turn()
  all.send(1)
  await turn()
  for (let second = 0; second < 9; second++) {
    all.time.now += 1000
    all.send(2 + second, { keyFrame: true })
    await turn()
  }
  expect(slow.stuck).toBe(0)
  all.time.now += 1001
  all.send(20)
  all.send(21)
  await turn()
  expect(slow.stuck).toBe(1)
})

test('a GOP cache larger than the queue is no overflow for the reader that joins', async () => {
  const all = made({ bytes: 1000, direct: 0, batchFew: 1 })
  all.send(0, { keyFrame: true, body: Buffer.alloc(9000) })
  const sink = all.sink()
  sink.waiting = 9000
  await turn()
  all.send(1)
  await eventually(() => expect(sink.numbers).toEqual([0, 1]))
  sink.waiting = 0
  all.send(2, { keyFrame: true })
  await eventually(() => expect(sink.numbers).toEqual([0, 1, 2]))
})

test('a stalled socket is bounded, delays nobody, and is disconnected; its neighbour gets every packet in time', async () => {
  const hub = createHub({ clock: systemClock })
  const publication = hub.publish(cid, { remote: '' }) as Publication
  const queues = createReaderQueues({
    hub,
    kind: 'flv',
    frame,
    clock: systemClock,
    limits: { bytes: 2_000_000, age: 1000, stuck: 1500 },
  })
  const sockets: Socket[] = []
  let stuck = 0
  const server: Server = createServer((socket) => {
    sockets.push(socket)
    const leave = queues.join(cid, {
      sink: socket,
      stuck: () => {
        stuck += 1
        socket.destroy()
      },
      over: () => socket.end(),
    })
    socket.on('close', () => leave?.()).on('error', () => undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  let number = 0
  const timer = setInterval(
    () =>
      publication.packet({
        kind: 'video',
        timestamp: number,
        body: Buffer.alloc(100_000),
        keyFrame: number++ % 25 === 0,
        configuration: false,
        arrived: Date.now(),
      }),
    10,
  )
  cleanups.push(() => {
    clearInterval(timer)
    server.close()
    for (const socket of sockets) socket.destroy()
    hub.close()
  })
  const stalled = connect(port, '127.0.0.1').pause()
  const good = connect(port, '127.0.0.1')
  cleanups.push(() => {
    stalled.destroy()
    good.destroy()
  })
  const pieces: Buffer[] = []
  good.on('data', (bytes) => pieces.push(bytes))
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, ...sockets.map((socket) => socket.writableLength))
  }, 5)
  cleanups.push(() => clearInterval(watch))
  await eventually(() => expect(stuck).toBe(1))
  await eventually(() => expect(hub.viewers(cid)).toBe(1))
  expect(most).toBeLessThan(4_500_000)
  expect(hub.figures(cid)?.droppedForReaders).toBeGreaterThan(20)
  const numbers = numbersIn(Buffer.concat(pieces))
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => numbers[0]! + index))
  expect(number - numbers.at(-1)!).toBeLessThan(30)
})
