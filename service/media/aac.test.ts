import { expect, test } from 'vitest'
import { aacName, readAacConfiguration } from './aac.ts'

test.each([
  ['1190', 'AAC-LC 48 kHz stereo', 'mp4a.40.2'],
  ['119056e500', 'AAC-LC 48 kHz stereo', 'mp4a.40.2'],
  ['1208', 'AAC-LC 44.1 kHz mono', 'mp4a.40.2'],
  ['11b0', 'AAC-LC 48 kHz 5.1', 'mp4a.40.2'],
  ['2b118800', 'HE-AAC 48 kHz stereo', 'mp4a.40.5'],
  ['eb098800', 'HE-AAC v2 48 kHz stereo', 'mp4a.40.29'],
  ['131056e598', 'HE-AAC 48 kHz stereo', 'mp4a.40.5'],
])('%s is %s', (hex, name, codec) => {
  const read = readAacConfiguration(Buffer.from(hex, 'hex'))
  expect(read && aacName(read)).toBe(name)
  expect(read?.codec).toBe(codec)
})

test.each(['', '11', '0000', '1690', 'ff'])('%s is refused', (hex) => {
  expect(readAacConfiguration(Buffer.from(hex, 'hex'))).toBeUndefined()
})

/** Fields of [bits, value], one after the other, filled up to whole bytes. */
const record = (...fields: readonly (readonly [bits: number, value: number])[]): Buffer => {
  const bits = fields.map(([count, value]) => value.toString(2).padStart(count, '0')).join('')
  return Buffer.from((bits.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)))
}

test.each([96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350])(
  'the sample rate of %d Hz is read from its index',
  (rate) => {
    const index = [
      96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
    ].indexOf(rate)
    const read = readAacConfiguration(record([5, 2], [4, index < 0 ? 12 : index], [4, 2], [3, 0]))
    expect(read).toEqual({ objectType: 2, sampleRate: rate, channels: 2, name: 'AAC-LC', codec: 'mp4a.40.2' })
  },
)

test('a sample rate of 24 bits is read up to 192 kHz; 0, a higher one and the reserved indexes are refused', () => {
  const explicit = (rate: number): number | undefined =>
    readAacConfiguration(record([5, 2], [4, 15], [24, rate], [4, 1], [3, 0]))?.sampleRate
  expect([explicit(12_345), explicit(192_000), explicit(1)]).toEqual([12_345, 192_000, 1])
  expect([explicit(192_001), explicit(0)]).toEqual([undefined, undefined])
  for (const index of [13, 14]) expect(readAacConfiguration(record([5, 2], [4, index], [4, 2], [3, 0]))).toBeUndefined()
})

test('channels are read from their index, and are unknown where a program configuration gives them', () => {
  const channels = Array.from(
    { length: 16 },
    (_, index) => readAacConfiguration(record([5, 2], [4, 3], [4, index], [3, 0]))?.channels,
  )
  const none = undefined
  expect(channels).toEqual([none, 1, 2, 3, 4, 5, 6, 8, none, none, none, 7, 8, none, 8, none])
})

test('the name says mono, stereo, 5.1 or 7.1, other numbers of channels, and nothing where they are unknown', () => {
  const name = (channels: number | undefined): string =>
    aacName({ objectType: 2, sampleRate: 44_100, channels, name: 'AAC-LC', codec: '' })
  expect([undefined, 1, 2, 3, 6, 7, 8].map(name)).toEqual([
    'AAC-LC 44.1 kHz',
    'AAC-LC 44.1 kHz mono',
    'AAC-LC 44.1 kHz stereo',
    'AAC-LC 44.1 kHz 3 channels',
    'AAC-LC 44.1 kHz 5.1',
    'AAC-LC 44.1 kHz 7 channels',
    'AAC-LC 44.1 kHz 7.1',
  ])
})

test.each([
  [1, 'AAC Main'],
  [3, 'AAC SSR'],
  [4, 'AAC LTP'],
  [23, 'AAC (type 23)'],
])('object type %d is named %s', (type, name) => {
  const read = readAacConfiguration(record([5, type], [4, 3], [4, 2], [3, 0]))
  expect(read).toMatchObject({ objectType: type, name, codec: `mp4a.40.${type}` })
})

test('an object type above 31 is read from its six more bits', () => {
  const read = readAacConfiguration(record([5, 31], [6, 10], [4, 3], [4, 2]))
  expect(read).toMatchObject({
    objectType: 42,
    sampleRate: 48_000,
    channels: 2,
    name: 'AAC (type 42)',
    codec: 'mp4a.40.42',
  })
})

test('explicit SBR and PS have the extended rate, the type of the core, and PS two channels of one', () => {
  const extended = (type: number, channels: number): Buffer =>
    record([5, type], [4, 6], [4, channels], [4, 3], [5, 2], [3, 0])
  expect(readAacConfiguration(extended(5, 1))).toEqual({
    objectType: 2,
    sampleRate: 48_000,
    channels: 1,
    name: 'HE-AAC',
    codec: 'mp4a.40.5',
  })
  expect(readAacConfiguration(extended(29, 1))).toEqual({
    objectType: 2,
    sampleRate: 48_000,
    channels: 2,
    name: 'HE-AAC v2',
    codec: 'mp4a.40.29',
  })
})

test('SBR and PS that follow the core configuration are read, only where their flags are set', () => {
  const core = [
    [5, 2],
    [4, 6],
    [4, 1],
  ] as const
  const after = (sbr: number, ...ps: readonly (readonly [number, number])[]) =>
    readAacConfiguration(record(...core, [3, 0], [11, 0x2b7], [5, 5], [1, sbr], [4, 3], ...ps))
  expect(after(1)).toMatchObject({ name: 'HE-AAC', sampleRate: 48_000, channels: 1, codec: 'mp4a.40.5' })
  expect(after(0)).toMatchObject({ name: 'AAC-LC', sampleRate: 24_000, codec: 'mp4a.40.2' })
  expect(after(1, [11, 0x548], [1, 1])).toMatchObject({ name: 'HE-AAC v2', sampleRate: 48_000, channels: 2 })
  expect(after(1, [11, 0x548], [1, 0])).toMatchObject({ name: 'HE-AAC', channels: 1 })
  expect(after(1, [11, 0x547], [1, 1])).toMatchObject({ name: 'HE-AAC', channels: 1 })
  // With the delay of a core coder between.
  const delayed = record(...core, [1, 0], [1, 1], [14, 0x1234], [1, 0], [11, 0x2b7], [5, 5], [1, 1], [4, 3])
  expect(readAacConfiguration(delayed)).toMatchObject({ name: 'HE-AAC', sampleRate: 48_000 })
  // Another extension.
  const other = record(...core, [3, 0], [11, 0x2b7], [5, 22], [1, 1], [4, 3])
  expect(readAacConfiguration(other)).toMatchObject({ name: 'AAC-LC', sampleRate: 24_000 })
})
