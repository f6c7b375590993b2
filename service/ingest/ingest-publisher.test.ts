import { describe, expect, it } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import type { Amf0Value } from '../media/amf0.ts'
import { readAmf0 } from '../media/amf0-reader.ts'
import { writeAmf0 } from '../media/amf0-writer.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { createIngestPublisher, maxData, encoderName } from './ingest-publisher.ts'
import { aacHeader, avcHeader, interFrame, keyFrame, sound } from './testing/rtmp-test-server.ts'

/** The ingest of a push on a clock of the test, with what it passed on and reported. */
function ingest(options: { readonly mustWait?: () => boolean; readonly reconfigured?: () => void } = {}) {
  const time = { now: 1_800_000_000_000 }
  const got: MediaPacket[] = []
  const said: unknown[] = []
  const publisher = createIngestPublisher({
    target: {
      packet: (packet) => void got.push(packet),
      identify: (encoder) => void said.push(['identify', encoder]),
      declare: (millifps) => void said.push(['declare', millifps]),
      retimed: (reason) => void said.push(['retimed', reason]),
      leftOut: (loss) => void said.push(['leftOut', loss]),
    },
    clock: { ...systemClock, now: () => time.now, monotonic: () => time.now },
    ...options,
  })
  const send = (type: number, timestamp: number, body: Buffer) =>
    publisher.message({ type, streamId: 1, timestamp, body })
  return { publisher, send, got, said, time }
}
const changed = Buffer.from(avcHeader)
changed[changed.length - 1]! ^= 1

/** One part of an aggregate message. */
function part(type: number, time: number, body: Buffer): Buffer {
  const head = Buffer.alloc(11)
  head[0] = type
  head.writeUIntBE(body.length, 1, 3)
  head.writeUIntBE(time & 0xffffff, 4, 3)
  head[7] = time >>> 24
  return Buffer.concat([head, body, Buffer.alloc(4)])
}

describe('media of a push', () => {
  it('is reported as left out when it comes before its configuration', () => {
    const { send, got, said } = ingest()
    send(rtmpType.video, 0, keyFrame())
    send(rtmpType.audio, 0, sound())
    expect(said).toEqual([
      ['leftOut', 'early'],
      ['leftOut', 'early'],
    ])
    expect(got).toEqual([])
  })

  it('keeps the configuration that was readable when one that is not readable follows', () => {
    const { send, got, said } = ingest()
    send(rtmpType.video, 0, avcHeader)
    send(rtmpType.video, 0, Buffer.from([0x17, 0, 0, 0, 0, 1, 2, 3]))
    send(rtmpType.video, 0, keyFrame())
    send(rtmpType.audio, 0, aacHeader)
    send(rtmpType.audio, 0, Buffer.from([0xaf, 0, 0x11]))
    expect(said).toEqual([
      ['leftOut', 'configuration'],
      ['leftOut', 'configuration'],
    ])
    expect(got.map(({ kind, configuration }) => [kind, configuration])).toEqual([
      ['video', true],
      ['video', false],
      ['audio', true],
    ])
  })

  it('counts a changed configuration, neither the first one nor a repetition', () => {
    let count = 0
    const { send, got } = ingest({ reconfigured: () => void count++ })
    for (const header of [avcHeader, avcHeader, aacHeader, aacHeader]) {
      send(header === avcHeader ? rtmpType.video : rtmpType.audio, 0, header)
    }
    expect(count).toBe(0)
    send(rtmpType.video, 0, changed)
    expect(count).toBe(1)
    expect(got).toHaveLength(5)
  })

  it('passes nothing on of a configuration that changes too often', () => {
    const { send, got } = ingest({
      reconfigured() {
        throw new Error('too often')
      },
    })
    send(rtmpType.video, 0, avcHeader)
    expect(() => send(rtmpType.video, 0, changed)).toThrow('too often')
    expect(got).toHaveLength(1)
  })

  it('keeps a configuration and its repetitions in one memory apart from the received bytes', () => {
    const { send, got } = ingest()
    const received = Buffer.concat([Buffer.alloc(10_000), avcHeader])
    send(rtmpType.video, 0, received.subarray(10_000))
    send(rtmpType.video, 0, Buffer.from(avcHeader))
    expect(got[0]!.body.buffer.byteLength).toBe(avcHeader.length)
    expect(got[1]!.body).toBe(got[0]!.body)
    received.fill(0)
    expect(got[0]!.body).toEqual(avcHeader)
  })

  it('has the time of the last packet, at first that of the beginning', () => {
    const { publisher, send, got, time } = ingest()
    const begun = time.now
    time.now += 500
    expect(publisher.lastPacketAt).toBe(begun)
    send(rtmpType.video, 0, keyFrame())
    expect(publisher.lastPacketAt).toBe(begun)
    send(rtmpType.video, 0, avcHeader)
    expect(publisher.lastPacketAt).toBe(begun + 500)
    expect(got[0]!.arrived).toBe(begun + 500)
  })

  it('is refused with track and name of a codec that is not served, except for audio beside AAC', () => {
    const hevc = Buffer.from([0x1c, 0, 0, 0, 0, 1])
    const mp3 = Buffer.from([0x2f, 1, 2])
    expect(ingest().send(rtmpType.video, 0, hevc)).toEqual({ track: 'video', codec: 'HEVC' })
    expect(ingest().send(rtmpType.audio, 0, mp3)).toEqual({ track: 'audio', codec: 'MP3' })
    const { send } = ingest()
    send(rtmpType.audio, 0, aacHeader)
    expect(send(rtmpType.audio, 0, mp3)).toBeUndefined()
    expect(send(rtmpType.video, 0, hevc)).toEqual({ track: 'video', codec: 'HEVC' })
  })
})

