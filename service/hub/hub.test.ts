import { systemClock } from '../../platform/clock.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { createHub, type Hub, type HubLog } from './hub.ts'
import type { HubEvent } from './hub-events.ts'
import { gopCacheBounds } from './hub-channel.ts'
import type { MediaPacket, StreamReader } from '../timeline/packet.ts'
import { eventually } from '../testing/eventually.ts'

const cid = 'a'.repeat(32)
/** avcC of a 1280x720 High 3.1 stream made by x264. */
const avc = Buffer.from(
  '17000000000164001fffe1001a6764001facd9405005bb0110000003001000000303c0f183196001000468ef8fcbfdf8f800',
  'hex',
)
const aac = Buffer.from('af001190', 'hex')

const open: Hub[] = []
afterEach(() => {
  for (const hub of open.splice(0)) hub.close()
})

function made(options: { takeOverAfter?: number; silenceLimit?: number; silenceCheck?: number; log?: HubLog } = {}): {
  hub: Hub
  events: HubEvent[]
  time: { now: number; asked: number }
} {
  const time = { now: 1_000_000, asked: 0 }
  const monotonic = (): number => {
    time.asked++
    return time.now
  }
  const hub = createHub({ clock: { ...systemClock, now: () => time.now, monotonic }, silenceCheck: 5, ...options })
  open.push(hub)
  const events: HubEvent[] = []
  hub.on((event) => events.push(event))
  return { hub, events, time }
}
const packet = (part: Partial<MediaPacket>): MediaPacket => ({
  kind: 'video',
  timestamp: 0,
  body: Buffer.from([0x27, 1, 0, 0, 0]),
  keyFrame: false,
  configuration: false,
  arrived: 1_000_000,
  ...part,
})
const key = (timestamp: number, more: Partial<MediaPacket> = {}): MediaPacket =>
  packet({ timestamp, keyFrame: true, body: Buffer.from([0x17, 1, 0, 0, 0]), ...more })
const frame = (timestamp: number, more: Partial<MediaPacket> = {}): MediaPacket => packet({ timestamp, ...more })
const sound = (timestamp: number): MediaPacket => packet({ kind: 'audio', timestamp, body: Buffer.from([0xaf, 1, 0]) })
const videoConfig = packet({ body: avc, configuration: true })
const audioConfig = packet({ kind: 'audio', body: aac, configuration: true })

function reader(): StreamReader & { got: MediaPacket[]; over: string[] } {
  const got: MediaPacket[] = []
  const over: string[] = []
  return { got, over, packet: (one) => void got.push(one), ended: (reason) => void over.push(reason) }
}
function published(hub: Hub): Exclude<ReturnType<Hub['publish']>, 'busy'> {
  const publication = hub.publish(cid, { remote: '127.0.0.1' })
  if (publication === 'busy') throw new Error('busy')
  return publication
}

test('a reader that joins gets metadata, configurations and the cache from its key frame, then what follows', () => {
  const { hub } = made()
  const publication = published(hub)
  const metadata = packet({ kind: 'data', configuration: true, body: Buffer.from('m') })
  const sent = [key(0), sound(10), frame(40), key(80), sound(90), frame(120)]
  for (const one of [metadata, audioConfig, videoConfig, ...sent]) publication.packet(one)
  const late = reader()
  hub.join(cid, late, 'flv')
  expect(late.got).toEqual([metadata, videoConfig, audioConfig, ...sent.slice(3)])
  const next = frame(160)
  publication.packet(next)
  expect(late.got.at(-1)).toBe(next)
})

test('nothing is on air: join gives undefined and the reader hears nothing', () => {
  const { hub } = made()
  const early = reader()
  expect(hub.join(cid, early, 'flv')).toBeUndefined()
  expect(early.got).toEqual([])
  expect(hub.figures(cid)).toBeUndefined()
})

