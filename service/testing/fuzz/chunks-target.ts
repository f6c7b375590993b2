import { ChunkReader, strangerBounds, type ChunkBounds } from '../../media/rtmp-chunk-reader.ts'
import { numberBody, writeChunks } from '../../media/rtmp-chunk-writer.ts'
import { RtmpFault, rtmpType, type RtmpMessage } from '../../media/rtmp-message.ts'
import { mutate, type SeededRandom } from './random.ts'
import { promise, type FuzzTarget } from './target.ts'

const bounds: ChunkBounds = { ...strangerBounds, message: 3000, held: 5000, streams: 6 }
const body = (length: number): Buffer => Buffer.from(Uint8Array.from({ length }, (_, index) => index))
const chunks = (type: number, timestamp: number, length: number, chunkStream: number, size = 128): Buffer =>
  writeChunks({ type, streamId: 1, timestamp, body: body(length) }, chunkStream, size)
const control = (type: number, value: number): Buffer =>
  writeChunks({ type, streamId: 0, timestamp: 0, body: numberBody(value) }, 2)
const parts = [
  chunks(9, 40, 300, 6),
  chunks(9, 0xffffff, 300, 6),
  chunks(8, 0xfffffffe, 10, 4),
  chunks(20, 0, 200, 3),
  chunks(18, 0, 0, 5),
  control(rtmpType.setChunkSize, 128),
  control(rtmpType.setChunkSize, 1),
  control(rtmpType.setChunkSize, 4096),
  control(rtmpType.abort, 6),
  Buffer.from('46000014000003090a0b0c', 'hex'),
  Buffer.from('860000140a0b0c', 'hex'),
  Buffer.from('c60a0b0c', 'hex'),
  Buffer.from('0010000001000002080100000011 22'.replaceAll(' ', ''), 'hex'),
  Buffer.from('01ffff0000010000010801000000aa', 'hex'),
  Buffer.from('06ffffff00008009010000000100000000', 'hex'),
]

interface Read {
  readonly messages: RtmpMessage[]
  readonly refused: boolean
}
function read(input: Buffer, pieces: (left: number) => number): Read {
  const messages: RtmpMessage[] = []
  const reader = new ChunkReader((message) => messages.push(message), bounds)
  try {
    for (let at = 0; at < input.length;) {
      const end = at + pieces(input.length - at)
      reader.push(input.subarray(at, end))
      promise(reader.held >= 0 && reader.held <= bounds.held, 'no more is held than the bound')
      at = end
    }
  } catch (error) {
    if (error instanceof RtmpFault) return { messages, refused: true }
    throw error
  }
  return { messages, refused: false }
}
const same = (one: RtmpMessage, other: RtmpMessage | undefined): boolean =>
  other !== undefined &&
  one.type === other.type &&
  one.streamId === other.streamId &&
  one.timestamp === other.timestamp &&
  one.body.equals(other.body)

/** Chunk streams: only `RtmpFault` is thrown, bounds hold, and the division into pieces does not matter. */
export const chunksTarget: FuzzTarget = {
  name: 'chunks',
  make: (random) =>
    mutate(Buffer.concat(Array.from({ length: 1 + random.below(5) }, () => random.pick(parts))), random),
  check(input, random: SeededRandom) {
    const whole = read(input, (left) => left)
    const cut = read(input, (left) => 1 + random.below(Math.min(left, 40)))
    promise(whole.refused === cut.refused, 'pieces do not decide on refusal')
    promise(
      whole.messages.length === cut.messages.length &&
        whole.messages.every((message, index) => same(message, cut.messages[index])),
      'pieces do not change messages',
    )
    for (const { timestamp, body: bytes } of whole.messages)
      promise(timestamp >= 0 && timestamp < 2 ** 32 && bytes.length <= bounds.message, 'messages are in range')
    return whole.refused ? 'refused' : 'taken'
  },
}
