import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { MediaPacket } from '../timeline/packet.ts'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import { createReaderGroup, type ReaderGroup } from './reader-queue-group.ts'
import { readerQueueLimits, type ReaderQueueLimits, type ReaderSink } from './reader-queue-output.ts'

let clock: ManualClock
let group: ReaderGroup
let dropped: number
let emptied: number
const make = (limits: Partial<ReaderQueueLimits> = {}): void => {
  clock = manualClock()
  dropped = 0
  emptied = 0
  group = createReaderGroup({
    frame: ({ body }) => Buffer.concat([Buffer.from('<'), body, Buffer.from('>')]),
    piece: ({ body }) => Buffer.concat([Buffer.from('('), body, Buffer.from(')')]),
    clock,
    dropped: (packets) => (dropped += packets),
    limits: { ...readerQueueLimits, ...limits },
    empty: () => emptied++,
  })
}
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  make()
  return () => vi.useRealTimers()
})

/** A sink that keeps what it gets, with its corks, and says that `waiting` bytes are unsent. */
class Sink implements ReaderSink {
  readonly writes: string[] = []
  waiting = 0
  get writableLength(): number {
    return this.waiting
  }
  write(bytes: Uint8Array): boolean {
    this.writes.push(Buffer.from(bytes).toString('latin1'))
    return true
  }
  cork(): void {
    this.writes.push('cork')
  }
  uncork(): void {
    this.writes.push('uncork')
  }
  take(): string[] {
    return this.writes.splice(0)
  }
}
interface Reader {
  readonly sink: Sink
  readonly told: string[]
  readonly place: ReturnType<ReaderGroup['open']>
}
const opened = (): Reader => {
  const sink = new Sink()
  const told: string[] = []
  const place = group.open({ sink, stuck: () => told.push('stuck'), over: (reason) => told.push(reason) })
  return { sink, told, place }
}
const joined = (count = 1): Reader[] =>
  Array.from({ length: count }, () => {
    const reader = opened()
    reader.place.joined()
    return reader
  })
const packet = (text: string, more: Partial<MediaPacket> = {}): MediaPacket => ({
  kind: 'audio',
  timestamp: 0,
  body: Buffer.from(text),
  keyFrame: false,
  configuration: false,
  arrived: 0,
  ...more,
})
const key = (text: string): MediaPacket => packet(text, { kind: 'video', keyFrame: true })
const inter = (text: string): MediaPacket => packet(text, { kind: 'video' })
/** Passes packets to all readers, as the hub does, each in a turn of its own. */
const send = async (readers: readonly Reader[], ...packets: readonly MediaPacket[]): Promise<void> => {
  for (const one of packets) {
    for (const { place } of readers) place.reader.packet(one)
    await Promise.resolve()
  }
}
/** Readers that have had their time of direct packets, with nothing kept. */
const members = async (count = 1, first: MediaPacket = packet('0')): Promise<Reader[]> => {
  const readers = joined(count)
  clock.advance(readerQueueLimits.direct)
  await send(readers, first)
  vi.advanceTimersByTime(readerQueueLimits.batchMany)
  for (const { sink } of readers) sink.take()
  return readers
}

it('has these limits unless others are given', () => {
  expect(readerQueueLimits).toEqual({
    bytes: 8 * 1024 * 1024,
    age: 5000,
    stuck: 10_000,
    batchFew: 40,
    batchMany: 140,
    direct: 500,
  })
})

describe('batches', () => {
  it.each([
    [1, 40],
    [8, 40],
    [9, 140],
  ])('of %d readers are written after %d ms', async (count, delay) => {
    const readers = await members(count)
    await send(readers, packet('a'), packet('b'))
    vi.advanceTimersByTime(delay - 1)
    expect(readers.flatMap(({ sink }) => sink.take())).toEqual([])
    vi.advanceTimersByTime(1)
    expect(readers.map(({ sink }) => sink.take())).toEqual(readers.map(() => ['(a)(b)']))
    expect(vi.getTimerCount()).toBe(0)
  })

  it('are written at once when they have 512 KiB', async () => {
    const readers = await members()
    const [{ sink }] = readers as [Reader]
    await send(readers, packet('a'.repeat(512 * 1024 - 1)))
    expect(sink.take()).toEqual([])
    await send(readers, packet('b'))
    expect(sink.take().map(({ length }) => length)).toEqual([512 * 1024 + 4])
    // What follows is counted anew.
    await send(readers, packet('c'))
    expect(sink.take()).toEqual([])
  })

  it('are written at once with a key frame, after the packets that wait', async () => {
    const readers = await members(1, key('0'))
    await send(readers, inter('a'), key('b'))
    expect(readers[0]!.sink.take()).toEqual(['(a)(b)'])
  })

  it('are not begun by what a reader gets when it joins', async () => {
    const [member] = (await members()) as [Reader]
    const late = opened()
    late.place.reader.packet(packet('backlog'))
    late.place.joined()
    await Promise.resolve()
    vi.advanceTimersByTime(1000)
    expect([member.sink.take(), late.sink.take()]).toEqual([[], ['<backlog>']])
  })
})

