import type { Amf0Value } from '../media/amf0.ts'
import { writeAmf0 } from '../media/amf0-writer.ts'
import { numberBody, userControlBody, writeChunks, writeMessages } from '../media/rtmp-chunk-writer.ts'
import { rtmpType, userControl } from '../media/rtmp-message.ts'
import type { CutReason } from '../hub/hub.ts'
import type { MediaPacket } from '../timeline/packet.ts'

/** Outgoing chunk size after connect, in bytes: large, so that a packet needs few chunks. */
export const outgoingChunkSize = 65_536
/** Bytes after which either side acknowledges (RTMP 1.0, 5.4.3 and 5.4.4). */
export const acknowledgementWindow = 2_500_000
/** The only message stream of a connection, as media bytes are shared. */
export const mediaStreamId = 1

const controlChunks = 2
const commandChunks = 3
const limitDynamic = 2

const control = (type: number, body: Buffer): Buffer =>
  writeChunks({ type, streamId: 0, timestamp: 0, body }, controlChunks)

/** A command message: name, transaction, values. */
export const command = (streamId: number, name: string, transaction: number, ...values: readonly Amf0Value[]): Buffer =>
  writeChunks(
    { type: rtmpType.command, streamId, timestamp: 0, body: writeAmf0(name, transaction, ...values) },
    commandChunks,
    outgoingChunkSize,
  )

/** First answer to connect: window, bandwidth, chunk size. */
export const connectPreamble = (): Buffer =>
  Buffer.concat([
    control(rtmpType.windowAcknowledgementSize, numberBody(acknowledgementWindow)),
    control(rtmpType.setPeerBandwidth, Buffer.concat([numberBody(acknowledgementWindow), Buffer.from([limitDynamic])])),
    control(rtmpType.setChunkSize, numberBody(outgoingChunkSize)),
  ])

/** Accepts a connection. */
export const connectAccepted = (transaction: number): Buffer =>
  command(
    0,
    '_result',
    transaction,
    { fmsVer: 'FMS/3,0,1,123', capabilities: 31 },
    { level: 'status', code: 'NetConnection.Connect.Success', description: 'Connection succeeded.', objectEncoding: 0 },
  )

/** Refuses a connection to another application. */
export const connectInvalid = (transaction: number): Buffer =>
  Buffer.concat([
    connectPreamble(),
    command(0, '_error', transaction, null, {
      level: 'error',
      code: 'NetConnection.Connect.InvalidApp',
      description: 'There is no such application here; the server address ends with /live.',
    }),
  ])

/** A status of the media stream. */
export const status = (level: 'status' | 'error', code: string, description: string): Buffer =>
  command(mediaStreamId, 'onStatus', 0, null, { level, code, description })

/** Window acknowledgement size. */
export const windowSize = (bytes: number): Buffer => control(rtmpType.windowAcknowledgementSize, numberBody(bytes))
/** Acknowledges received bytes; wraps at 32 bits. */
export const acknowledgement = (received: number): Buffer =>
  control(rtmpType.acknowledgement, numberBody(received % 0x1_0000_0000))
/** A user control message. */
export const userControlMessage = (event: number, value: number): Buffer =>
  control(rtmpType.userControl, userControlBody(event, value))

const dataMessage = (...values: readonly Amf0Value[]): Buffer =>
  writeChunks(
    { type: rtmpType.data, streamId: mediaStreamId, timestamp: 0, body: writeAmf0(...values) },
    mediaChunks.data,
    outgoingChunkSize,
  )

const mediaChunks = { audio: 4, data: 5, video: 6 } as const

/** Packets, serialised for all players. */
export const mediaMessages = (packets: readonly MediaPacket[]): Buffer =>
  writeMessages(
    packets.map(({ kind, timestamp, body }) => ({
      message: { type: rtmpType[kind], streamId: mediaStreamId, timestamp, body },
      chunkStream: mediaChunks[kind],
    })),
    outgoingChunkSize,
  )
/** A packet, serialised for all players. */
export const mediaMessage = (packet: MediaPacket): Buffer => mediaMessages([packet])

/** Refuses to publish. */
export const publishRefused = (code: 'Failed' | 'Rejected' | 'BadName', text: string): Buffer =>
  status('error', `NetStream.Publish.${code}`, text)

/** What a publisher without a valid key is told. */
export const wrongKey = 'The stream key is not one of this service; copy it again.'

/** What a publisher of another codec is told. */
export const codecTexts = {
  video: (codec: string): string =>
    `${codec} video cannot be broadcast here. Set the encoder to H.264 (in OBS: Settings, Output, Video Encoder), then start again.`,
  audio: (codec: string): string =>
    `${codec} audio cannot be broadcast here. Set the audio encoder to AAC, then start again.`,
} as const

/** Sent to a publisher that is on air. */
export const publishAccepted = (): Buffer =>
  Buffer.concat([
    userControlMessage(userControl.streamBegin, mediaStreamId),
    status('status', 'NetStream.Publish.Start', 'On air.'),
  ])

/** Refuses to play. */
export const playRefused = (code: 'StreamNotFound' | 'Failed', text: string): Buffer =>
  status('error', `NetStream.Play.${code}`, text)

/** Sent to a player before the first media. */
export const playAccepted = (): Buffer =>
  Buffer.concat([
    userControlMessage(userControl.streamBegin, mediaStreamId),
    status('status', 'NetStream.Play.Reset', 'Playing and resetting.'),
    status('status', 'NetStream.Play.Start', 'Playing.'),
    dataMessage('|RtmpSampleAccess', true, true),
    dataMessage('onStatus', { code: 'NetStream.Data.Start' }),
  ])

/** Sent to a player at the end of the stream. */
export const playOver = (): Buffer =>
  Buffer.concat([
    status('status', 'NetStream.Play.UnpublishNotify', 'The broadcast has ended.'),
    userControlMessage(userControl.streamEof, mediaStreamId),
    status('status', 'NetStream.Play.Stop', 'The broadcast has ended.'),
  ])

const cutTexts: Readonly<Record<CutReason, string>> = {
  cut: 'The channel was disabled or removed.',
  replaced: 'Another encoder took over.',
  silent: 'Nothing was sent for 10 s.',
  closing: 'The service is closing.',
}

/** Sent to a publisher whose push was ended. */
export const pushCut = (reason: CutReason): Buffer => publishRefused('Failed', cutTexts[reason])
