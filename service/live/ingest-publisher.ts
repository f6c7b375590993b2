import { readAacConfiguration } from '../media/aac.ts'
import type { Amf0Value } from '../media/amf0.ts'
import { Amf0Reader } from '../media/amf0-reader.ts'
import { readAvcConfiguration } from '../media/avc.ts'
import { readAudioTag, readVideoTag } from '../media/flv-tags.ts'
import { RtmpFault, rtmpType, type RtmpMessage } from '../media/rtmp-message.ts'
import { createIngestTimeline, type RetimeReason } from './ingest-timeline.ts'
import type { MediaLoss, MediaPacket } from './packet.ts'

/** Where packets go. */
export interface PacketTarget {
  packet(packet: MediaPacket): void
  identify(encoder: string): void
  /** Frames per 1,000 s that it says it sends. */
  declare(millifps: number): void
  /** Timestamps were not followed. */
  retimed(reason: RetimeReason): void
  leftOut(loss: MediaLoss): void
}

/** What an ingest is made of. */
export interface IngestPublisherOptions {
  readonly target: PacketTarget
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Milliseconds that only ever pass, for the time of the push. */
  readonly monotonic: () => number
  /** Told of a configuration that differs from the one before, before it is passed on; throws `RtmpFault` when there are too many. */
  readonly reconfigured?: () => void
  /** Asked after each part of an aggregate message: whether the rest of it has to wait for `goOn`. It never has to when absent. */
  readonly mustWait?: () => boolean
}

/** A codec that is not served: the push must be refused. */
export interface CodecRefusal {
  readonly track: 'video' | 'audio'
  readonly codec: string
}

/** Turns the messages of one publisher into packets. */
export interface IngestPublisher {
  /** Takes a media or data message; a refusal when its codec is not served. Throws `Amf0Fault` or `RtmpFault` on malformed data. */
  message(message: RtmpMessage): CodecRefusal | undefined
  /** A part of the last message waits for `goOn`. */
  readonly isWaiting: boolean
  /** Goes on with what waits, like `message`. */
  goOn(): CodecRefusal | undefined
  /** Clock in ms at the last packet that was passed on; when it was made before that. */
  readonly lastPacketAt: number
}

/** Longest data message that is passed on, in bytes. */
export const dataMax = 64 * 1024
/** Longest name of an encoder that is kept, in characters. */
const encoderMax = 128
/** A frame rate above this is not one. */
const maxFrameRate = 480
const aggregateHeader = 11
/** Parts of an aggregate message: half a minute of a push has fewer. */
const aggregateParts = 4096
/** Types of messages of which something is passed on. */
const isTaken = (type: number): boolean =>
  type === rtmpType.video || type === rtmpType.audio || type === rtmpType.data || type === rtmpType.data3
const avcHeader = 5
const aacHeader = 2

/** In memory that holds nothing else. */
const copyOf = (body: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(body.length)
  body.copy(copy)
  return copy
}

/** An encoder's name fit for showing: one line without control characters. */
export const encoderName = (value: Amf0Value): string | undefined => {
  if (typeof value !== 'string') return undefined
  const name = value
    .slice(0, encoderMax)
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
  return name === '' ? undefined : name
}

