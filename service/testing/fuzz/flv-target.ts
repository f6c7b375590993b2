import { FlvFault, FlvReader, type FlvTag } from '../../media/flv-reader.ts'
import { flvHeader, writeFlvTag } from '../../media/flv-writer.ts'
import { mutate } from './random.ts'
import { promise, type FuzzTarget } from './target.ts'

const max = 5000
const seeds = [
  Buffer.concat([
    flvHeader({ video: true, audio: true }),
    writeFlvTag('data', 0, Buffer.from('meta')),
    writeFlvTag('video', 40, Buffer.alloc(200, 1)),
    writeFlvTag('audio', 0xfffffff0, Buffer.alloc(9, 2)),
  ]),
  Buffer.concat([
    flvHeader({ video: false, audio: true }),
    writeFlvTag('audio', 0, Buffer.alloc(0)),
    writeFlvTag('audio', 1, Buffer.alloc(1)),
  ]),
  Buffer.concat([Buffer.from('464c5601050000000c', 'hex'), Buffer.alloc(7), writeFlvTag('video', 1, Buffer.from('x'))]),
]

interface Read {
  readonly tags: FlvTag[]
  readonly refused: boolean
}
function read(input: Buffer, pieces: (left: number) => number): Read {
  const tags: FlvTag[] = []
  const reader = new FlvReader((tag) => tags.push(tag), max)
  try {
    for (let at = 0; at < input.length;) {
      const end = at + pieces(input.length - at)
      reader.push(input.subarray(at, end))
      promise(reader.held <= max + 15, 'no more is held than one tag')
      at = end
    }
  } catch (error) {
    if (error instanceof FlvFault) return { tags, refused: true }
    throw error
  }
  return { tags, refused: false }
}
const same = (one: FlvTag, other: FlvTag | undefined): boolean =>
  other !== undefined && one.kind === other.kind && one.timestamp === other.timestamp && one.body.equals(other.body)

/** FLV streams: only `FlvFault` is thrown, at most one tag is held, and the division into pieces does not matter. */
export const flvTarget: FuzzTarget = {
  name: 'flv',
  make: (random) => mutate(random.pick(seeds), random),
  check(input, random) {
    const whole = read(input, (left) => left)
    const cut = read(input, (left) => 1 + random.below(Math.min(left, 50)))
    promise(
      whole.refused === cut.refused &&
        whole.tags.length === cut.tags.length &&
        whole.tags.every((tag, index) => same(tag, cut.tags[index])),
      'pieces change nothing',
    )
    return whole.refused ? 'refused' : 'taken'
  },
}
