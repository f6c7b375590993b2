import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentSound } from './aac-silence.ts'

const run = promisify(execFile)
const rates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350]

/** AudioSpecificConfig of AAC-LC. */
const configuration = (rateIndex: number, channels: number): Buffer => {
  const value = (2 << 11) | (rateIndex << 7) | (channels << 3)
  return Buffer.from([value >> 8, value & 0xff])
}
/** A frame with an ADTS header (ISO/IEC 14496-3 1.A.2). */
const adts = (rateIndex: number, channels: number, frame: Buffer): Buffer => {
  const length = frame.length + 7
  return Buffer.concat([
    Buffer.from([
      0xff,
      0xf1,
      (1 << 6) | (rateIndex << 2) | (channels >> 2),
      ((channels & 3) << 6) | (length >> 11),
      (length >> 3) & 0xff,
      ((length & 7) << 5) | 0x1f,
      0xfc,
    ]),
    frame,
  ])
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sidestage-silence-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('silence', () => {
  it.each([1, 2])('decodes without an error to nothing but zeros, at every rate with %i channels', async (channels) => {
    for (const [index, rate] of rates.entries()) {
      const sound = silentSound(configuration(index, channels))
      expect(sound?.duration).toBeCloseTo((1024 * 1000) / rate)
      const file = path.join(folder, `${rate}-${channels}.aac`)
      writeFileSync(file, Buffer.concat(Array.from({ length: 20 }, () => adts(index, channels, sound!.frame))))
      const { stdout, stderr } = await run('ffmpeg', ['-v', 'warning', '-i', file, '-f', 's16le', '-'], {
        encoding: 'buffer',
        maxBuffer: 16 * 1024 * 1024,
      })
      expect(stderr.toString()).not.toMatch(/error|invalid|prediction|overread/i)
      expect(stdout.length).toBe(20 * 1024 * 2 * channels)
      expect(stdout.every((byte) => byte === 0)).toBe(true)
    }
  })

  it('is not made for other numbers of channels or other codecs', () => {
    expect(silentSound(configuration(3, 6))).toBeUndefined()
    expect(silentSound(Buffer.from([0x08 | 1, 0x90]))).toBeUndefined()
    expect(silentSound(Buffer.alloc(0))).toBeUndefined()
  })
})
