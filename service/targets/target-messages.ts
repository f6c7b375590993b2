import { writeAmf0 } from '../media/amf0-writer.ts'
import type { ChunkedMessage } from '../media/rtmp-chunk-writer.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import type { MediaPacket } from '../timeline/packet.ts'

const mediaChunks = { audio: 4, data: 5, video: 6 } as const
const setDataFrame = writeAmf0('@setDataFrame')

/** A packet as it goes to a server: metadata as a publisher sends them. */
export const messageOf =
  (streamId: number) =>
  ({ kind, timestamp, body }: MediaPacket): ChunkedMessage => ({
    message: {
      type: rtmpType[kind],
      streamId,
      timestamp,
      body: kind === 'data' ? Buffer.concat([setDataFrame, body]) : body,
    },
    chunkStream: mediaChunks[kind],
  })
