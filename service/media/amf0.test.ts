import { expect, test } from 'vitest'
import { Amf0Fault, EcmaArray, amf0Bounds, type Amf0Value } from './amf0.ts'
import { readAmf0 } from './amf0-reader.ts'
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