test('a reader without a cached GOP gets audio but no video until a key frame', () => {
  const { hub } = made()
  const publication = published(hub)
  const one = reader()
  hub.join(cid, one, 'rtmp')
  for (const each of [videoConfig, frame(0), sound(5), key(40), frame(80)]) publication.packet(each)
  expect(one.got.map(({ kind, timestamp }) => [kind, timestamp])).toEqual([
    ['video', 0],
    ['audio', 5],
    ['video', 40],
    ['video', 80],
  ])
})

test('a GOP over 20 s or 32 MiB is not cached, and the next key frame is', () => {
  const { hub } = made()
  const publication = published(hub)
  publication.packet(key(0))
  publication.packet(frame(gopCacheBounds.duration + 1))
  const long = reader()
  hub.join(cid, long, 'flv')
  expect(long.got).toEqual([])
  publication.packet(key(30_000))
  publication.packet(frame(30_040, { body: Buffer.alloc(gopCacheBounds.bytes - 4) }))
  const large = reader()
  hub.join(cid, large, 'flv')
  expect(large.got).toEqual([])
  publication.packet(key(40_000))
  const right = reader()
  hub.join(cid, right, 'flv')
  expect(right.got.map((one) => one.timestamp)).toEqual([40_000])
})

test('a changed video configuration empties the cache and holds video back until a key frame; the same one again is not passed on', () => {
  const { hub } = made()
  const publication = published(hub)
  const one = reader()
  for (const each of [videoConfig, key(0)]) publication.packet(each)
  hub.join(cid, one, 'flv')
  one.got.length = 0
  publication.packet(packet({ body: Buffer.from(avc), configuration: true }))
  publication.packet(frame(20))
  expect(one.got.map((each) => each.timestamp)).toEqual([20])
  const other = packet({ body: Buffer.concat([avc, Buffer.from([1])]), configuration: true, timestamp: 30 })
  for (const each of [other, frame(40), key(60)]) publication.packet(each)
  expect(one.got.map((each) => each.timestamp)).toEqual([20, 30, 60])
  const late = reader()
  hub.join(cid, late, 'flv')
  expect(late.got.map((each) => each.timestamp)).toEqual([30, 60])
})

test('a second publisher is busy for 3 s after the last packet, then takes over: old readers end, the old publisher is told, its packets count no more', () => {
  const { hub, events, time } = made()
  const first = published(hub)
  const cut = vi.fn()
  first.onCut = cut
  first.packet(key(0, { arrived: time.now }))
  const one = reader()
  hub.join(cid, one, 'flv')
  time.now += 2999
  expect(hub.publish(cid, { remote: 'x' })).toBe('busy')
  time.now += 1
  const second = published(hub)
  expect(cut.mock.calls).toEqual([['replaced']])
  expect(one.over).toEqual(['lost'])
  const two = reader()
  hub.join(cid, two, 'flv')
  expect(two.got).toEqual([])
  first.packet(key(40))
  first.end('lost')
  expect(two.got).toEqual([])
  expect(two.over).toEqual([])
  second.packet(key(0))
  expect(two.got).toHaveLength(1)
  expect(events.map((event) => event.type)).toEqual([
    'started',
    'firstKeyFrame',
    'replaced',
    'started',
    'firstKeyFrame',
  ])
})

test('10 s of silence ends a publisher', async () => {
  const { hub, events, time } = made()
  const publication = published(hub)
  const cut = vi.fn()
  publication.onCut = cut
  const one = reader()
  hub.join(cid, one, 'flv')
  time.now += 9_999
  const { asked } = time
  await eventually(() => expect(time.asked).toBeGreaterThan(asked + 1))
  expect(cut).not.toHaveBeenCalled()
  time.now += 1
  await eventually(() => expect(cut.mock.calls).toEqual([['silent']]))
  expect(one.over).toEqual(['lost'])
  expect(hub.stream(cid)).toBeUndefined()
  expect(events.at(-1)).toMatchObject({ type: 'ended', cid, detail: 'silent' })
})

