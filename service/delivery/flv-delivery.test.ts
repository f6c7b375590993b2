import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { beforeEach, expect, it, vi } from 'vitest'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import { createHub, type Hub, type Publication } from '../hub/hub.ts'
import { audioConfiguration, videoConfiguration, videoFrame } from '../hub/testing/packets.ts'
import { createFlvDelivery } from './flv-delivery.ts'

const cid = 'c'.repeat(32)
let clock: ManualClock
let hub: Hub
let publication: Publication
beforeEach(() => {
  clock = manualClock()
  hub = createHub({ clock, silenceLimit: 1e9 })
  publication = hub.publish(cid, { remote: '' }) as Publication
  return () => hub.close()
})

/** A connection that keeps what is written to it. */
class Connection extends EventEmitter {
  readonly written: Buffer[] = []
  readonly writableLength = 0
  readonly set: unknown[] = []
  destroyed = false
  isEnded = false
  write(bytes: Uint8Array | string, encoding?: BufferEncoding): boolean {
    this.written.push(Buffer.from(bytes as string, encoding))
    return true
  }
  cork(): void {
    /* order only */
  }
  uncork(): void {
    /* order only */
  }
  setNoDelay(): void {
    this.set.push('noDelay')
  }
  setTimeout(ms: number): void {
    this.set.push(ms)
  }
  end(): void {
    this.isEnded = true
  }
  destroy(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.emit('close')
  }
  get text(): string {
    return Buffer.concat(this.written).toString('latin1')
  }
}
const deliver = (
  flv: ReturnType<typeof createFlvDelivery>,
  connection: Connection,
  headers: Parameters<ReturnType<typeof createFlvDelivery>['deliver']>[3] = {},
  isOwn = false,
): void => {
  const socket = connection as object as Socket
  flv.deliver(cid, { socket }, { destroyed: false, socket }, headers, isOwn)
}

it('answers with the headers it is given, each value of a list, and none that would break a line', () => {
  const connection = new Connection()
  deliver(createFlvDelivery({ hub, clock }), connection, {
    vary: 'Origin',
    'x-list': ['a', 'b'],
    'x-number': 5,
    'x-none': undefined,
    'x-broken': 'a\r\nx-forged: b',
  })
  expect(connection.text.split('\r\n')).toEqual([
    'HTTP/1.1 200 OK',
    'Content-Type: video/x-flv',
    'Cache-Control: no-store',
    'Connection: close',
    'vary: Origin',
    'x-list: a',
    'x-list: b',
    'x-number: 5',
    '',
    '',
  ])
  expect(connection.set).toEqual(['noDelay', 0])
})

it('begins at once when both configurations are there', () => {
  for (const packet of [videoConfiguration, audioConfiguration, videoFrame(0, true, clock.now())])
    publication.packet(packet)
  const connection = new Connection()
  deliver(createFlvDelivery({ hub, clock }), connection)
  expect(connection.text).toContain('FLV\u0001\u0005')
  expect(hub.viewers(cid)).toBe(1)
  connection.destroy()
  expect(hub.viewers(cid)).toBe(0)
})

it('waits 2 s for a configuration that is missing, and then promises the tracks that are there', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const flags = (): string[] => {
      const connection = new Connection()
      deliver(createFlvDelivery({ hub, clock }), connection)
      vi.advanceTimersByTime(100)
      const before = connection.text.includes('FLV')
      clock.advance(2000)
      vi.advanceTimersByTime(100)
      return [String(before), connection.text.split('\r\n\r\n')[1]!.slice(0, 5)]
    }
    expect(flags()).toEqual(['false', 'FLV\u0001\u0005'])
    const again = (configuration: typeof videoConfiguration): string[] => {
      publication.end('closed')
      publication = hub.publish(cid, { remote: '' }) as Publication
      publication.packet(configuration)
      return flags()
    }
    expect(again(videoConfiguration)).toEqual(['false', 'FLV\u0001\u0001'])
    expect(again(audioConfiguration)).toEqual(['false', 'FLV\u0001\u0004'])
  } finally {
    vi.useRealTimers()
  }
})

it('ends a connection whose stream ends while it waits', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const connection = new Connection()
    deliver(createFlvDelivery({ hub, clock }), connection)
    publication.end('closed')
    vi.advanceTimersByTime(20)
    expect([connection.isEnded, connection.text.includes('FLV')]).toEqual([true, false])
  } finally {
    vi.useRealTimers()
  }
})

it('counts no connection of the app itself', () => {
  for (const packet of [videoConfiguration, audioConfiguration]) publication.packet(packet)
  deliver(createFlvDelivery({ hub, clock }), new Connection(), {}, true)
  expect(hub.viewers(cid)).toBe(0)
})

it('writes nothing to a connection that is gone, ends one that asks twice, and all when it closes', () => {
  for (const packet of [videoConfiguration, audioConfiguration]) publication.packet(packet)
  const flv = createFlvDelivery({ hub, clock })
  expect([flv.has(cid), flv.has('d'.repeat(32)), flv.type]).toEqual([true, false, 'video/x-flv'])
  const gone = new Connection()
  gone.destroyed = true
  deliver(flv, gone)
  expect(gone.written).toEqual([])
  const twice = new Connection()
  deliver(flv, twice)
  deliver(flv, twice)
  expect([twice.destroyed, hub.viewers(cid)]).toEqual([true, 0])
  const [one, other] = [new Connection(), new Connection()]
  deliver(flv, one)
  deliver(flv, other)
  flv.close()
  expect([one.destroyed, other.destroyed, hub.viewers(cid)]).toEqual([true, true, 0])
})

