import { beforeEach, describe, expect, it } from 'vitest'
import type { MediaPacket, StreamReader } from '../timeline/packet.ts'
import { LiveChannel, type ReaderKind } from './hub-channel.ts'
import { audioConfiguration, videoConfiguration, videoFrame } from './testing/packets.ts'

const cid = 'c'.repeat(32)
let channel: LiveChannel
let reported: unknown[][]
let warned: [object, string][]
beforeEach(() => {
  reported = []
  warned = []
  channel = new LiveChannel(
    cid,
    { remote: '192.0.2.1', encoder: 'an encoder' },
    { wall: 1000, monotonic: 50 },
    {
      notice: (type, detail) => reported.push([type, detail]),
      leftOut: (loss) => reported.push(['leftOut', loss]),
    },
    { warn: (details: object, sentence: string) => void warned.push([details, sentence]) },
  )
})

const pass = (...packets: readonly MediaPacket[]): void => {
  for (const packet of packets) channel.packet(packet, 60)
}
const key = (timestamp: number, body?: Buffer): MediaPacket => {
  const frame = videoFrame(timestamp, true, 0)
  return body ? { ...frame, body } : frame
}
const inter = (timestamp: number, body?: Buffer): MediaPacket => {
  const frame = videoFrame(timestamp, false, 0)
  return body ? { ...frame, body } : frame
}
const sound = (timestamp: number): MediaPacket => ({
  ...audioConfiguration,
  body: Buffer.from('af0121', 'hex'),
  timestamp,
  configuration: false,
})
const metadata = (text: string): MediaPacket => ({
  ...audioConfiguration,
  kind: 'data',
  body: Buffer.from(text),
})
const reader = (): StreamReader & { readonly got: MediaPacket[]; readonly over: string[] } => {
  const got: MediaPacket[] = []
  const over: string[] = []
  return { got, over, packet: (packet) => got.push(packet), ended: (reason) => over.push(reason) }
}
const joined = (kind: ReaderKind = 'flv') => {
  const one = reader()
  const leave = channel.join(one, kind)
  return { ...one, leave, times: () => one.got.map(({ timestamp }) => timestamp) }
}

describe('the cache of a channel', () => {
  it('has what came from the last key frame on, sound as well, and nothing before the first one', () => {
    pass(sound(0), inter(10), sound(20))
    expect(joined().got).toEqual([])
    pass(key(40), sound(50), inter(80))
    expect(joined().times()).toEqual([40, 50, 80])
    pass(key(120))
    expect(joined().times()).toEqual([120])
  })

  it('has 20 s at most; what exceeds them is reported as left out, and readers begin at the next key frame', () => {
    pass(key(0), inter(20_000))
    expect(joined().times()).toEqual([0, 20_000])
    expect(reported.filter(([type]) => type === 'leftOut')).toEqual([])
    pass(sound(20_001))
    expect(reported.filter(([type]) => type === 'leftOut')).toEqual([['leftOut', 'longGop']])
    const late = joined()
    pass(inter(20_040), key(20_080))
    expect(late.times()).toEqual([20_080])
  })

  it('has 32 MiB at most, with 256 bytes for each packet', () => {
    const most = 32 * 1024 * 1024
    // Buffers without a pool have exactly the memory that they show.
    const body = (length: number): Buffer => Buffer.alloc(length, 0x27)
    pass(key(0, Buffer.alloc(20_000, 0x17)), inter(40, body(most - 20_000 - 2 * 256)))
    expect(joined().times()).toEqual([0, 40])
    pass(key(80, Buffer.alloc(20_000, 0x17)), inter(120, body(most - 20_000 - 2 * 256 + 1)))
    expect(joined().times()).toEqual([])
    expect(reported.at(-1)).toEqual(['leftOut', 'longGop'])
    pass(key(160), inter(200))
    expect(joined().times()).toEqual([160, 200])
  })

  it('is empty after a video configuration that changes, and stays with the same one, new sound or metadata', () => {
    pass(videoConfiguration, audioConfiguration, key(0), inter(40))
    pass({ ...videoConfiguration, timestamp: 60 }, { ...audioConfiguration, body: Buffer.from('af001210', 'hex') })
    pass(metadata('m'))
    expect(joined().got.filter(({ configuration }) => !configuration)).toHaveLength(2)
    pass({ ...videoConfiguration, body: Buffer.concat([videoConfiguration.body, Buffer.from([0])]) })
    expect(joined().got.filter(({ configuration }) => !configuration)).toHaveLength(0)
  })

  it('is empty after the end, so that a reader that joins late gets configurations only, and no end', () => {
    pass(videoConfiguration, key(0))
    channel.end('closed')
    const late = joined()
    expect([late.got, late.over]).toEqual([[videoConfiguration], []])
    pass(key(40))
    expect(late.got).toHaveLength(1)
  })
})