test('a push is silent while nothing has come of it for 2 s', () => {
  const { hub, time } = made({ silenceCheck: 60_000 })
  expect(hub.isSilent(cid)).toBe(false)
  const publication = published(hub)
  publication.packet(key(time.now))
  time.now += 1_999
  expect(hub.isSilent(cid)).toBe(false)
  time.now += 1
  expect(hub.isSilent(cid)).toBe(true)
  publication.packet(key(time.now))
  expect(hub.isSilent(cid)).toBe(false)
})

test('a publisher that stalls and goes on is told with the length of its silence', () => {
  // No check during this test: on a slow machine a late check would count as a sleep.
  const { hub, events, time } = made({ silenceCheck: 60_000 })
  const publication = published(hub)
  const stalls = (): (string | undefined)[] =>
    events.filter(({ type }) => type === 'stalled').map(({ detail }) => detail)
  for (const wait of [0, 40, 2_999]) {
    time.now += wait
    publication.packet(key(time.now))
  }
  expect(stalls()).toEqual([])
  time.now += 9_800
  publication.packet(key(time.now))
  publication.packet(frame(time.now + 40))
  expect(stalls()).toEqual(['9800'])
  expect(events.at(-1)).toMatchObject({ type: 'stalled', cid, at: time.now })
})

test("a change of the system's clock neither ends a publisher nor keeps a second one out or in", async () => {
  const time = { wall: 1_700_000_000_000, passed: 0, asked: 0 }
  const monotonic = (): number => {
    time.asked++
    return time.passed
  }
  const hub = createHub({ clock: { ...systemClock, now: () => time.wall, monotonic }, silenceCheck: 5 })
  open.push(hub)
  const publication = published(hub)
  for (const jump of [3_600_000, -7_200_000]) {
    time.wall += jump
    time.passed += 1000
    publication.packet(key(time.passed, { arrived: time.wall }))
    expect(hub.publish(cid, { remote: 'x' })).toBe('busy')
    const { asked } = time
    await eventually(() => expect(time.asked).toBeGreaterThan(asked + 1))
    expect(hub.stream(cid)).toBeDefined()
  }
  expect(hub.figures(cid)?.kbps).toBeDefined()
  time.passed += 3000
  expect(hub.publish(cid, { remote: 'x' })).not.toBe('busy')
})

test('cut ends publisher and readers with cut; a normal end says closed', () => {
  const { hub, events } = made()
  const publication = published(hub)
  const cut = vi.fn()
  publication.onCut = cut
  const one = reader()
  hub.join(cid, one, 'internal')
  expect(hub.cut(cid, 'disabled')).toBe(true)
  expect(hub.cut(cid, 'deleted')).toBe(false)
  expect(one.over).toEqual(['cut'])
  expect(cut.mock.calls).toEqual([['cut']])
  expect(events.at(-1)).toMatchObject({ type: 'ended', detail: 'disabled' })
  const two = reader()
  const again = published(hub)
  hub.join(cid, two, 'flv')
  again.end('closed')
  expect(two.over).toEqual(['closed'])
})

test('viewers count players and sources, not internal readers; leaving counts once', () => {
  const { hub } = made()
  published(hub)
  const leave = hub.join(cid, reader(), 'flv')
  hub.join(cid, reader(), 'rtmp')
  hub.join(cid, reader(), 'internal')
  const off = hub.addViewerSource((which) => (which === cid ? 3 : 0))
  expect(hub.viewers(cid)).toBe(5)
  leave?.()
  leave?.()
  expect(hub.viewers(cid)).toBe(4)
  off()
  expect(hub.figures(cid)?.viewers).toBe(1)
})

