import { readAacConfiguration } from '../../media/aac.ts'
import { maxPictureSide, readAvcConfiguration } from '../../media/avc.ts'
import { readAudioTag, readVideoTag } from '../../media/flv-tags.ts'
import { mutate } from './random.ts'
import { promise, type FuzzTarget } from './target.ts'

const seeds = [
  '17000000000164001fffe1001a6764001facd9405005bb0110000003001000000303c0f183196001000468ef8fcbfdf8f800',
  '170000000001f4001effe1001a67f4001e919680a02fee2f0110000003001000000303c0f162ea01000568ce0f1920fff8f800',
  '1700000000014d401effe10018674d401eeca05a126c0440000003004000000c87c50a658001000568fba3cb20',
  '17010000500000000165',
  '2701000000',
  '906176633101640000',
  '9168766331000000',
  '97000a006176633101',
  'af00119056e500',
  'af01aabb',
  '906d7034611190',
  '9500',
  '97ff0001000191',
  '1c00',
].map((hex) => Buffer.from(hex, 'hex'))

/** Media tags and decoder configurations: nothing is thrown, and accepted values are plausible. */
export const tagsTarget: FuzzTarget = {
  name: 'tags',
  make: (random) => mutate(random.pick(seeds), random),
  check(input) {
    const video = readVideoTag(input)
    const audio = readAudioTag(input)
    for (const content of [video, audio]) {
      if (content.kind !== 'media') continue
      promise(content.body.length >= 2 && content.body.length <= input.length + 8, 'a body is as long as what came')
      promise(!(content.keyFrame && content.configuration), 'a configuration is no key frame')
    }
    let taken = false
    if (video.kind === 'media' && video.configuration) {
      const read = readAvcConfiguration(video.body.subarray(5))
      if (read) {
        taken = true
        promise(
          read.width > 0 && read.height > 0 && read.width <= maxPictureSide && read.height <= maxPictureSide,
          'a picture has a real size',
        )
        promise(
          /^avc1\.[0-9a-f]{6}$/.test(read.codec) && [...read.sps, ...read.pps].every((set) => set.length > 0),
          'parameter sets are there',
        )
      }
    }
    if (audio.kind === 'media' && audio.configuration) {
      const read = readAacConfiguration(audio.body.subarray(2))
      if (read) {
        taken = true
        promise(
          Number.isInteger(read.sampleRate) && read.sampleRate > 0 && read.sampleRate <= 192_000,
          'a sample rate is real',
        )
      }
    }
    return taken || video.kind === 'media' || audio.kind === 'media' ? 'taken' : 'refused'
  },
}
