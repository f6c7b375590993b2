import { expect, test } from 'vitest'
import { Amf0Fault, EcmaArray, amf0Bounds, type Amf0Value } from './amf0.ts'
import { Amf0Reader, readAmf0 } from './amf0-reader.ts'
import { writeAmf0 } from './amf0-writer.ts'

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex')

test('every kind that is written is read back', () => {
  const values: Amf0Value[] = [
    0,
    -1.5,
    Number.NaN,
    true,
    false,
    '',
    'text 中文',
    'x'.repeat(70_000),
    null,
    undefined,
    [1, 'two', [null]],
    { one: 1, deep: { two: '2' } },
    new Date(1_700_000_000_123),
  ]
  expect(readAmf0(writeAmf0(...values))).toEqual(values)
  expect(readAmf0(writeAmf0(new EcmaArray({ width: 1280, height: 720 })))).toEqual([{ width: 1280, height: 720 }])
})

test('bytes of known messages are read', () => {
  expect(readAmf0(bytes('02 0007 636f6e6e656374 00 3ff0000000000000 03 0003 617070 02 0004 6c697665 0000 09'))).toEqual(
    ['connect', 1, { app: 'live' }],
  )
  expect(readAmf0(bytes('10 0003 466f6f 0001 61 05 0000 09'))).toEqual([{ a: null }])
  expect(readAmf0(bytes('0f 00000003 3c612f'))).toEqual(['<a/'])
  expect(readAmf0(bytes('0d'))).toEqual([undefined])
  expect(readAmf0(bytes('0b c271f86b5a800000 0000'))[0]).toBeInstanceOf(Date)
})

test('an ECMA array whose count is wrong ends at its marker; one without a marker ends with its message', () => {
  expect(readAmf0(bytes('08 00000000 0001 61 0101 0000 09 05'))).toEqual([{ a: true }, null])
  expect(readAmf0(bytes('08 00000001 0001 61 0101'))).toEqual([{ a: true }])
})

test('names that mean something to JavaScript are plain members', () => {
  const [value] = readAmf0(writeAmf0({ ['__proto__']: { polluted: true }, constructor: 1 })) as [
    Record<string, unknown>,
  ]
  expect(Object.getPrototypeOf(value)).toBeNull()
  expect(Object.keys(readAmf0(bytes('03 0009 5f5f70726f746f5f5f 0101 0000 09'))[0] as object)).toEqual(['__proto__'])
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
})

const nested = (marker: number, depth: number): Buffer =>
  Buffer.concat(Array.from({ length: depth }, () => Buffer.from(marker === 3 ? [3, 0, 1, 97] : [0x0a, 0, 0, 0, 1])))
test.each<[string, Buffer]>([
  ['a reference', bytes('07 0000')],
  ['a movie clip', bytes('04')],
  ['a record set', bytes('0e')],
  ['AMF3', bytes('11 01')],
  ['an unknown marker', bytes('ff')],
  ['an object end alone', bytes('09')],
  ['a number cut short', bytes('00 3ff0')],
  ['a string longer than its message', bytes('02 ffff 61')],
  ['a long string longer than its message', bytes('0c ffffffff 61')],
  ['an array longer than its message', bytes('0a ffffffff 05')],
  ['an object without an end', bytes('03 0001 61 05')],
  ['objects nested without end', nested(3, 5000)],
  ['arrays nested without end', nested(0x0a, 5000)],
  ['a date cut short', bytes('0b c271f86b5a8000 00')],
  ['too many values', Buffer.alloc(amf0Bounds.values + 1, 5)],
])('%s is refused', (_, message) => {
  expect(() => readAmf0(message)).toThrow(Amf0Fault)
})

test('a negative date is read, nesting is read up to the bound, and writing deeper is refused', () => {
  expect(Number(readAmf0(writeAmf0(new Date(-5000)))[0] as Date)).toBe(-5000)
  let value: Amf0Value = 1
  for (let depth = 0; depth < amf0Bounds.depth; depth++) value = [value]
  expect(readAmf0(writeAmf0(value))).toEqual([value])
  expect(() => writeAmf0([value])).toThrow(Amf0Fault)
})

test('each kind is written with its marker, and text of more than 65,535 bytes as long text', () => {
  const hex = (value: Amf0Value): string => writeAmf0(value).toString('hex')
  expect(hex(1)).toBe('003ff0000000000000')
  expect([hex(true), hex(false)]).toEqual(['0101', '0100'])
  expect(hex('é')).toBe('020002c3a9')
  expect([hex(null), hex(undefined)]).toEqual(['05', '06'])
  expect(hex({ a: null })).toBe('0300016105000009')
  expect(hex(new EcmaArray({ a: null, b: null }))).toBe('08000000020001610500016205000009')
  expect(hex([true, null])).toBe('0a00000002010105')
  expect(hex(new Date(1000))).toBe('0b408f4000000000000000')
  expect(writeAmf0('x'.repeat(65_535)).subarray(0, 3).toString('hex')).toBe('02ffff')
  expect(writeAmf0('x'.repeat(65_536)).subarray(0, 5).toString('hex')).toBe('0c00010000')
  // Bytes count, not letters.
  expect(writeAmf0('é'.repeat(40_000)).subarray(0, 5).toString('hex')).toBe('0c00013880')
})

test('a name of 65,535 bytes is written, and a longer one is refused', () => {
  expect(
    writeAmf0({ ['x'.repeat(65_535)]: 1 })
      .subarray(0, 3)
      .toString('hex'),
  ).toBe('03ffff')
  expect(() => writeAmf0({ ['x'.repeat(65_536)]: 1 })).toThrow(new Amf0Fault('a name is longer than 65,535 bytes'))
})

test('4096 values are read, nesting of 16 and no deeper, in objects as in arrays', () => {
  expect(readAmf0(Buffer.alloc(amf0Bounds.values, 5))).toHaveLength(4096)
  for (const marker of [3, 0x0a]) {
    const end = marker === 3 ? bytes('000009') : Buffer.alloc(0)
    const deep = (depth: number): Buffer =>
      Buffer.concat([nested(marker, depth), bytes('05'), ...Array.from({ length: depth }, () => end)])
    expect(readAmf0(deep(16))).toHaveLength(1)
    expect(() => readAmf0(deep(17))).toThrow(new Amf0Fault('nested too deeply'))
  }
})

test('a reader says how far it has read, and when it is at the end', () => {
  const reader = new Amf0Reader(bytes('05 02 0001 61'))
  expect([reader.offset, reader.ended]).toEqual([0, false])
  expect(reader.value()).toBeNull()
  expect([reader.offset, reader.ended]).toEqual([1, false])
  expect(reader.value()).toBe('a')
  expect([reader.offset, reader.ended]).toEqual([5, true])
})

test('any byte but 0 is true, an array may fill its message, and a date is in ms', () => {
  expect(readAmf0(bytes('01 02'))).toEqual([true])
  expect(readAmf0(bytes('0a 00000002 0505'))).toEqual([[null, null]])
  expect(readAmf0(bytes('0a 00000000'))).toEqual([[]])
  expect(readAmf0(bytes('0b 408f400000000000 0000'))).toEqual([new Date(1000)])
  expect(readAmf0(bytes('06'))).toEqual([undefined])
})