test('codecs are told in words once, before the first key frame, and again when they change', () => {
  const { hub, events } = made()
  const publication = published(hub)
  for (const one of [videoConfig, audioConfig, key(0), frame(40), key(80)]) publication.packet(one)
  expect(events.slice(1).map(({ type, detail }) => [type, detail])).toEqual([
    ['codecs', 'H.264 High 3.1 1280x720, AAC-LC 48 kHz stereo'],
    ['firstKeyFrame', 'H.264 High 3.1 1280x720, AAC-LC 48 kHz stereo'],
  ])
  publication.packet(packet({ kind: 'audio', body: Buffer.from('af001210', 'hex'), configuration: true }))
  publication.packet(sound(90))
  expect(events.at(-1)?.detail).toBe('H.264 High 3.1 1280x720, AAC-LC 44.1 kHz stereo')
})

test('figures are measured over the last 2 s', () => {
  const { hub, time } = made()
  const publication = published(hub)
  publication.identify('an encoder')
  const begin = time.now
  publication.packet(videoConfig)
  for (let ms = 0; ms < 6000; ms += 40) {
    time.now = begin + ms
    // 25 frames a second; 1000 bytes each for 3 s, then 2000.
    publication.packet(
      packet({
        timestamp: ms,
        arrived: time.now,
        keyFrame: ms % 2000 === 0,
        body: Buffer.alloc(ms < 3000 ? 1000 : 2000, 0x17),
      }),
    )
  }
  time.now = begin + 5999
  const figures = hub.figures(cid)
  expect(figures).toMatchObject({
    keyFrameGap: 2000,
    width: 1280,
    height: 720,
    videoCodec: 'H.264 High 3.1',
    encoder: 'an encoder',
    droppedForReaders: 0,
    viewers: 0,
  })
  expect(figures?.kbps).toBeGreaterThan(380)
  expect(figures?.kbps).toBeLessThan(420)
  expect(figures?.millifps).toBeGreaterThan(24_000)
  expect(figures?.millifps).toBeLessThan(26_000)
  time.now += 5000
  expect(hub.figures(cid)).toMatchObject({ kbps: 0, millifps: 0 })
})

test('a reader or listener that throws harms nobody else', () => {
  const { hub, events } = made()
  const publication = published(hub)
  hub.on(() => {
    throw new Error('listener')
  })
  const bad = {
    packet: vi.fn(() => {
      throw new Error('reader')
    }),
    ended: () => {
      throw new Error('end')
    },
  }
  hub.join(cid, bad, 'flv')
  const good = reader()
  hub.join(cid, good, 'flv')
  publication.packet(key(0))
  publication.packet(frame(40))
  expect(good.got).toHaveLength(2)
  expect(bad.packet).toHaveBeenCalledTimes(1)
  expect(events.map((event) => event.type)).toEqual(['started', 'firstKeyFrame'])
})

test('a reader that joins or leaves while a packet is delivered gets every packet exactly once', () => {
  const { hub } = made()
  const publication = published(hub)
  const late = reader()
  const left = reader()
  const first: StreamReader = {
    packet: (one) => {
      if (one.timestamp !== 40) return
      hub.join(cid, late, 'flv')
      leave?.()
    },
    ended: () => undefined,
  }
  hub.join(cid, first, 'flv')
  const leave = hub.join(cid, left, 'flv')
  for (const one of [key(0), frame(40), frame(80)]) publication.packet(one)
  expect(late.got.map((one) => one.timestamp)).toEqual([0, 40, 80])
  expect(left.got.map((one) => one.timestamp)).toEqual([0])
})

test('a refusal is told with its remedy, the same one at most once a second', () => {
  const { hub, events, time } = made()
  for (let count = 0; count < 5; count++) hub.refused(cid, 'key', 'wrong key', '203.0.113.9')
  // A refusal from this computer is reported separately.
  hub.refused(cid, 'key', 'wrong key', '127.0.0.1')
  hub.refused(cid, 'expired', 'expired', '127.0.0.1')
  time.now += 1000
  hub.refused(cid, 'key', 'wrong key', '203.0.113.9')
  expect(events.map((event) => event.remedy)).toEqual(['key', 'key', 'expired', 'key'])
})

