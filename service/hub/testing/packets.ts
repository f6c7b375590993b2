import type { MediaPacket } from '../../timeline/packet.ts'

const of = (
  kind: MediaPacket['kind'],
  body: Buffer,
  timestamp: number,
  arrived: number,
  keyFrame = false,
  configuration = false,
): MediaPacket => ({
  kind,
  timestamp,
  body,
  keyFrame,
  configuration,
  arrived,
})

/** Sequence header of a 1280x720 High 3.1 stream by x264. */
export const videoConfiguration = of(
  'video',
  Buffer.from(
    '17000000000164001fffe1001a6764001facd9405005bb0110000003001000000303c0f183196001000468ef8fcbfdf8f800',
    'hex',
  ),
  0,
  0,
  false,
  true,
)

/** Sequence header of AAC-LC, 48 kHz, stereo. */
export const audioConfiguration = of('audio', Buffer.from('af001190', 'hex'), 0, 0, false, true)

/** A picture of a few bytes, for counting only. */
export const videoFrame = (timestamp: number, keyFrame: boolean, arrived: number): MediaPacket =>
  of(
    'video',
    Buffer.from([keyFrame ? 0x17 : 0x27, 1, 0, 0, 0, 0, 0, 0, 2, keyFrame ? 0x65 : 0x41, 0x9a]),
    timestamp,
    arrived,
    keyFrame,
  )