/** Makes the ingest of one publication. */
export function createIngestPublisher({
  target,
  clock,
  monotonic,
  reconfigured = () => undefined,
  mustWait = () => false,
}: IngestPublisherOptions): IngestPublisher {
  const timeline = createIngestTimeline((reason) => target.retimed(reason))
  let lastPacketAt = clock()
  /** The decoder configurations in force. */
  let video: Buffer | undefined
  let audio: Buffer | undefined
  /** An aggregate message that is not all passed on: where its next part is, and how many there were. */
  let aggregate: { readonly message: RtmpMessage; at: number; parts: number; first: number | undefined } | undefined

  const pass = (packet: MediaPacket): void => {
    lastPacketAt = packet.arrived
    target.packet(packet)
  }
  const onMedia = (kind: 'video' | 'audio', timestamp: number, bytes: Buffer): CodecRefusal | undefined => {
    const content = kind === 'video' ? readVideoTag(bytes) : readAudioTag(bytes)
    if (content.kind === 'ignored') return undefined
    // Beside AAC another audio codec is a further track: the stream plays on without it.
    if (content.kind === 'other') return kind === 'audio' && audio ? undefined : { track: kind, codec: content.codec }
    const { keyFrame, configuration } = content
    let { body } = content
    if (configuration) {
      const before = kind === 'video' ? video : audio
      // Encoders repeat it with every key frame.
      if (before?.equals(body)) body = before
      else {
        // A header that cannot be read would leave every reader without a picture: the one before it stays.
        if (
          kind === 'video'
            ? !readAvcConfiguration(body.subarray(avcHeader))
            : !readAacConfiguration(body.subarray(aacHeader))
        ) {
          target.leftOut('configuration')
          return undefined
        }
        if (before) reconfigured()
        // It is kept as long as the push, and must not hold the memory of the media around it.
        body = copyOf(body)
        if (kind === 'video') video = body
        else audio = body
      }
    } else if (kind === 'video' ? !video : !audio) {
      target.leftOut('early')
      return undefined
    }
    const time = configuration ? timeline.mark(kind) : timeline.frame(kind, timestamp, monotonic())
    pass({ kind, timestamp: time, body, keyFrame, configuration, arrived: clock() })
    return undefined
  }
  const onData = (bytes: Buffer): void => {
    if (bytes.length > dataMax) throw new RtmpFault('a data message over the limit')
    const reader = new Amf0Reader(bytes)
    if (reader.ended) return
    let name = reader.value()
    let from = 0
    if (name === '@setDataFrame' && !reader.ended) {
      from = reader.offset
      name = reader.value()
    }
    const values: Amf0Value[] = []
    while (!reader.ended) values.push(reader.value())
    if (typeof name !== 'string' || /^[@|]/.test(name)) return
    const members = values[0]
    if (name === 'onMetaData' && typeof members === 'object' && members !== null) {
      const encoder = 'encoder' in members ? encoderName(members.encoder) : undefined
      if (encoder !== undefined) target.identify(encoder)
      const rate = 'framerate' in members ? members.framerate : undefined
      if (typeof rate === 'number' && rate >= 1 && rate <= maxFrameRate) target.declare(Math.round(rate * 1000))
    }
    const configuration = name === 'onMetaData'
    const body = bytes.subarray(from)
    pass({
      kind: 'data',
      timestamp: timeline.mark('data'),
      body: configuration ? copyOf(body) : body,
      keyFrame: false,
      configuration,
      arrived: clock(),
    })
  }
  /** Tags within an aggregate message (RTMP 1.0, 7.1.6): their times count from that of the first. */
  const unroll = (mayWait: boolean): CodecRefusal | undefined => {
    const whole = aggregate
    if (!whole) return undefined
    const { timestamp, body } = whole.message
    while (whole.at + aggregateHeader <= body.length) {
      const { at } = whole
      if (++whole.parts > aggregateParts) throw new RtmpFault('too many parts of an aggregate message')
      const length = body.readUIntBE(at + 1, 3)
      const time = body.readUIntBE(at + 4, 3) + body[at + 7]! * 0x1000000
      const end = at + aggregateHeader + length
      if (end > body.length) throw new RtmpFault('an aggregate message that is cut short')
      whole.first ??= time
      whole.at = end + 4
      const type = body[at]!
      const part = isTaken(type) ? Buffer.from(body.subarray(at + aggregateHeader, end)) : undefined
      const refusal = part && one(type, (timestamp + time - whole.first) >>> 0, part)
      if (refusal) {
        aggregate = undefined
        return refusal
      }
      if (mayWait && mustWait()) return undefined
    }
    aggregate = undefined
    return undefined
  }
  const one = (type: number, timestamp: number, body: Buffer): CodecRefusal | undefined => {
    switch (type) {
      case rtmpType.video:
        return onMedia('video', timestamp, body)
      case rtmpType.audio:
        return onMedia('audio', timestamp, body)
      case rtmpType.data:
        onData(body)
        return undefined
      // AMF3 data messages begin with a format byte; 0 says that AMF0 follows.
      case rtmpType.data3:
        if (body[0] === 0) onData(body.subarray(1))
        return undefined
      default:
        return undefined
    }
  }

  return {
    get lastPacketAt() {
      return lastPacketAt
    },
    get isWaiting() {
      return aggregate !== undefined
    },
    goOn: () => unroll(true),
    message(message) {
      // In its order, also where nobody waited for the one before.
      const refusal = unroll(false)
      if (refusal || message.type !== rtmpType.aggregate)
        return refusal ?? one(message.type, message.timestamp, message.body)
      aggregate = { message, at: 0, parts: 0, first: undefined }
      return unroll(true)
    },
  }
}
