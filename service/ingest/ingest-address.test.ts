import { describe, expect, it } from 'vitest'
import { maxAddress, playedName, readStreamAddress } from './ingest-address.ts'

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
    // As MediaMTX has them.
    expect(readStreamAddress('live', '', `${cid}?wsSecret%3Dn%26wsTime%3D5`)).toEqual({
      cid,
      wsSecret: 'n',
      wsTime: '5',
    })
  })
})

it('the longest part of an address has 2048 characters, and each of the three may have as many', () => {
  expect(maxAddress).toBe(2048)
  const pad = (text: string): string => text.padEnd(2048, 'x')
  expect(readStreamAddress(pad('live?a='), pad('rtmp://h/live?a='), pad(`${cid}?a=`))?.cid).toBe(cid)
})

it.each([
  ['live/', cid, true],
  ['live//', cid, false],
  ['live/x', cid, false],
  ['Live', cid, false],
  ['live', `${cid}/`, false],
  ['live', `/${cid}`, false],
  ['live', cid.toUpperCase(), false],
  ['live', cid.slice(1), false],
  ['live', `${cid}0`, false],
  [`live/${cid}/`, '', true],
  [`live/x/${cid}`, '', false],
  ['live', '', false],
])('the application %s and the name %s are an address: %s', (app, name, isAddress) => {
  expect(readStreamAddress(app, '', name)?.cid).toBe(isAddress ? cid : undefined)
})

it('a player asks for a channel by its id alone, or as HTTP-FLV has it', () => {
  expect([`${cid}.flv`, `${cid}.flv?link=x`, cid].map(playedName)).toEqual([cid, `${cid}?link=x`, cid])
  for (const other of [`${cid}.flv.flv`, `${cid}.mp4`, `x${cid}.flv`, `${cid}.flvx`, '.flv', null, 5])
    expect(playedName(other)).toBe(other)
})

it('escaped separators are read in both cases, and those that a shell escaped as well', () => {
  const read = { cid, wsSecret: 'n', wsTime: '5' }
  expect(readStreamAddress('live', '', `${cid}%3FwsSecret%3DN%26wsTime%3D5`)).toEqual({ ...read, wsSecret: 'N' })
  expect(readStreamAddress('live', '', `${cid}\\?wsSecret\\=n\\&wsTime\\=5`)).toEqual(read)
  expect(readStreamAddress('live%3FwsSecret%3Dn%26wsTime%3D5', '', cid)).toEqual(read)
})