describe('data of a push', () => {
  const metadata = (members: Amf0Value): Buffer => writeAmf0('@setDataFrame', 'onMetaData', members)

  it('names the encoder and declares frames per 1,000 s, from 1 to 480 a second', () => {
    const { send, said } = ingest()
    send(rtmpType.data, 0, metadata({ encoder: 'obs', framerate: 29.97 }))
    for (const framerate of [1, 480]) send(rtmpType.data, 0, metadata({ framerate }))
    for (const framerate of [0, 0.99, 480.5, Number.NaN, '30']) send(rtmpType.data, 0, metadata({ framerate }))
    send(rtmpType.data, 0, metadata({ encoder: 5 }))
    expect(said).toEqual([
      ['identify', 'obs'],
      ['declare', 29_970],
      ['declare', 1000],
      ['declare', 480_000],
    ])
  })

  it('reads members of onMetaData only, and passes only that on as configuration', () => {
    const { send, got, said } = ingest()
    send(rtmpType.data, 0, writeAmf0('onCuePoint', { encoder: 'obs', framerate: 30 }))
    send(rtmpType.data, 0, writeAmf0('onMetaData', { width: 1 }))
    expect(said).toEqual([])
    expect(got.map(({ kind, configuration, body }) => [kind, configuration, readAmf0(body)[0]])).toEqual([
      ['data', false, 'onCuePoint'],
      ['data', true, 'onMetaData'],
    ])
  })

  it('leaves out messages for the server itself, without a name, and empty ones', () => {
    const { send, got } = ingest()
    for (const body of [
      writeAmf0('|RtmpSampleAccess', true, true),
      writeAmf0('@clearDataFrame', 'onMetaData'),
      writeAmf0(5, 'x'),
      Buffer.alloc(0),
    ])
      send(rtmpType.data, 0, body)
    expect(got).toEqual([])
  })

  it('is taken in AMF3 messages whose format byte is 0, and not in others', () => {
    const { send, got } = ingest()
    const body = writeAmf0('onCuePoint', 'x')
    send(rtmpType.data3, 0, Buffer.concat([Buffer.from([0]), body]))
    send(rtmpType.data3, 0, Buffer.concat([Buffer.from([3]), body]))
    expect(got.map((packet) => packet.body)).toEqual([body])
  })

  it('has at most 64 KiB', () => {
    const { send, got } = ingest()
    const overhead = writeAmf0('onCuePoint', 'x'.repeat(60_000)).length - 60_000
    const sized = (bytes: number): Buffer => writeAmf0('onCuePoint', 'x'.repeat(bytes - overhead))
    send(rtmpType.data, 0, sized(maxData - 100))
    expect(got).toHaveLength(1)
    expect(() => send(rtmpType.data, 0, Buffer.alloc(maxData + 1))).toThrow('a data message over the limit')
  })

  it('shows an encoder name as one line of at most 128 characters, and none for an empty one', () => {
    expect(encoderName(' Test\r\n\tencoder\u0000 \u202e1 ')).toBe('Test encoder 1')
    expect(encoderName('x'.repeat(200))).toBe('x'.repeat(128))
    expect([encoderName(''), encoderName(' \n'), encoderName(5), encoderName(undefined)]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('an aggregate message', () => {
  it('has the times of its parts relative to its own, over 24 bits', () => {
    const { send, got, said } = ingest()
    send(rtmpType.video, 0, avcHeader)
    send(rtmpType.video, 5000, keyFrame())
    send(
      rtmpType.aggregate,
      5040,
      Buffer.concat([part(9, 0x1fffff0, interFrame()), part(9, 0x1fffff0 + 40, interFrame())]),
    )
    expect(got.map(({ timestamp }) => timestamp)).toEqual([0, 0, 40, 80])
    expect(said).toEqual([])
  })

  it('ends with the first part of a codec that is not served', () => {
    const { publisher, send, got } = ingest()
    const refusal = send(
      rtmpType.aggregate,
      0,
      Buffer.concat([part(9, 0, avcHeader), part(9, 0, Buffer.from([0x1c, 0, 0, 0, 0, 1])), part(8, 0, aacHeader)]),
    )
    expect(refusal).toEqual({ track: 'video', codec: 'HEVC' })
    expect([got.length, publisher.isWaiting]).toEqual([1, false])
  })

  it('leaves out parts that are neither media nor data', () => {
    const { send, got } = ingest()
    send(
      rtmpType.aggregate,
      0,
      Buffer.concat([part(20, 0, Buffer.from('x')), part(9, 0, avcHeader), part(18, 0, writeAmf0('onCuePoint', 'x'))]),
    )
    expect(got.map(({ kind }) => kind)).toEqual(['video', 'data'])
  })

  it('that is cut short throws, and one of more than 4096 parts', () => {
    const whole = part(9, 0, avcHeader)
    expect(() => ingest().send(rtmpType.aggregate, 0, whole.subarray(0, 20))).toThrow('cut short')
    const parts = (count: number): Buffer => Buffer.concat(Array.from({ length: count }, () => part(9, 0, avcHeader)))
    const { send, got } = ingest()
    send(rtmpType.aggregate, 0, parts(4096))
    expect(got).toHaveLength(4096)
    expect(() => send(rtmpType.aggregate, 0, parts(4097))).toThrow('too many parts')
  })

  it('waits after a part when it must, goes on when asked to, and before the next message', () => {
    let waits = true
    const { publisher, send, got } = ingest({ mustWait: () => waits })
    const body = Buffer.concat([part(9, 0, avcHeader), part(9, 0, keyFrame()), part(9, 40, interFrame())])
    send(rtmpType.aggregate, 0, body)
    expect([got.length, publisher.isWaiting]).toEqual([1, true])
    publisher.goOn()
    expect([got.length, publisher.isWaiting]).toEqual([2, true])
    send(rtmpType.video, 80, interFrame())
    expect(got.map(({ timestamp }) => timestamp)).toEqual([0, 0, 40, 80])
    expect(publisher.isWaiting).toBe(false)
    waits = false
    send(rtmpType.aggregate, 120, body.subarray(avcHeader.length + 15))
    expect(publisher.isWaiting).toBe(false)
  })
})

describe('the bounds of a push', () => {
  it('are data of exactly 64 KiB, and metadata without members, which say nothing', () => {
    expect(maxData).toBe(65_536)
    const { send, got, said } = ingest()
    const empty = writeAmf0('onCuePoint', '').length
    const nulls = Buffer.alloc(65_536 - 65_000 - empty, 5)
    send(rtmpType.data, 0, Buffer.concat([writeAmf0('onCuePoint', 'x'.repeat(65_000)), nulls]))
    expect(got.map(({ body }) => body.length)).toEqual([65_536])
    for (const members of [null, 'text', 5, []]) send(rtmpType.data, 0, writeAmf0('onMetaData', members))
    expect([got.length, said]).toEqual([5, []])
  })

  it('leave empty and ignored media out without a word', () => {
    const { send, got, said } = ingest()
    send(rtmpType.video, 0, avcHeader)
    for (const body of [Buffer.alloc(0), Buffer.from([0x57, 0]), Buffer.from([0x17, 2, 0, 0, 0, 1])])
      expect(send(rtmpType.video, 0, body)).toBeUndefined()
    expect(send(rtmpType.audio, 0, Buffer.from([0xaf]))).toBeUndefined()
    for (const type of [rtmpType.command, rtmpType.userControl, rtmpType.acknowledgement, 99])
      expect(send(type, 0, Buffer.from('x'))).toBeUndefined()
    expect([got.length, said]).toEqual([1, []])
  })
})

describe('times of a push', () => {
  it('begin at 0 with its first frame, have data and configurations at times of frames, and the arrival', () => {
    const { send, got, time } = ingest()
    const begun = time.now
    send(rtmpType.video, 7_000_000, avcHeader)
    send(rtmpType.video, 90_000, keyFrame())
    time.now += 40
    send(rtmpType.video, 90_040, interFrame())
    send(rtmpType.data, 5, writeAmf0('onCuePoint', 'x'))
    send(rtmpType.video, 3, changed)
    expect(got.map(({ timestamp, arrived, keyFrame: key }) => [timestamp, arrived - begun, key])).toEqual([
      [0, 0, false],
      [0, 0, true],
      [40, 40, false],
      [40, 40, false],
      [40, 40, false],
    ])
  })

  it('are corrected where the timestamps jump, and that is reported', () => {
    const { send, said, time, got } = ingest()
    send(rtmpType.video, 0, avcHeader)
    for (const [index, stamp] of [0, 40, 36_000_080].entries()) {
      time.now += index === 0 ? 0 : 40
      send(rtmpType.video, stamp, interFrame())
    }
    expect(said).toEqual([['retimed', 'jump']])
    expect(got.at(-1)!.timestamp).toBe(80)
  })

  it('of the parts of an aggregate message wrap at 2^32', () => {
    const { send, got } = ingest()
    send(rtmpType.video, 0, avcHeader)
    send(rtmpType.aggregate, 0xffff_fff0, Buffer.concat([part(9, 500, keyFrame()), part(9, 540, interFrame())]))
    expect(got.map(({ timestamp }) => timestamp)).toEqual([0, 0, 40])
  })
})

it('a part of an aggregate message may end with the message, without its size behind it', () => {
  const { send, got, publisher } = ingest()
  send(rtmpType.aggregate, 0, part(9, 0, avcHeader).subarray(0, -4))
  send(rtmpType.aggregate, 0, Buffer.concat([part(9, 0, keyFrame()), Buffer.alloc(10)]))
  expect([got.length, publisher.isWaiting]).toEqual([2, false])
  expect(() => send(rtmpType.aggregate, 0, part(9, 0, keyFrame()).subarray(0, -5))).toThrow('cut short')
})

it('what waits of an aggregate message is refused with the message that follows it', () => {
  const { send, got } = ingest({ mustWait: () => true })
  send(rtmpType.aggregate, 0, Buffer.concat([part(9, 0, avcHeader), part(9, 0, Buffer.from([0x1c, 0, 0, 0, 0, 1]))]))
  expect(send(rtmpType.audio, 0, aacHeader)).toEqual({ track: 'video', codec: 'HEVC' })
  expect(got).toHaveLength(1)
})
