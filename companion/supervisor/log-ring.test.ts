import { expect, it } from 'vitest'
import { cutMark } from '../../platform/cut-text.ts'
import { logRing } from './log-ring.ts'

it.each([
  ['rtmp://h/live/c?wsSecret=0123456789abcdef&wsTime=1', 'rtmp://h/live/c?wsSecret=…&wsTime=1'],
  ['GET /x?token=abc&y=1', 'GET /x?token=…&y=1'],
  ['{"appSecret":"abc","x":1}', '{"appSecret":"…","x":1}'],
  ['AppSecret: abc next', 'AppSecret: … next'],
  ['checkSum = abc', 'checkSum = …'],
  ['{"CheckSum": "abc"}', '{"CheckSum": "…"}'],
  ['{"token":"abc"}', '{"token":"…"}'],
  ['password=abc, done', 'password=…, done'],
  ['signKey=abc', 'signKey=…'],
  ['nothing to hide: 12', 'nothing to hide: 12'],
])('masks what is called like a secret: %s', (line, shown) => {
  const ring = logRing(() => [])
  ring.add(line)
  expect(ring.lines()).toEqual([shown])
})

it('masks the secrets of that moment wherever they stand, and none so short that it is a word', () => {
  let secrets = ['first-secret', 'short']
  const ring = logRing(() => secrets)
  ring.add('a first-secret b first-secret short')
  secrets = []
  ring.add('a first-secret')
  expect(ring.lines()).toEqual(['a … b … short', 'a first-secret'])
})

it('keeps the newest 500 lines, each of 2,000 characters at most', () => {
  const ring = logRing(() => [])
  for (let count = 1; count <= 501; count++) ring.add(`line ${count}`)
  const lines = ring.lines()
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([500, 'line 2', 'line 501'])
  ring.add('x'.repeat(5_000))
  expect(ring.lines().at(-1)!.length).toBeLessThanOrEqual(2_000)
  lines.push('of the caller')
  expect(ring.lines()).toHaveLength(500)
})

it('keeps a line of 2,000 characters whole, and of a longer one 2,000 with the mark that it was cut', () => {
  const ring = logRing(() => [])
  ring.add('x'.repeat(2_000))
  ring.add('x'.repeat(2_001))
  expect(ring.lines()).toEqual(['x'.repeat(2_000), `${'x'.repeat(2_000 - cutMark.length)}${cutMark}`])
})

it('masks a secret of eight characters, and none of seven', () => {
  const ring = logRing(() => ['1234567', 'abcdefgh'])
  ring.add('1234567 abcdefgh')
  expect(ring.lines()).toEqual(['1234567 …'])
})
