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

  it('that is empty is an empty object', () => {
    expect(readJsonBody(Buffer.alloc(0))).toEqual({ ok: true, value: {} })
  })

  it('nests as deep as its deepest part, however many stand beside it', () => {
    const beside = `[${Array.from({ length: 100 }, () => '{"a":[1]}').join()}]`
    expect(readJsonBody(Buffer.from(beside)).ok).toBe(true)
    const deep = (opening: string, closing: string, depth: number): string =>
      `{"a":${opening.repeat(depth)}${closing.repeat(depth)}}`
    expect([readJsonBody(Buffer.from(deep('[', ']', 15))).ok, readJsonBody(Buffer.from(deep('[', ']', 16)))]).toEqual([
      true,
      { ok: false, reason: 'the body nests deeper than 16 levels' },
    ])
  })

  it('nests with brackets outside of texts, whose end is found behind escapes', () => {
    const brackets = '['.repeat(17)
    for (const text of [brackets, `\\"${brackets}`, `${brackets}\\\\`])
      expect(readJsonBody(Buffer.from(`{"a":"${text}"}`)).ok, text).toBe(true)
    // The text ends behind an escaped backslash; what follows is outside.
    expect(readJsonBody(Buffer.from(`["\\\\",${brackets}${']'.repeat(17)}]`))).toEqual({
      ok: false,
      reason: 'the body nests deeper than 16 levels',
    })
  })

  it('of other bytes than UTF-8, or of no JSON, is refused with what is wrong', () => {
    expect(readJsonBody(Buffer.from([0x22, 0xff, 0x22]))).toEqual({ ok: false, reason: 'the body is not UTF-8' })
    for (const text of ['{', 'x', '{"a":1}{}', "{'a':1}"])
      expect(readJsonBody(Buffer.from(text))).toEqual({ ok: false, reason: 'the body is not JSON' })
    expect(readJsonBody(Buffer.from('\ufeff{}'))).toEqual({
      ok: false,
      reason: 'the body begins with a byte-order mark, which JSON does not have',
    })
    expect(readJsonBody(Buffer.from('[1]'))).toEqual({ ok: true, value: [1] })
  })
})

describe('the parts of a form', () => {
  it('may be empty, and a name too', () => {
    expect(value('&a=1&&b=2&')).toEqual({ a: '1', b: '2' })
    expect(value('=x')).toEqual({ '': 'x' })
    expect(value('a=&a2==')).toEqual({ a: '', a2: '=' })
  })

  it('are decoded in names as in values, run by run', () => {
    expect(value('%E4%BD%A0+x=%E4%BD%A0%20+%ff%41')).toEqual({ '你 x': '你  %ff%41' })
    expect(value('a=%e4%bd&b=%4')).toEqual({ a: '%e4%bd', b: '%4' })
  })

  it('that are wrong are said with what is wrong', () => {
    expect(value('a=1&a=2')).toBe('a field of the form comes twice')
    expect(value(Array.from({ length: 257 }, (_, index) => `k${index}`).join('&'))).toBe(
      'the form has more than 256 fields',
    )
    expect(readFormBody(Buffer.from([0xff]))).toEqual({ ok: false, reason: 'the body is not UTF-8' })
  })
})
