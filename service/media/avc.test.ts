import { expect, test } from 'vitest'
import { BitReader } from './avc-bits.ts'
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

type Field = readonly [bits: number, value: number]
const ue = (value: number): Field => [2 * Math.floor(Math.log2(value + 1)) + 1, value + 1]
const se = (value: number): Field => ue(value > 0 ? 2 * value - 1 : -2 * value)
const bit = (value: 0 | 1): Field => [1, value]
/** Fields as bits, with emulation prevention as in a NAL unit. */
const nalBytes = (fields: readonly Field[]): Buffer => {
  const bits = `${fields.map(([count, value]) => value.toString(2).padStart(count, '0')).join('')}1`
  const bytes: number[] = []
  for (const byte of (bits.match(/.{1,8}/g) ?? []).map((text) => Number.parseInt(text.padEnd(8, '0'), 2))) {
    if (byte <= 3 && bytes.at(-1) === 0 && bytes.at(-2) === 0) bytes.push(3)
    bytes.push(byte)
  }
  return Buffer.from(bytes)
}

interface Sps {
  readonly profile?: number
  readonly id?: number
  /** From chroma_format_idc to the scaling matrix. */
  readonly chroma?: readonly Field[]
  readonly order?: readonly Field[]
  readonly columns?: number
  readonly rows?: number
  readonly interlaced?: boolean
  readonly crop?: readonly [left: number, right: number, top: number, bottom: number]
}
const spsOf = ({ profile = 66, id = 0, chroma = [], order = [ue(2)], columns = 10, rows = 6, interlaced, crop }: Sps) =>
  Buffer.concat([
    Buffer.from([0x67, profile, 0, 30]),
    nalBytes([
      ue(id),
      ...chroma,
      ue(0),
      ...order,
      ue(1),
      bit(0),
      ue(columns - 1),
      ue(rows - 1),
      ...(interlaced ? [bit(0), bit(1)] : [bit(1)]),
      bit(1),
      ...(crop ? [bit(1), ...crop.map(ue)] : [bit(0)]),
      bit(0),
    ]),
  ])
const size = (sps: Sps): (number | undefined)[] => {
  const read = readSps(spsOf(sps))
  return [read?.width, read?.height]
}
const chromaOf = (format: number, ...lists: readonly Field[]): Field[] => [
  ue(format),
  ...(format === 3 ? [bit(0)] : []),
  ue(0),
  ue(0),
  bit(0),
  ...(lists.length > 0 ? [bit(1), ...lists] : [bit(0)]),
]
const nothing = [undefined, undefined]

test('profile, constraints and level are read, and the size in macroblocks of 16', () => {
  expect(readSps(Buffer.concat([Buffer.from([0x27, 77, 0x40, 31]), spsOf({}).subarray(4)]))).toEqual({
    profile: 77,
    constraints: 0x40,
    level: 31,
    width: 160,
    height: 96,
  })
})

test('interlaced pictures have twice the rows, and crop in twice the steps', () => {
  expect(size({ interlaced: true })).toEqual([160, 192])
  expect(size({ interlaced: true, crop: [0, 0, 1, 2] })).toEqual([160, 180])
})

test('the crop is in steps of the chroma format, from all four sides', () => {
  expect(size({ crop: [1, 2, 3, 4] })).toEqual([154, 82])
  expect(size({ profile: 122, chroma: chromaOf(2), crop: [1, 2, 3, 4] })).toEqual([154, 89])
  expect(size({ profile: 244, chroma: chromaOf(3), crop: [1, 2, 3, 4] })).toEqual([157, 89])
  expect(size({ profile: 100, chroma: chromaOf(0), crop: [1, 2, 3, 4] })).toEqual([157, 89])
  const separate = [ue(3), bit(1), ue(0), ue(0), bit(0), bit(0)]
  expect(size({ profile: 244, chroma: separate, crop: [1, 2, 3, 4] })).toEqual([157, 89])
})

test.each([44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244])(
  'profile %d has a chroma format in its parameter set',
  (profile) => {
    expect(size({ profile, chroma: chromaOf(1), crop: [0, 0, 0, 4] })).toEqual([160, 88])
  },
)

test('scaling lists are skipped: 16 or 64 values, up to the first that ends one, 8 lists or 12 for 4:4:4', () => {
  const full = (count: number): Field[] => [bit(1), ...Array.from({ length: count }, () => se(1))]
  const six = Array.from({ length: 6 }, () => bit(0))
  const chroma = (format: number, ...lists: readonly Field[]): Sps => ({
    profile: 244,
    chroma: chromaOf(format, ...lists),
  })
  expect(size(chroma(1, ...full(16), ...six.slice(1), bit(0), bit(0)))).toEqual([160, 96])
  expect(size(chroma(1, ...six, ...full(64), bit(0)))).toEqual([160, 96])
  // A difference to 0 ends the list at once.
  expect(size(chroma(1, bit(1), se(-8), ...six.slice(1), bit(0), bit(0)))).toEqual([160, 96])
  expect(size(chroma(3, ...six, ...six))).toEqual([160, 96])
  expect(size(chroma(3, ...six, ...six.slice(1), ...full(64)))).toEqual([160, 96])
})

test('picture order of every type is skipped, with up to 255 offsets in type 1', () => {
  expect(size({ order: [ue(0), ue(4)] })).toEqual([160, 96])
  const cycle = (count: number, written = count): Field[] => [
    ue(1),
    bit(1),
    se(-3),
    se(2),
    ue(count),
    ...Array.from({ length: written }, (_, index) => se(index % 2 ? 5 : -5)),
  ]
  expect(size({ order: cycle(0) })).toEqual([160, 96])
  expect(size({ order: cycle(3) })).toEqual([160, 96])
  expect(size({ order: cycle(255) })).toEqual([160, 96])
  expect(size({ order: cycle(256) })).toEqual(nothing)
  expect(size({ order: [ue(3)] })).toEqual(nothing)
})

