import { describe, expect, it } from 'vitest'
import { readFormBody, readJsonBody } from './body.ts'

const form = (text: string) => readFormBody(Buffer.from(text))
const value = (text: string): unknown => {
  const reading = form(text)
  return reading.ok ? { ...(reading.value as object) } : reading.reason
}

describe('a form', () => {
  it('is read with escapes, plus signs and empty values', () => {
    expect(value('a=1&b=%E4%BD%A0%20x+y&c=&d')).toEqual({ a: '1', b: '你 x y', c: '', d: '' })
    expect(value('')).toEqual({})
  })

  it('keeps what is not an escape as it came', () => {
    expect(value('body={"a":"50%"}&b=%zz&c=%ff&d=a=b')).toEqual({ body: '{"a":"50%"}', b: '%zz', c: '%ff', d: 'a=b' })
  })

  it('with a field twice is refused, also when the names are written differently', () => {
    expect(value('a=1&a=1')).toMatch(/twice/)
    expect(value('a=1&%61=2')).toMatch(/twice/)
  })

  it('has at most 256 fields, and keys of the prototype are keys like others', () => {
    expect(value(Array.from({ length: 256 }, (_, index) => `k${index}=1`).join('&'))).toBeTypeOf('object')
    expect(value(Array.from({ length: 257 }, (_, index) => `k${index}=1`).join('&'))).toMatch(/more than 256/)
    const reading = form('__proto__=x&constructor=y')
    expect(reading.ok && Object.keys(reading.value as object)).toEqual(['__proto__', 'constructor'])
  })

  it('of other bytes than UTF-8 is refused', () => {
    expect(readFormBody(Buffer.from([0x61, 0x3d, 0xff])).ok).toBe(false)
  })
})

describe('a JSON body', () => {
  it('may nest 16 levels and not 17', () => {
    expect(readJsonBody(Buffer.from('['.repeat(16) + ']'.repeat(16))).ok).toBe(true)
    expect(readJsonBody(Buffer.from('['.repeat(17) + ']'.repeat(17))).ok).toBe(false)
  })
})
