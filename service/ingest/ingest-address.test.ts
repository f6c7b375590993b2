import { describe, expect, it } from 'vitest'
import { maxAddress, readStreamAddress } from './ingest-address.ts'

const cid = '0123456789abcdef0123456789abcdef'
const key = (secret: string, time = '1'): string => `wsSecret=${secret}&wsTime=${time}`

describe('a stream address', () => {
  it('has the key of the stream name before that of the application, before that of the tcUrl', () => {
    const secretOf = (name: string, app: string, tcUrl: string) => readStreamAddress(app, tcUrl, name)?.wsSecret
    expect(secretOf(`${cid}?${key('n')}`, `live?${key('a')}`, `rtmp://h/live?${key('t')}`)).toBe('n')
    expect(secretOf(cid, `live?${key('a')}`, `rtmp://h/live?${key('t')}`)).toBe('a')
    expect(secretOf(cid, 'live', `rtmp://h/live?${key('t')}`)).toBe('t')
    expect(secretOf(cid, 'live', 'rtmp://h/live')).toBe('')
  })

  it('has secret and time of the same place', () => {
    expect(readStreamAddress(`live?${key('a', '2')}`, '', `${cid}?wsSecret=n`)).toEqual({
      cid,
      wsSecret: 'n',
      wsTime: '',
    })
    expect(readStreamAddress('live', '', `${cid}?${key('n', '3')}`)).toEqual({ cid, wsSecret: 'n', wsTime: '3' })
  })

  it('names the channel by the application where the stream name is empty, and not where it is not', () => {
    expect(readStreamAddress(`live/${cid}`, '', '')?.cid).toBe(cid)
    expect(readStreamAddress(`live/${cid}`, '', `?${key('n')}`)).toEqual({ cid, wsSecret: 'n', wsTime: '1' })
    expect(readStreamAddress(`live/${cid}`, '', cid)).toBeUndefined()
    expect(readStreamAddress(`vod/${cid}`, '', '')).toBeUndefined()
  })

  it('has no part of more than 2048 characters', () => {
    const padded = (start: string, length: number): string => start.padEnd(length, 'x')
    const fits = padded(`${cid}?a=`, maxAddress)
    expect(readStreamAddress('live', '', fits)?.cid).toBe(cid)
    expect(readStreamAddress('live', '', `${fits}x`)).toBeUndefined()
    expect(readStreamAddress(padded('live?a=', maxAddress + 1), '', cid)).toBeUndefined()
    expect(readStreamAddress('live', padded('rtmp://h', maxAddress + 1), cid)).toBeUndefined()
  })

  it('may have escaped separators only where it has no plain one', () => {
    expect(readStreamAddress('live', '', `${cid}%3fwsSecret%3dn%26wsTime%3d5`)).toEqual({
      cid,
      wsSecret: 'n',
      wsTime: '5',
    })
    expect(readStreamAddress('live', '', `${cid}?wsSecret=a%26b`)?.wsSecret).toBe('a&b')
  })
})
