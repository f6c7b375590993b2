import { array, assert, integer, property, uint8Array } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBase64Reader } from './base64-reader.ts'
import { UploadFault } from './incoming-file.ts'

/** Reads a text in parts of the given lengths. */
function read(text: string, lengths: readonly number[] = [text.length || 1]): Buffer {
  const reader = createBase64Reader()
  const parts: Buffer[] = []
  const bytes = Buffer.from(text, 'latin1')
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length]!
    parts.push(reader.read(bytes.subarray(at, at + length)))
    at += length
  }
  return Buffer.concat([...parts, reader.end()])
}
const lengths = array(integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 })

describe('Base64 in parts', () => {
  it.each<[string, (text: string) => string]>([
    ['as it is', (text) => text],
    ['percent-encoded', (text) => encodeURIComponent(text)],
    ['every character percent-encoded', (text) => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&')],
    ['with + as the space that a form makes of it', (text) => text.replaceAll('+', ' ')],
    ['for URLs', (text) => text.replaceAll('+', '-').replaceAll('/', '_')],
    ['without padding', (text) => text.replaceAll('=', '')],
    ['in lines', (text) => text.replaceAll(/.{5}/g, '$&\r\n')],
  ])('is read %s, wherever it is cut', (_how, write) => {
    assert(
      property(uint8Array({ minLength: 1, maxLength: 200 }), lengths, (bytes, cuts) => {
        expect(read(write(Buffer.from(bytes).toString('base64')), cuts)).toEqual(Buffer.from(bytes))
      }),
      { seed: 4, numRuns: 300 },
    )
  })

  it.each([
    '',
    '=',
    '\r\n',
    'A',
    'AAAAA',
    'AA=A',
    'AAA==',
    'AAAA=',
    'AA===',
    '====',
    'AA*A',
    'AA%4',
    'AA%',
    '%zz%zz',
    'data:image/png;base64,AAAA',
    'ÄÄÄÄ',
    'AA\0A',
  ])('refuses %j, wherever it is cut', (text) => {
    for (const cuts of [[100], [1], [2, 1]]) expect(() => read(text, cuts)).toThrow(UploadFault)
  })
})