describe('a reader of a channel', () => {
  it('gets metadata, picture and sound configuration in this order, the newest of each', () => {
    const newer = { ...audioConfiguration, body: Buffer.from('af001210', 'hex') }
    pass(audioConfiguration, videoConfiguration, metadata('old'), metadata('new'), newer)
    expect(joined().got.map(({ body }) => body.toString('hex'))).toEqual([
      Buffer.from('new').toString('hex'),
      videoConfiguration.body.toString('hex'),
      'af001210',
    ])
  })

  it('that waits for a key frame gets sound and configurations meanwhile', () => {
    const one = joined()
    pass(inter(0), sound(10), audioConfiguration, inter(40), key(80), inter(120))
    expect(one.times()).toEqual([10, 0, 80, 120])
    expect(one.got[1]).toBe(audioConfiguration)
  })

  it('that joined within a group of pictures gets the next picture at once', () => {
    pass(key(0))
    const one = joined()
    pass(inter(40))
    expect(one.times()).toEqual([0, 40])
  })

  it('gets no configuration that equals the one before, of whatever kind', () => {
    pass(videoConfiguration, audioConfiguration, metadata('m'))
    const one = joined()
    one.got.length = 0
    pass({ ...videoConfiguration }, { ...audioConfiguration }, metadata('m'))
    expect(one.got).toEqual([])
    pass(metadata('n'))
    expect(one.got.map(({ body }) => body.toString())).toEqual(['n'])
  })

  it('waits for a key frame after a changed video configuration, but not for sound', () => {
    pass(videoConfiguration, key(0))
    const one = joined()
    one.got.length = 0
    const other = { ...videoConfiguration, body: Buffer.concat([videoConfiguration.body, Buffer.from([0])]) }
    pass(other, inter(40), sound(50), key(80))
    expect(one.got[0]).toBe(other)
    expect(one.times()).toEqual([0, 50, 80])
  })

  it('that fails is logged, gets nothing more and hears no end', () => {
    const failure = new Error('failed')
    const got: number[] = []
    channel.join(
      {
        packet({ timestamp }) {
          got.push(timestamp)
          if (timestamp === 40) throw failure
        },
        ended: () => got.push(-1),
      },
      'flv',
    )
    const other = joined()
    pass(key(0), inter(40), inter(80))
    channel.end('lost')
    expect(got).toEqual([0, 40])
    expect(warned).toEqual([[{ err: failure, cid }, 'a reader failed and was removed']])
    expect([other.times(), other.over]).toEqual([[0, 40, 80], ['lost']])
  })

  it('hears why the push ended, once, and those that left hear nothing', () => {
    const [one, other] = [joined(), joined('internal')]
    other.leave()
    channel.end('cut')
    channel.end('closed')
    expect([one.over, other.over]).toEqual([['cut'], []])
  })

  it('counts as a viewer over FLV and RTMP while it is there, and never inside the service', () => {
    const [flv] = [joined('flv'), joined('rtmp'), joined('internal')]
    expect(channel.viewers).toBe(2)
    flv.leave()
    expect(channel.viewers).toBe(1)
    channel.end('closed')
    expect(channel.viewers).toBe(0)
  })
})

describe('a channel', () => {
  it('has its source, its begin, and the time of its last packet by both clocks, also of a repeated one', () => {
    expect([channel.remote, channel.startedAt, channel.lastPacketAt, channel.heard]).toEqual([
      '192.0.2.1',
      1000,
      1000,
      50,
    ])
    channel.packet({ ...videoConfiguration, arrived: 1500 }, 550)
    expect([channel.lastPacketAt, channel.heard]).toEqual([1500, 550])
    channel.packet({ ...videoConfiguration, arrived: 1600 }, 650)
    expect([channel.startedAt, channel.lastPacketAt, channel.heard]).toEqual([1000, 1600, 650])
  })

  it('tells its codecs and its first key frame once, and the codecs anew when they change', () => {
    pass(videoConfiguration, inter(0), key(40), audioConfiguration, sound(50), key(80))
    expect(reported).toEqual([
      ['codecs', 'H.264 High 3.1 1280x720'],
      ['firstKeyFrame', 'H.264 High 3.1 1280x720'],
      ['codecs', 'H.264 High 3.1 1280x720, AAC-LC 48 kHz stereo'],
    ])
    // An unreadable configuration takes its codec away.
    pass({ ...audioConfiguration, body: Buffer.from('af00', 'hex') }, sound(90))
    expect(reported.at(-1)).toEqual(['codecs', 'H.264 High 3.1 1280x720'])
  })

  it('has figures of its codecs, encoder and losses, and none of what it does not know', () => {
    expect(channel.figures(60)).toMatchObject({ encoder: 'an encoder', droppedForReaders: 0 })
    for (const name of ['width', 'videoCodec', 'audioCodec', 'audioChannels', 'sampleRate', 'millifpsDeclared'])
      expect(channel.figures(60)).not.toHaveProperty(name)
    channel.encoder = undefined
    channel.declared = 25_000
    channel.droppedForReaders = 3
    // The channels are in a program configuration.
    pass(videoConfiguration, { ...audioConfiguration, body: Buffer.from('af001180', 'hex') })
    const figures = channel.figures(60)
    expect(figures).toMatchObject({
      millifpsDeclared: 25_000,
      width: 1280,
      height: 720,
      videoCodec: 'H.264 High 3.1',
      audioCodec: 'AAC-LC',
      sampleRate: 48_000,
      droppedForReaders: 3,
    })
    expect(figures).not.toHaveProperty('audioChannels')
    expect(figures).not.toHaveProperty('drift')
    pass(key(0), sound(0), inter(40))
    expect(channel.figures(60)).toMatchObject({ drift: 0, audioGap: 40, keyFrameGapMax: 40 })
    expect(figures).not.toHaveProperty('encoder')
  })
})
