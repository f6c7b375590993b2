import { expect, test } from 'vitest'
import { avcName, readAvcConfiguration, readSps } from './avc.ts'

const record = (hex: string): Buffer => Buffer.from(hex, 'hex')
/** Records written by x264 through ffmpeg for known sizes. */
const known: [name: string, record: string, width: number, height: number, codec: string][] = [
  [
    'H.264 High 3.1',
    '0164001fffe1001a6764001facd9405005bb0110000003001000000303c0f183196001000468ef8fcbfdf8f800',
    1280,
    720,
    'avc1.64001f',
  ],
  [
    'H.264 Constrained Baseline 4.0',
    '0142c028ffe100196742c028da01e0089f970110000003001000000303c0f1832a01000468ce0fc8',
    1920,
    1080,
    'avc1.42c028',
  ],
  [
    'H.264 High 4:4:4 3.0',
    '01f4001effe1001a67f4001e919680a02fee2f0110000003001000000303c0f162ea01000568ce0f1920fff8f800',
    638,
    358,
    'avc1.f4001e',
  ],
  [
    'H.264 Main 3.0',
    '014d401effe10018674d401eeca05a126c0440000003004000000c87c50a658001000568fba3cb20',
    720,
    576,
    'avc1.4d401e',
  ],
]

test.each(known)('%s: profile, level and the cropped size are read', (name, hex, width, height, codec) => {
  const read = readAvcConfiguration(record(hex))
  expect(read).toMatchObject({ width, height, codec, lengthSize: 4 })
  expect(read && avcName(read)).toBe(name)
  expect(read?.pps).toHaveLength(1)
})

test('every cut of a record is refused or read, and a parameter set never reaches past the record', () => {
  for (const [, hex] of known) {
    const whole = record(hex)
    const needed = 8 + whole.readUInt16BE(6) + 3 + whole.readUInt16BE(9 + whole.readUInt16BE(6))
    for (let length = 0; length < needed; length++)
      expect(readAvcConfiguration(whole.subarray(0, length))).toBeUndefined()
    expect(readAvcConfiguration(whole.subarray(0, needed))).toBeDefined()
  }
})

test('zero-size NAL units, a wrong version, no parameter sets and length size 3 are refused', () => {
  const whole = record(known[0]![1])
  const changed = (change: (copy: Buffer) => void): Buffer => {
    const copy = Buffer.from(whole)
    change(copy)
    return copy
  }
  expect(readAvcConfiguration(changed((copy) => copy.writeUInt16BE(0, 6)))).toBeUndefined()
  expect(
    readAvcConfiguration(
      changed((copy) => {
        copy[0] = 0
      }),
    ),
  ).toBeUndefined()
  expect(
    readAvcConfiguration(
      changed((copy) => {
        copy[5] = 0xe0
      }),
    ),
  ).toBeUndefined()
  expect(
    readAvcConfiguration(
      changed((copy) => {
        copy[4] = 0xfe
      }),
    ),
  ).toBeUndefined()
})

test('a parameter set that asks for endless bits or a giant picture is refused', () => {
  expect(readSps(Buffer.from([0x67, 66, 0, 30]))).toBeUndefined()
  expect(readSps(Buffer.concat([Buffer.from([0x67, 66, 0, 30]), Buffer.alloc(4096)]))).toBeUndefined()
  expect(readSps(Buffer.concat([Buffer.from([0x67, 100, 0, 30]), Buffer.alloc(64, 0xff)]))).toMatchObject({
    width: 16,
    height: 16,
  })
  expect(readSps(Buffer.from([0x68, 66, 0, 30, 0xff]))).toBeUndefined()
})

test('level 1b is named', () => {
  expect(avcName({ profile: 66, constraints: 0xd0, level: 11 })).toBe('H.264 Constrained Baseline 1b')
  expect(avcName({ profile: 100, constraints: 0, level: 9 })).toBe('H.264 High 1b')
  expect(avcName({ profile: 100, constraints: 0, level: 42 })).toBe('H.264 High 4.2')
})