it('is one answer on its own connection: a response that is elsewhere or gone gets nothing', () => {
  for (const packet of [videoConfiguration, audioConfiguration]) publication.packet(packet)
  const flv = createFlvDelivery({ hub, clock })
  const connection = new Connection()
  const socket = connection as object as Socket
  flv.deliver(cid, { socket }, { destroyed: true, socket }, {})
  expect([connection.destroyed, connection.written]).toEqual([false, []])
  flv.deliver(cid, { socket }, { destroyed: false, socket: null }, {})
  expect([connection.destroyed, connection.written]).toEqual([true, []])
})

it('may have another answer on a connection whose stream has ended there', () => {
  for (const packet of [videoConfiguration, audioConfiguration]) publication.packet(packet)
  const flv = createFlvDelivery({ hub, clock })
  const connection = new Connection()
  deliver(flv, connection)
  connection.emit('close')
  expect(hub.viewers(cid)).toBe(0)
  deliver(flv, connection)
  expect([connection.destroyed, hub.viewers(cid)]).toEqual([false, 1])
})

it('ends a connection with its stream, after all that waits, and destroys it when it is still there after 10 s', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    for (const packet of [videoConfiguration, audioConfiguration]) publication.packet(packet)
    const connection = new Connection()
    deliver(createFlvDelivery({ hub, clock }), connection)
    publication.packet(videoFrame(0, true, clock.now()))
    publication.end('closed')
    expect([connection.isEnded, connection.destroyed]).toEqual([true, false])
    // Header, head of the file, then three tags.
    const [, file = ''] = connection.text.split('\r\n\r\n')
    expect(file.startsWith('FLV')).toBe(true)
    expect(file).toHaveLength(
      13 +
        3 * 15 +
        videoConfiguration.body.length +
        audioConfiguration.body.length +
        videoFrame(0, true, 0).body.length,
    )
    vi.advanceTimersByTime(9999)
    expect(connection.destroyed).toBe(false)
    vi.advanceTimersByTime(1)
    expect(connection.destroyed).toBe(true)
  } finally {
    vi.useRealTimers()
  }
})

it('destroys a connection that does not drain in the time that it is given', async () => {
  for (const packet of [videoConfiguration, audioConfiguration]) publication.packet(packet)
  const connection = new Connection()
  Object.defineProperty(connection, 'writableLength', { value: 1_000_000 })
  deliver(createFlvDelivery({ hub, clock, limits: { bytes: 1000, stuck: 3000 } }), connection)
  publication.packet(videoFrame(0, true, clock.now()))
  await Promise.resolve()
  publication.packet(videoFrame(40, false, clock.now()))
  await Promise.resolve()
  clock.advance(2999)
  publication.packet(videoFrame(80, false, clock.now()))
  expect(connection.destroyed).toBe(false)
  clock.advance(1)
  publication.packet(videoFrame(120, false, clock.now()))
  expect([connection.destroyed, hub.viewers(cid)]).toEqual([true, 0])
})

it('waits for a configuration from the begin of the stream, by the monotonic clock, in looks of 20 ms', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    publication.packet(videoConfiguration)
    const flv = createFlvDelivery({ hub, clock })
    const begun = (connection: Connection): boolean => connection.text.includes('FLV')
    const asked = (): Connection => {
      const connection = new Connection()
      deliver(flv, connection)
      return connection
    }
    clock.advance(1999)
    const [waits, goes] = [asked(), asked()]
    vi.advanceTimersByTime(1000)
    expect(begun(waits)).toBe(false)
    goes.destroy()
    expect(vi.getTimerCount()).toBe(1)
    clock.advance(1)
    vi.advanceTimersByTime(19)
    expect(begun(waits)).toBe(false)
    vi.advanceTimersByTime(1)
    expect([begun(waits), begun(goes), vi.getTimerCount()]).toEqual([true, false, 0])
    expect(begun(asked())).toBe(true)
    // The time of the computer is set back by a day: the stream looks young.
    clock.set(-86_400_000)
    const late = asked()
    clock.advance(1999)
    vi.advanceTimersByTime(20)
    expect(begun(late)).toBe(false)
    clock.advance(1)
    vi.advanceTimersByTime(20)
    expect(begun(late)).toBe(true)
  } finally {
    vi.useRealTimers()
  }
})

it('waits as long as it is told, and no longer than until both configurations are there', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const flags = (connection: Connection): string => connection.text.split('\r\n\r\n')[1]!.slice(0, 5)
    const flv = createFlvDelivery({ hub, clock, configurationWait: 500 })
    const [one, other] = [new Connection(), new Connection()]
    publication.packet(videoConfiguration)
    deliver(flv, one)
    publication.packet(audioConfiguration)
    vi.advanceTimersByTime(20)
    expect(flags(one)).toBe('FLV\u0001\u0005')
    publication.end('closed')
    publication = hub.publish(cid, { remote: '' }) as Publication
    publication.packet(videoConfiguration)
    deliver(flv, other)
    clock.advance(499)
    vi.advanceTimersByTime(20)
    expect(flags(other)).toBe('')
    clock.advance(1)
    vi.advanceTimersByTime(20)
    expect(flags(other)).toBe('FLV\u0001\u0001')
  } finally {
    vi.useRealTimers()
  }
})

it('promises both tracks of a stream that has shown none after the wait', () => {
  clock.advance(2000)
  const connection = new Connection()
  deliver(createFlvDelivery({ hub, clock }), connection)
  expect(connection.text).toContain('FLV\u0001\u0005')
})