describe('a new reader', () => {
  it('gets every packet at once for 500 ms, several in one go, and batches from then on', async () => {
    const readers = joined()
    const [{ sink, place }] = readers as [Reader]
    for (const text of ['a', 'b']) place.reader.packet(packet(text))
    expect(sink.take()).toEqual([])
    await Promise.resolve()
    expect(sink.take()).toEqual(['cork', '<a>', '<b>', 'uncork'])
    await send(readers, packet('c'))
    expect(sink.take()).toEqual(['<c>'])
    clock.advance(499)
    vi.advanceTimersByTime(40)
    await send(readers, packet('d'))
    expect(sink.take()).toEqual(['<d>'])
    clock.advance(1)
    vi.advanceTimersByTime(40)
    await send(readers, packet('e'))
    expect(sink.take()).toEqual([])
    vi.advanceTimersByTime(40)
    expect(sink.take()).toEqual(['(e)'])
  })

  it('of a picture gets every packet at once until its first key frame', async () => {
    const readers = joined()
    const [{ sink }] = readers as [Reader]
    clock.advance(1000)
    await send(readers, packet('a', { kind: 'video', configuration: true }))
    vi.advanceTimersByTime(40)
    await send(readers, packet('b'))
    vi.advanceTimersByTime(40)
    expect(sink.take()).toEqual(['<a>', '<b>'])
    await send(readers, key('c'))
    await send(readers, inter('d'))
    vi.advanceTimersByTime(40)
    expect(sink.take()).toEqual(['<c>', '(d)'])
  })
})

describe('the queue of a reader', () => {
  // A queue of up to 64 KiB counts as drained, so larger ones show whether packets are dropped.
  const [bytes, age] = [100_000, 5000]

  it('may have as many bytes as the limit, and drops what follows when it has more', async () => {
    make({ bytes })
    const readers = joined()
    const [{ sink }] = readers as [Reader]
    sink.waiting = bytes
    await send(readers, packet('a'), packet('b'))
    expect(sink.take()).toEqual(['<a>', '<b>'])
    sink.waiting = bytes + 1
    await send(readers, packet('c'), packet('d'))
    expect([sink.take(), dropped]).toEqual([['<c>'], 1])
  })

  it('may have what came first and half the limit more, until it has drained once', async () => {
    const first = packet('a'.repeat(899_998))
    const after = async (waiting: number): Promise<Sink> => {
      make({ bytes })
      const readers = joined()
      const [{ sink }] = readers as [Reader]
      sink.waiting = 900_000
      await send(readers, first)
      sink.waiting = waiting
      await send(readers, packet('b'), packet('c'))
      expect(sink.take().slice(1)).toEqual(waiting === 950_000 ? ['<b>', '<c>'] : ['<b>'])
      sink.waiting = 0
      await send(readers, packet('d'))
      sink.waiting = bytes + 1
      await send(readers, packet('e'), packet('f'))
      return sink
    }
    expect([(await after(950_000)).take(), dropped]).toEqual([['<d>', '<e>'], 1])
    expect([(await after(950_001)).take(), dropped]).toEqual([['<d>', '<e>'], 2])
  })

  it('may be 5 s old, counted from the oldest bytes that are not sent', async () => {
    const readers = joined()
    const [{ sink }] = readers as [Reader]
    const large = (letter: string): MediaPacket => packet(letter.repeat(99_998))
    const next = async (letter: string, unsent: number): Promise<void> => {
      sink.waiting = unsent * 100_000
      await send(readers, large(letter))
    }
    await next('a', 1)
    clock.advance(4000)
    // The first has been sent.
    await next('b', 1)
    clock.advance(4000)
    await next('c', 2)
    clock.advance(1000)
    await next('d', 3)
    expect(dropped).toBe(0)
    clock.advance(1)
    await next('e', 4)
    await next('f', 4)
    expect([sink.take().map((text) => text[1]), dropped]).toEqual([['a', 'b', 'c', 'd', 'e'], 1])
  })

  it('counts its age anew after it has drained', async () => {
    const readers = joined()
    const [{ sink }] = readers as [Reader]
    sink.waiting = 200_000
    await send(readers, packet('a'.repeat(199_998)))
    clock.advance(age + 1)
    await send(readers, packet('b'), packet('c'))
    expect(dropped).toBe(1)
    sink.take()
    sink.waiting = 64 * 1024
    await send(readers, packet('d'))
    sink.waiting = 70_000
    await send(readers, packet('e'), packet('f'))
    expect([sink.take(), dropped]).toEqual([['<d>', '<e>', '<f>'], 1])
  })
})

