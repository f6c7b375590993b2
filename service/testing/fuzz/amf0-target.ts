import { Amf0Fault, EcmaArray, type Amf0Value } from '../../media/amf0.ts'
import { readAmf0 } from '../../media/amf0-reader.ts'
import { writeAmf0 } from '../../media/amf0-writer.ts'
import { mutate } from './random.ts'
import { promise, type FuzzTarget } from './target.ts'

const seeds = [
  writeAmf0('connect', 1, {
    app: 'live',
    flashVer: 'FMLE/3.0',
    tcUrl: 'rtmp://host/live',
    fpad: false,
    capabilities: 239,
  }),
  writeAmf0(
    '@setDataFrame',
    'onMetaData',
    new EcmaArray({
      duration: 0,
      width: 1280,
      height: 720,
      encoder: 'Lavf',
      keyframes: { times: [0, 1, 2], filepositions: [13, 4711] },
    }),
  ),
  writeAmf0('publish', 5, null, 'name?a=b', 'live'),
  writeAmf0(undefined, new Date(-1), [true, [null, ['x', { y: [] }]]], 'long'.repeat(40)),
  Buffer.from('1000034142430001610200016200000910', 'hex'),
  Buffer.from('0c000000026162 0f00000001 63 0d 06 05'.replaceAll(' ', ''), 'hex'),
]

const read = (input: Buffer): Amf0Value[] | undefined => {
  try {
    return readAmf0(input)
  } catch (error) {
    if (error instanceof Amf0Fault) return undefined
    throw error
  }
}

/** AMF0 messages: only `Amf0Fault` is thrown, and values survive a round trip. */
export const amf0Target: FuzzTarget = {
  name: 'amf0',
  make: (random) => mutate(random.pick(seeds), random),
  check(input) {
    const values = read(input)
    if (!values) return 'refused'
    const once = writeAmf0(...values)
    const again = read(once)
    promise(again !== undefined && writeAmf0(...again).equals(once), 'writing and reading changes nothing')
    return 'taken'
  },
}
