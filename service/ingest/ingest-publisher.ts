import type { Clock } from '../../platform/clock.ts'
import { readAacConfiguration } from '../media/aac.ts'
import type { Amf0Value } from '../media/amf0.ts'
import { Amf0Reader } from '../media/amf0-reader.ts'
import { readAvcConfiguration } from '../media/avc.ts'
import { readAudioTag, readVideoTag } from '../media/flv-tags.ts'
import { RtmpFault, rtmpType, type RtmpMessage } from '../media/rtmp-message.ts'
import type { Publication } from '../hub/hub.ts'
import { createIngestTimeline } from '../timeline/ingest-timeline.ts'
import type { MediaPacket } from '../timeline/packet.ts'

/** Receives packets. */
export type PacketTarget = Pick<Publication, 'packet' | 'identify' | 'declare' | 'retimed' | 'leftOut'>

/** A codec that is not served: refuse the push. */
export interface CodecRefusal {
  readonly track: 'video' | 'audio'
  readonly codec: string
}

/** Turns the messages of a publisher into packets. */
export type IngestPublisher = ReturnType<typeof createIngestPublisher>

/** Longest data message passed on, in bytes. */
export const maxData = 64 * 1024
/** Longest encoder name, in characters. */
const maxEncoder = 128
/** Higher frame rates are ignored. */
const maxFrameRate = 480
const aggregateHeader = 11
/** Parts of an aggregate message; more than half a minute of media has. */
const aggregateParts = 4096
/** Message types that are processed. */
const isTaken = (type: number): boolean =>
  type === rtmpType.video || type === rtmpType.audio || type === rtmpType.data || type === rtmpType.data3
const avcHeader = 5
const aacHeader = 2

/** A copy with memory of its own. */
const copyOf = (body: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(body.length)
  body.copy(copy)
  return copy
}

/** An encoder name for display: one line, no control characters. */
export const encoderName = (value: Amf0Value): string | undefined => {
  if (typeof value !== 'string') return undefined
  const name = value
    .slice(0, maxEncoder)
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
  return name === '' ? undefined : name
}

/** Makes the ingest of one push. */
export function createIngestPublisher(options: {
  readonly target: PacketTarget
  readonly clock: Clock
  /** Called before a changed configuration is passed on; throws `RtmpFault` when there are too many. */
  readonly reconfigured?: () => void
  /** Called after each part of an aggregate message: true if the rest waits for `goOn`. By default it never waits. */
  readonly mustWait?: () => boolean
}) {
  const { target, clock, reconfigured = () => undefined, mustWait = () => false } = options
  const timeline = createIngestTimeline((reason) => target.retimed(reason))
  let lastPacketAt = clock.now()
  let video: Buffer | undefined
  let audio: Buffer | undefined
  /** A partly processed aggregate message: offset of the next part, and parts so far. */
  let aggregate: { readonly message: RtmpMessage; at: number; parts: number; first: number | undefined } | undefined

  const pass = (packet: MediaPacket): void => {
    lastPacketAt = packet.arrived
    target.packet(packet)
  }
  const onMedia = (kind: 'video' | 'audio', timestamp: number, bytes: Buffer): CodecRefusal | undefined => {
    const content = kind === 'video' ? readVideoTag(bytes) : readAudioTag(bytes)
    if (content.kind === 'ignored') return undefined
    // Beside AAC, another audio codec is an additional track; it is ignored.
    if (content.kind === 'other') return kind === 'audio' && audio ? undefined : { track: kind, codec: content.codec }
    const { keyFrame, configuration } = content
    let { body } = content
    if (configuration) {
      const before = kind === 'video' ? video : audio
      // Encoders repeat it with every key frame.
      if (before?.equals(body)) body = before
      else {
        // With an unreadable configuration no reader could decode: the previous one stays.
        if (
          kind === 'video'
            ? !readAvcConfiguration(body.subarray(avcHeader))
            : !readAacConfiguration(body.subarray(aacHeader))
        ) {
          target.leftOut('configuration')
          return undefined
        }
        if (before) reconfigured()
        // Kept as long as the push; must not retain the receive buffer.
        body = copyOf(body)
        if (kind === 'video') video = body
        else audio = body
      }
    } else if (kind === 'video' ? !video : !audio) {
      target.leftOut('early')
      return undefined
    }
    const time = configuration ? timeline.mark(kind) : timeline.frame(kind, timestamp, clock.monotonic())
    pass({ kind, timestamp: time, body, keyFrame, configuration, arrived: clock.now() })
    return undefined
  }
  const onData = (bytes: Buffer): void => {
    if (bytes.length > maxData) throw new RtmpFault('a data message over the limit')
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
      arrived: clock.now(),
    })
  }
  /** Unpacks an aggregate message (RTMP 1.0, 7.1.6): times are relative to its first tag. */
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
      // AMF3 data messages begin with a format byte; 0 means AMF0.
      case rtmpType.data3:
        if (body[0] === 0) onData(body.subarray(1))
        return undefined
      default:
        return undefined
    }
  }

  return {
    /** Time of the last packet in ms; at first the time of creation. */
    get lastPacketAt() {
      return lastPacketAt
    },
    /** Part of the last message waits for `goOn`. */
    get isWaiting() {
      return aggregate !== undefined
    },
    /** Continues the waiting message, like `message`. */
    goOn: (): CodecRefusal | undefined => unroll(true),
    /** Takes a message. Returns a refusal for a codec that is not served; throws for malformed data. */
    message(message: RtmpMessage): CodecRefusal | undefined {
      // Keeps the order, even if the caller did not wait.
      const refusal = unroll(false)
      if (refusal || message.type !== rtmpType.aggregate)
        return refusal ?? one(message.type, message.timestamp, message.body)
      aggregate = { message, at: 0, parts: 0, first: undefined }
      return unroll(true)
    },
  }
}