test('a publisher that is cut while it starts is told as soon as it listens', () => {
  const { hub } = made()
  hub.on(({ type }) => {
    if (type === 'started') hub.cut(cid, 'deleted')
  })
  const cut = vi.fn()
  published(hub).onCut = cut
  expect(cut.mock.calls).toEqual([['cut']])
})

test('closing ends every push and takes no new one', () => {
  const { hub } = made()
  const publication = published(hub)
  const cut = vi.fn()
  publication.onCut = cut
  hub.close()
  expect(cut.mock.calls).toEqual([['closing']])
  expect(hub.publish(cid, { remote: 'x' })).toBe('busy')
})

test('what a publisher declares late is in the figures, with what was dropped for readers', () => {
  const { hub } = made()
  const publication = hub.publish(cid, { remote: '203.0.113.1', encoder: 'first' })
  if (publication === 'busy') throw new Error('busy')
  expect(hub.figures(cid)).toMatchObject({ encoder: 'first', droppedForReaders: 0 })
  expect(hub.figures(cid)).not.toHaveProperty('millifpsDeclared')
  publication.identify('second')
  publication.declare(29_970)
  hub.dropped(cid, 3)
  hub.dropped(cid, 4)
  hub.dropped('b'.repeat(32), 5)
  expect(hub.figures(cid)).toMatchObject({ encoder: 'second', millifpsDeclared: 29_970, droppedForReaders: 7 })
  publication.packet(audioConfig)
  expect(hub.figures(cid)).toMatchObject({ audioCodec: 'AAC-LC', sampleRate: 48_000, audioChannels: 2 })
})

test('a stream has where it comes from, since when, its last packet and its current configurations', () => {
  const { hub, time } = made()
  const begun = time.now
  const publication = published(hub)
  expect(hub.stream(cid)).toMatchObject({ cid, remote: '127.0.0.1', startedAt: begun, lastPacketAt: begun })
  const metadata = packet({ kind: 'data', configuration: true, body: Buffer.from('m'), arrived: begun + 5 })
  for (const one of [videoConfig, audioConfig, metadata]) publication.packet(one)
  expect(hub.stream(cid)).toMatchObject({ lastPacketAt: begun + 5, video: videoConfig, audio: audioConfig, metadata })
  publication.end('closed')
  expect(hub.stream(cid)).toBeUndefined()
})

test('packets are counted over all pushes, and not those of a publisher whose push has ended', () => {
  const { hub } = made()
  const publication = published(hub)
  for (const one of [videoConfig, key(0), frame(40)]) publication.packet(one)
  publication.end('lost')
  publication.packet(frame(80))
  expect(hub.packets()).toBe(3)
  published(hub).packet(key(0))
  expect(hub.packets()).toBe(4)
})

test('corrected timestamps and media that was left out are told once in 10 s for each reason, of a push on air', () => {
  const warned: object[] = []
  const { hub, events, time } = made({ log: { warn: (fields) => void warned.push(fields) } })
  const publication = published(hub)
  const told = () => events.filter(({ type }) => type === 'retimed' || type === 'leftOut').map(({ remedy }) => remedy)
  for (let each = 0; each < 3; each++) {
    publication.retimed('jump')
    publication.leftOut('early')
  }
  publication.leftOut('configuration')
  expect(told()).toEqual(['retimed_jump', 'leftOut_early', 'leftOut_configuration'])
  time.now += 9_999
  publication.retimed('jump')
  expect(told()).toHaveLength(3)
  time.now += 1
  publication.retimed('jump')
  expect(told()).toHaveLength(4)
  expect(warned).toContainEqual({ cid, reason: 'jump' })
  expect(warned).toContainEqual({ cid, loss: 'early' })
  publication.end('closed')
  time.now += 10_000
  publication.retimed('jump')
  publication.leftOut('early')
  expect(told()).toHaveLength(4)
  // Readers may report losses after the end.
  hub.leftOut(cid, 'segment')
  expect(told()).toHaveLength(5)
})

