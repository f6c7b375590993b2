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