test('a set number over 31, an unknown chroma format and another NAL unit are refused', () => {
  expect([size({ id: 31 }), size({ id: 32 })]).toEqual([[160, 96], nothing])
  expect(size({ profile: 100, chroma: chromaOf(4) })).toEqual(nothing)
  const other = spsOf({})
  other[0] = 0x68
  expect(readSps(other)).toBeUndefined()
})

test('a side of 16,384 is read; a longer one, and a picture that is cropped away, are refused', () => {
  expect(size({ columns: 1024 })).toEqual([16_384, 96])
  expect(size({ rows: 1024 })).toEqual([160, 16_384])
  expect(size({ columns: 1025 })).toEqual(nothing)
  expect(size({ rows: 1025 })).toEqual(nothing)
  expect(size({ columns: 1025, crop: [8, 0, 0, 0] })).toEqual([16_384, 96])
  expect(size({ crop: [0, 79, 0, 0] })).toEqual([2, 96])
  expect(size({ crop: [0, 80, 0, 0] })).toEqual(nothing)
  expect(size({ crop: [0, 0, 0, 48] })).toEqual(nothing)
})

test('all parameter sets of a record are read, with lengths of 1, 2 or 4 bytes', () => {
  const sps = spsOf({})
  const set = (nal: Buffer): Buffer => Buffer.concat([Buffer.from([0, nal.length]), nal])
  const pps = Buffer.from([0x68, 0xce, 0x0f])
  const made = (lengthBits: number): ReturnType<typeof readAvcConfiguration> =>
    readAvcConfiguration(
      Buffer.concat([
        Buffer.from([1, 66, 0, 30, 0xfc | lengthBits, 0xe2]),
        set(sps),
        set(spsOf({ columns: 20 })),
        Buffer.from([3]),
        set(pps),
        set(pps),
        set(pps),
      ]),
    )
  expect(made(0)).toEqual({
    profile: 66,
    constraints: 0,
    level: 30,
    width: 160,
    height: 96,
    lengthSize: 1,
    sps: [sps, spsOf({ columns: 20 })],
    pps: [pps, pps, pps],
    codec: 'avc1.42001e',
  })
  expect([made(1)?.lengthSize, made(2), made(3)?.lengthSize]).toEqual([2, undefined, 4])
  const withoutPps = Buffer.concat([Buffer.from([1, 66, 0, 30, 0xff, 0xe1]), set(sps), Buffer.from([0])])
  expect(readAvcConfiguration(withoutPps)).toBeUndefined()
})

test.each([
  [66, 0, 'Baseline'],
  [66, 0x40, 'Constrained Baseline'],
  [77, 0x40, 'Main'],
  [88, 0, 'Extended'],
  [100, 0, 'High'],
  [110, 0, 'High 10'],
  [122, 0, 'High 4:2:2'],
  [244, 0, 'High 4:4:4'],
  [118, 0, 'profile 118'],
])('profile %d with constraints %d is named %s', (profile, constraints, name) => {
  expect(avcName({ profile, constraints, level: 51 })).toBe(`H.264 ${name} 5.1`)
})

test('level 11 is 1.1 without its constraint, and in the profiles from High', () => {
  expect(avcName({ profile: 77, constraints: 0, level: 11 })).toBe('H.264 Main 1.1')
  expect(avcName({ profile: 100, constraints: 0x10, level: 11 })).toBe('H.264 High 1.1')
  expect(avcName({ profile: 77, constraints: 0x10, level: 11 })).toBe('H.264 Main 1b')
  expect(avcName({ profile: 77, constraints: 0xef, level: 11 })).toBe('H.264 Main 1.1')
  expect(avcName({ profile: 66, constraints: 0xbf, level: 11 })).toBe('H.264 Baseline 1b')
})

test('bits are read without emulation prevention, and zeros past the end', () => {
  const reader = new BitReader(Buffer.from([0xff, 0, 0, 3, 0x80, 0, 0, 3]), 1)
  const read = (count: number): string => Array.from({ length: count }, () => reader.bit()).join('')
  expect(read(24)).toBe(`${'0'.repeat(16)}10000000`)
  expect(read(16)).toBe('0'.repeat(16))
  expect(reader.exhausted).toBe(false)
  expect(read(1)).toBe('0')
  expect(reader.exhausted).toBe(true)
})

test('numbers of 32 bits at most are read from their code, signed ones in turn above and below 0', () => {
  const of = (...fields: readonly Field[]): BitReader => new BitReader(nalBytes(fields), 0)
  const plain = of(...[0, 1, 2, 7, 254, 65_535].map(ue))
  expect(Array.from({ length: 6 }, () => plain.unsigned())).toEqual([0, 1, 2, 7, 254, 65_535])
  const signed = of(...[1, -1, 2, -2, 300].map(se))
  expect(Array.from({ length: 5 }, () => signed.signed())).toEqual([1, -1, 2, -2, 300])
  const zeros = (count: number): BitReader => of([count, 0], bit(1), [31, 0x7fff_ffff])
  const most = zeros(31)
  expect([most.unsigned(), most.exhausted]).toEqual([0xffff_fffe, false])
  const beyond = zeros(32)
  expect([beyond.unsigned(), beyond.exhausted]).toEqual([0, true])
})