test('a GOP that is too long for the cache is told as left out', () => {
  const { hub, events } = made()
  const publication = published(hub)
  publication.packet(key(0))
  publication.packet(frame(gopCacheBounds.duration))
  const told = () => events.filter(({ type }) => type === 'leftOut').map(({ remedy }) => remedy)
  expect(told()).toEqual([])
  publication.packet(frame(gopCacheBounds.duration + 1))
  expect(told()).toEqual(['leftOut_longGop'])
})

test.each([
  ['stopped', 'closed'],
  ['lost', 'lost'],
] as const)('the end of a push is told as %s when it was %s, or with the reason given', (detail, reason) => {
  const { hub, events } = made()
  published(hub).end(reason)
  expect(events.at(-1)).toMatchObject({ type: 'ended', detail })
  published(hub).end(reason, 'codec')
  expect(events.at(-1)).toMatchObject({ type: 'ended', detail: 'codec' })
})

test('a push ends once, whatever its publisher calls later', () => {
  const { hub, events } = made()
  const publication = published(hub)
  const one = reader()
  hub.join(cid, one, 'flv')
  publication.end('closed')
  publication.end('lost')
  expect([one.over, events.map(({ type }) => type)]).toEqual([['closed'], ['started', 'ended']])
})

test('a publisher that fails to close harms no other, and is logged', () => {
  const warned: string[] = []
  const { hub } = made({ log: { warn: (_fields, sentence) => void warned.push(sentence) } })
  const publication = published(hub)
  publication.onCut = () => {
    throw new Error('closed already')
  }
  const other = hub.publish('b'.repeat(32), { remote: 'x' })
  if (other === 'busy') throw new Error('busy')
  const cut = vi.fn()
  other.onCut = cut
  hub.close()
  expect(cut.mock.calls).toEqual([['closing']])
  expect(warned).toEqual(['a publisher failed to close'])
})

test('readers and listeners that fail are logged; a reader that fails gets nothing more', () => {
  const warned: string[] = []
  const { hub } = made({ log: { warn: (_fields, sentence) => void warned.push(sentence) } })
  const publication = published(hub)
  hub.join(
    cid,
    {
      packet: () => undefined,
      ended: () => {
        throw new Error('end')
      },
    },
    'flv',
  )
  publication.end('lost')
  hub.on(() => {
    throw new Error('listener')
  })
  published(hub)
  expect(warned).toEqual(['a reader failed at its end', 'a listener of the hub failed'])
})

test('who listens no more hears no event', () => {
  const { hub } = made()
  const heard: string[] = []
  const leave = hub.on(({ type }) => heard.push(type))
  const publication = published(hub)
  leave()
  publication.end('closed')
  expect(heard).toEqual(['started'])
})

test('a refusal has words, remedy and sender, and each of another channel is told at once', () => {
  const { hub, events, time } = made()
  hub.refused(cid, 'key', 'wrong key', '203.0.113.9')
  hub.refused('b'.repeat(32), 'key', 'wrong key', '203.0.113.9')
  time.now += 999
  hub.refused(cid, 'key', 'wrong key', '203.0.113.9')
  expect(events).toHaveLength(2)
  expect(events[0]).toEqual({
    type: 'refused',
    cid,
    at: time.now - 999,
    detail: 'wrong key',
    remedy: 'key',
    from: '203.0.113.9',
  })
})

test('data of a push do not begin it: codecs are told with its first picture or sound', () => {
  const { hub, events } = made()
  const publication = published(hub)
  publication.packet(audioConfig)
  publication.packet(packet({ kind: 'data', body: Buffer.from('x') }))
  expect(events.map(({ type }) => type)).toEqual(['started'])
  publication.packet(sound(0))
  expect(events.map(({ type }) => type)).toEqual(['started', 'codecs'])
})
