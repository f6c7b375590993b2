import { expect, test } from 'vitest'
import { FlvFault, FlvReader, type FlvTag } from './flv-reader.ts'
import { flvHeader, writeFlvTag } from './flv-writer.ts'

const tags: FlvTag[] = [
  { kind: 'data', timestamp: 0, body: Buffer.from('meta') },
  { kind: 'video', timestamp: 40, body: Buffer.alloc(70_000, 1) },
  { kind: 'audio', timestamp: 0xfedcba98, body: Buffer.alloc(0) },
  { kind: 'video', timestamp: 0xffffffff, body: Buffer.from('end') },
]
const file = Buffer.concat([
  flvHeader({ video: true, audio: true }),
  ...tags.map(({ kind, timestamp, body }) => writeFlvTag(kind, timestamp, body)),
])

test.each([1, 2, 13, 1000, 1_000_000])('what is written is read back in pieces of %d bytes', (piece) => {
  const read: FlvTag[] = []
  const reader = new FlvReader((tag) => read.push(tag))
  for (let at = 0; at < file.length; at += piece) reader.push(file.subarray(at, at + piece))
  expect(read).toEqual(tags)
  expect(reader.held).toBe(0)
})

test('the header says which tracks there are', () => {
  expect(flvHeader({ video: true, audio: false }).toString('hex')).toBe('464c5601010000000900000000')
  expect(flvHeader({ video: true, audio: true })[4]).toBe(5)
})

test('a longer header is skipped', () => {
  const read: FlvTag[] = []
  const longer = Buffer.concat([
    Buffer.from('464c56010500000010', 'hex'),
    Buffer.alloc(7 + 4),
    writeFlvTag('audio', 1, Buffer.from('a')),
  ])
  for (const piece of [1, longer.length]) {
    const reader = new FlvReader((tag) => read.push(tag))
    for (let at = 0; at < longer.length; at += piece) reader.push(longer.subarray(at, at + piece))
  }
  expect(read.map((tag) => tag.timestamp)).toEqual([1, 1])
})

test.each([
  ['another signature', Buffer.from('not an flv file')],
  ['an absurd header length', Buffer.from('464c560105ffffffff00000000', 'hex')],
  ['an unknown tag', Buffer.concat([flvHeader({ video: true, audio: true }), Buffer.alloc(20, 7)])],
  ['an encrypted tag', Buffer.concat([flvHeader({ video: true, audio: true }), Buffer.from([0x29]), Buffer.alloc(20)])],
  [
    'a tag over the limit',
    Buffer.concat([flvHeader({ video: true, audio: true }), Buffer.from([9, 255, 255, 255]), Buffer.alloc(20)]),
  ],
])('%s is refused', (_, bytes) => {
  expect(() => new FlvReader(() => undefined).push(bytes)).toThrow(FlvFault)
})

test('tags are written with their type, length, time of 24 and 8 more bits, and their size behind', () => {
  const hex = (...tag: Parameters<typeof writeFlvTag>): string => writeFlvTag(...tag).toString('hex')
  expect(hex('audio', 0, Buffer.from('aabb', 'hex'))).toBe('0800000200000000000000aabb0000000d')
  expect(hex('video', 0x01020304, Buffer.from('cc', 'hex'))).toBe('0900000102030401000000cc0000000c')
  expect(hex('data', 0xffffffff, Buffer.alloc(0))).toBe('12000000ffffffff0000000000000b')
  expect(writeFlvTag('video', 0, Buffer.alloc(70_000)).subarray(0, 4).toString('hex')).toBe('09011170')
})

test('the header of sound alone, and of nothing, says so', () => {
  expect(flvHeader({ video: false, audio: true }).toString('hex')).toBe('464c5601040000000900000000')
  expect(flvHeader({ video: false, audio: false }).toString('hex')).toBe('464c5601000000000900000000')
})
