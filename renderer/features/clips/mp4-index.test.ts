import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readIndex } from './mp4-index.ts'

const folder = mkdtempSync(join(tmpdir(), 'sidestage-index-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const input = '-y -v error -f lavfi -i testsrc2=size=320x180:rate=25 -f lavfi -i sine=sample_rate=48000 -t 4'
function encoded(name: string, more: string): string {
  const path = join(folder, name)
  execFileSync('ffmpeg', [...`${input} ${more}`.split(' '), path])
  return path
}
const whole = encoded(
  'whole.mp4',
  '-c:v libx264 -preset ultrafast -bf 2 -g 50 -sc_threshold 0 -pix_fmt yuv420p -c:a aac',
)

async function indexOf(path: string) {
  const bytes = readFileSync(path)
  const reads: number[] = []
  const read = (at: number, length: number) => {
    reads.push(length)
    return Promise.resolve(new Uint8Array(bytes.subarray(at, at + length)))
  }
  const tracks = await readIndex(read, bytes.length)
  const of = (kind: string) => tracks.find((track) => track.kind === kind)!
  return { video: of('video'), audio: of('audio'), bytes, read: reads.reduce((sum, each) => sum + each, 0) }
}
interface Packet {
  readonly codec_type: string
  readonly pts_time: string
  readonly size: string
  readonly pos: string
  readonly flags: string
}
function packetsOf(path: string, kind: string): Packet[] {
  const asked = '-v error -show_entries packet=codec_type,pts_time,size,pos,flags -of json'
  const { packets } = JSON.parse(String(execFileSync('ffprobe', [...asked.split(' '), path]))) as { packets: Packet[] }
  return packets.filter(({ codec_type }) => codec_type === kind)
}

describe('the index of a file', () => {
  it.each(['video', 'audio'] as const)(
    'has the places, sizes and times of its %s as ffprobe reads them',
    async (kind) => {
      const track = (await indexOf(whole))[kind]
      const packets = packetsOf(whole, kind)
      expect(track.count).toBe(packets.length)
      for (const [at, packet] of packets.entries()) {
        expect(track.places[at]).toBe(Number(packet.pos))
        expect(track.sizes[at]).toBe(Number(packet.size))
        expect(track.isSync(at)).toBe(packet.flags.startsWith('K'))
        const time = Number(packet.pts_time) * 1000
        // What lies before the first edit is not shown.
        if (time >= 0) expect(Math.abs(track.shown[at]! - time)).toBeLessThan(1)
        else expect(track.shown[at]).toBeNaN()
      }
    },
  )

  it('names what decodes it', async () => {
    const { video, audio } = await indexOf(whole)
    expect(video).toMatchObject({ width: 320, height: 180 })
    expect(video.codec).toMatch(/^avc1\.[0-9a-f]{6}$/)
    expect(video.description[0]).toBe(1)
    expect(audio).toMatchObject({ codec: 'mp4a.40.2', rate: 48_000, channels: 1 })
    expect(audio.description.length).toBeGreaterThanOrEqual(2)
  })

  it('is read without the media', async () => {
    const { read, bytes } = await indexOf(whole)
    expect(read).toBeLessThan(bytes.length / 4)
  })

  it('is not read of what is no movie', async () => {
    const bytes = new Uint8Array(64)
    await expect(readIndex((at, length) => Promise.resolve(bytes.slice(at, at + length)), 64)).rejects.toThrow(
      'no movie',
    )
  })
})
