/** An RTMP message (RTMP 1.0, 5.3, 6.1). */
export interface RtmpMessage {
  readonly type: number
  /** Message stream id; 0 for the connection itself. */
  readonly streamId: number
  /** Absolute timestamp in ms, 32 bits, wrapping. */
  readonly timestamp: number
  readonly body: Buffer
}

/** Message types (RTMP 1.0, 5.4 and 7.1). */
export const rtmpType = {
  setChunkSize: 1,
  abort: 2,
  acknowledgement: 3,
  userControl: 4,
  windowAcknowledgementSize: 5,
  setPeerBandwidth: 6,
  audio: 8,
  video: 9,
  data3: 15,
  command3: 17,
  data: 18,
  command: 20,
  aggregate: 22,
} as const

/** Events of user control messages (RTMP 1.0, 7.1.7). */
export const userControl = {
  streamBegin: 0,
  streamEof: 1,
  pingRequest: 6,
  pingResponse: 7,
} as const

/** A violation of the chunk stream or its bounds; close the connection. */
export class RtmpFault extends Error {}

/** Chunk size before a Set Chunk Size message (RTMP 1.0, 5.4.1). */
export const initialChunkSize = 128
