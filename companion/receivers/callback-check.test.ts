import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { resendAfter } from '../../contract/callbacks/recording.ts'
import { isStale, readCallback, readFields, staleAfter } from './callback-check.ts'

const md5 = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex')
const bytes = (text: string): Buffer => Buffer.from(text, 'utf8')

describe('a callback', () => {
  const body = '{"vid":"2","uid":"1","nId":"n","video_name":"录像 a=1&b=2","orig_video_key":""}'
  const right = md5('nId=n&orig_video_key=&uid=1&vid=2&video_name=录像 a=1&b=2key')

  it('is genuine when its signature is right, in any letter case', () => {
    expect(readCallback(bytes(body), right, 'key')).toMatchObject({ kind: 'genuine', nId: 'n' })
    expect(readCallback(bytes(body), right.toUpperCase(), 'key')).toMatchObject({ kind: 'genuine' })
  })

  it('is forged with another key, a changed value, no signature, or one that is no MD5', () => {
    expect(readCallback(bytes(body), right, 'other')).toMatchObject({ kind: 'forged' })
    expect(readCallback(bytes(body.replace('"2"', '"3"')), right, 'key')).toMatchObject({ kind: 'forged' })
    for (const sign of [undefined, '', right.slice(1), `${right}0`, `${right}, ${right}`, 'g'.repeat(32), ` ${right}`])
      expect(readCallback(bytes(body), sign, 'key').kind, sign).toBe('forged')
  })

  it('is read by its body: two fields never pass as one value with & and =', () => {
    const sign = md5('a=1&b=2&nId=nkey')
    expect(readCallback(bytes('{"a":"1&b=2","nId":"n"}'), sign, 'key').fields).toEqual({ a: '1&b=2', nId: 'n' })
    expect(readCallback(bytes('{"a":"1","b":"2","nId":"n"}'), sign, 'key').fields).toEqual({ a: '1', b: '2', nId: 'n' })
  })

  it('keeps numbers of other senders as they were written', () => {
    const sign = md5('nId=n&ok=true&uid=9223372036854775807&x=1.50key')
    expect(readCallback(bytes('{"uid":9223372036854775807,"ok":true,"x":1.50,"nId":"n"}'), sign, 'key')).toMatchObject({
      kind: 'genuine',
      fields: { uid: '9223372036854775807', x: '1.50' },
    })
  })

  it('is unreadable when it is no object of plain values, or has no nId', () => {
    for (const text of [
      '',
      'x',
      '[]',
      '"a"',
      'null',
      '{"a":{}}',
      '{"a":["b"]}',
      '{"a":',
      `{${Array.from({ length: 65 }, (_, index) => `"${index}":""`).join()}}`,
    ])
      expect(readCallback(bytes(text), right, 'key').kind, text).toBe('unreadable')
    expect(readFields(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x22, 0x22, 0x7d]))).toBeUndefined()
    expect(readCallback(bytes('{"a":"1"}'), md5('a=1key'), 'key')).toMatchObject({
      kind: 'unreadable',
      why: { code: 'id', params: {} },
    })
    expect(readCallback(bytes('{"__proto__":"1","nId":"n"}'), md5('__proto__=1&nId=nkey'), 'key')).toMatchObject({
      kind: 'genuine',
    })
  })
})

it('why a callback is not taken is named', () => {
  const body = bytes('{"a":"1","nId":"n"}')
  const why = (sign: string | undefined, of = body): string | undefined => {
    const reading = readCallback(of, sign, 'key')
    return reading.kind === 'genuine' ? undefined : reading.why.code
  }
  expect(why(undefined)).toBe('unsigned')
  expect(why('x')).toBe('sign')
  expect(why('0'.repeat(32))).toBe('signature')
  expect(why(undefined, bytes('[]'))).toBe('body')
  const withId = (nId: string) => bytes(JSON.stringify({ nId }))
  for (const [nId, code] of [
    ['', 'id'],
    ['n'.repeat(129), 'id'],
    ['n'.repeat(128), undefined],
  ] as const)
    expect(why(md5(`nId=${nId}key`), withId(nId))).toBe(code)
  // As many fields as one may have.
  const most = Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`f${index}`, '']))
  expect(Object.keys(readFields(bytes(JSON.stringify(most))) ?? {})).toHaveLength(64)
})

describe('a stale message', () => {
  const now = 1_800_000_000_000
  it('comes later than the last resend of it could', () => {
    expect(staleAfter).toBeGreaterThan(resendAfter.reduce((sum, wait) => sum + wait, 0))
    expect(isStale({ endTime: String(now - staleAfter) }, now, undefined)).toBe(false)
    expect(isStale({ endTime: String(now - staleAfter - 1) }, now, undefined)).toBe(true)
  })

  it('is known by its first arrival where it carries no time, as that of a merge', () => {
    expect(isStale({}, now, undefined)).toBe(false)
    expect(isStale({}, now, now - staleAfter)).toBe(false)
    expect(isStale({}, now, now - staleAfter - 1)).toBe(true)
    expect(isStale({ endTime: 'soon' }, now, now)).toBe(false)
  })
})

it('a message is late an hour after the last of its resends, of which the whole takes 10 h 42 min 35 s', () => {
  expect([resendAfter.reduce((sum, wait) => sum + wait, 0), staleAfter]).toEqual([38_555_000, 42_155_000])
})
