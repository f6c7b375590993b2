import { describe, expect, it } from 'vitest'
import type { IndexedTrack } from './mp4-index.ts'
import { bytesOf, type OrderedTrack, type StripPart } from './strip-parts.ts'
import { framesOf } from './wave.ts'

/** Sound of frames of 20 ms and 10 bytes; after each `chunk` of them, pictures of 1 MB. */
function sound(count: number, chunk: number): OrderedTrack {
  const places = Float64Array.from({ length: count }, (_, at) => at * 10 + Math.floor(at / chunk) * 1_000_000)
  const track = { length: 20, sizes: new Uint32Array(count).fill(10), places } as unknown as IndexedTrack
  return {
    track,
    samples: Uint32Array.from({ length: count }, (_, at) => at),
    times: Float64Array.from({ length: count }, (_, at) => at * 20),
  }
}

describe('the frames that a bar is measured by', () => {
  it('are four in its middle, after one that the decoder needs', () => {
    expect(framesOf(sound(100, 100), 0, 2000)).toEqual([47, 48, 49, 50, 51])
  })

  it('are all of a short bar', () => {
    expect(framesOf(sound(100, 100), 1000, 1040)).toEqual([50, 51, 52])
  })

  it('lie together in the file, so that no pictures are read', () => {
    expect(framesOf(sound(100, 50), 0, 2000)).toEqual([47, 48, 49])
    expect(framesOf(sound(100, 48), 0, 2000)).toEqual([48, 49, 50, 51])
  })

  it('are none where there is no sound', () => {
    expect(framesOf(sound(10, 10), 5_000, 6_000)).toEqual([])
    expect(framesOf(sound(0, 1), 0, 1_000)).toEqual([])
  })
})

describe('the bytes of frames', () => {
  it('that lie near are read at once, and others by themselves', async () => {
    const reads: [number, number][] = []
    const read = (at: number, length: number) => {
      reads.push([at, length])
      return Promise.resolve(Uint8Array.from({ length }, (_, index) => (at + index) % 251))
    }
    const { track } = sound(100, 50)
    const bytes = await bytesOf({ read } as unknown as StripPart, track, [[1, 2], [], [10], [60, 61]])
    expect(reads).toEqual([
      [10, 100],
      [1_000_600, 20],
    ])
    expect(bytes.map((run) => run.map((each) => each[0]))).toEqual([
      [10, 20],
      [],
      [100],
      [1_000_600 % 251, 1_000_610 % 251],
    ])
    expect(bytes[2]![0]).toHaveLength(10)
  })
})