describe('a reader that drops', () => {
  /** One whose queue was over its limit. */
  const dropping = async (first: MediaPacket): Promise<Reader> => {
    make({ bytes: 1000 })
    const readers = joined()
    readers[0]!.sink.waiting = 1_000_000
    await send(readers, first)
    readers[0]!.sink.take()
    return readers[0]!
  }

  it('resumes at a key frame that finds 64 KiB or less in its queue', async () => {
    const reader = await dropping(key('0'))
    reader.sink.waiting = 64 * 1024 + 1
    await send([reader], key('a'))
    reader.sink.waiting = 64 * 1024
    await send([reader], inter('b'), packet('c'))
    expect([reader.sink.take(), dropped]).toEqual([[], 3])
    await send([reader], key('d'))
    expect([reader.sink.take(), dropped]).toEqual([['<d>'], 3])
  })

  it('resumes with sound when it has no picture', async () => {
    const reader = await dropping(packet('0'))
    await send([reader], packet('a'))
    reader.sink.waiting = 0
    await send([reader], packet('b'))
    expect([reader.sink.take(), dropped]).toEqual([['<b>'], 1])
  })

  it('gets the newest configuration of each kind that it missed, once, and none counts as dropped', async () => {
    const reader = await dropping(key('0'))
    const configuration = (text: string, kind: MediaPacket['kind']): MediaPacket =>
      packet(text, { kind, configuration: true })
    await send(
      [reader],
      configuration('old', 'video'),
      configuration('sound', 'audio'),
      configuration('new', 'video'),
      configuration('meta', 'data'),
    )
    reader.sink.waiting = 0
    await send([reader], key('a'))
    expect([reader.sink.take(), dropped]).toEqual([['cork', '<new>', '<sound>', '<meta>', '<a>', 'uncork'], 0])
    reader.sink.waiting = 1_000_000
    await send([reader], key('b'))
    reader.sink.waiting = 0
    await send([reader], key('c'))
    expect(reader.sink.take()).toEqual(['<b>', '<c>'])
  })

  it('gets every packet at once again for 500 ms after it resumed', async () => {
    const reader = await dropping(key('0'))
    clock.advance(2000)
    reader.sink.waiting = 0
    await send([reader], key('a'))
    clock.advance(499)
    await send([reader], key('b'))
    await send([reader], inter('c'))
    expect(reader.sink.take()).toEqual(['<a>', '<b>', '<c>'])
  })

  it('is given up once when its queue has not drained 10 s after the drop began', async () => {
    const reader = await dropping(key('0'))
    clock.advance(9999)
    await send([reader], inter('a'))
    expect(reader.told).toEqual([])
    clock.advance(1)
    await send([reader], inter('b'), inter('c'))
    expect([reader.told, emptied, dropped]).toEqual([['stuck'], 1, 2])
  })

  it('is not given up when its queue has drained and only a key frame is missing', async () => {
    const reader = await dropping(key('0'))
    clock.advance(60_000)
    reader.sink.waiting = 64 * 1024
    await send([reader], inter('a'))
    expect([reader.told, emptied]).toEqual([[], 0])
  })
})

describe('the end', () => {
  it('of the last reader is told to the stream once, and leaves no timer', async () => {
    const [one, two] = (await members(2)) as [Reader, Reader]
    await send([one, two], packet('a'))
    one.place.close()
    expect([emptied, vi.getTimerCount()]).toEqual([0, 1])
    two.place.close()
    two.place.close()
    expect([emptied, vi.getTimerCount()]).toEqual([1, 0])
  })

  it('of a stream is told after everything that waits was written, and nothing is written after it', async () => {
    const readers = await members(2)
    const [one, two] = readers as [Reader, Reader]
    await send(readers, packet('a'))
    for (const { place } of readers) place.reader.ended('lost')
    expect([one.sink.take(), two.sink.take()]).toEqual([['(a)'], ['(a)']])
    expect([one.told, two.told, emptied]).toEqual([['lost'], ['lost'], 1])
    await send(readers, packet('b'))
    for (const { place } of readers) place.reader.ended('closed')
    vi.advanceTimersByTime(1000)
    expect([one.sink.take(), one.told]).toEqual([[], ['lost']])
  })

  it('of a reader that left is not told, and it gets nothing more', async () => {
    const [one, two] = (await members(2)) as [Reader, Reader]
    await send([one, two], packet('a'))
    one.place.close()
    vi.advanceTimersByTime(40)
    await send([one, two], packet('b'))
    one.place.reader.ended('closed')
    expect([one.sink.take(), one.told, two.sink.take()]).toEqual([[], [], ['(a)']])
  })
})
