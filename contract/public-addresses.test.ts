import { isIP } from 'node:net'
import { expect, it } from 'vitest'
import { publicAddressShapes, rangeFault, readPublicAddress, readRanges } from './public-addresses.ts'

it.each(['media', 'api', 'link', 'rtmp'] as const)('takes the example of %s, and that of no other scheme', (name) => {
  const { example } = publicAddressShapes[name]
  expect(readPublicAddress(name, `${example}/`)).toBe(example)
  for (const wrong of [
    '',
    'live.example.com',
    example.replace('://', '://name:word@'),
    `${example}?a=1`,
    `${example}#a`,
    ` ${example}`,
    'ftp://live.example.com',
    'javascript:alert(1)',
    `${example}/${'q'.repeat(2_000)}`,
  ])
    expect(readPublicAddress(name, wrong), wrong).toBeUndefined()
})

it('takes a path below which a proxy serves the media side, and none for RTMP', () => {
  expect(readPublicAddress('media', 'https://example.com/live/')).toBe('https://example.com/live')
  expect(readPublicAddress('rtmp', 'rtmp://example.com/live')).toBeUndefined()
})

it('takes no character that a shell reads as more than itself', () => {
  for (const part of [
    '$(id)',
    '`id`',
    "'",
    '"',
    ';id',
    '&id',
    '|id',
    '<a',
    '>a',
    '!',
    '*',
    '{a}',
    '\\a',
    '%41',
    '^',
    ',',
  ])
    for (const address of [`https://a.example/tv${part}`, `https://a${part}.example`, `https://a.example${part}`])
      expect(readPublicAddress('media', address), address).toBeUndefined()
  for (const address of ['https://bücher.example/直播_1.2~x', 'https://[2001:db8::1]:8443/tv-1'])
    expect(readPublicAddress('media', address)).toBe(address)
})

it('reads the addresses of ranges as the system does', () => {
  for (const address of [
    '10.0.0.1',
    '255.255.255.255',
    '0.0.0.0',
    '::1',
    '::',
    'fe80::1',
    '2001:db8::7',
    '::ffff:10.0.0.1',
    '1:2:3:4:5:6:7:8',
  ])
    expect([rangeFault(address), isIP(address) > 0], address).toEqual([undefined, true])
  for (const address of [
    '',
    '10.0.0',
    '10.0.0.256',
    '010.0.0.1',
    '1.2.3.4.5',
    ':::',
    '1:2:3:4:5:6:7',
    '1::2::3',
    'g::1',
    '::1]',
    'localhost',
    '١٠.٠.٠.١',
  ])
    expect([rangeFault(address) === undefined, isIP(address) > 0], address).toEqual([false, false])
  expect(rangeFault('fe80::1%eth0')).toContain('is no IP address')
  for (const range of ['10.0.0.0/0', '10.0.0.0/32', '::/0', 'fd00::/128'])
    expect(rangeFault(range), range).toBeUndefined()
  for (const range of ['10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1', '10.0.0.0/8 '])
    expect(rangeFault(range), range).toBeDefined()
})

it('reads ranges with commas, spaces and lines between them', () => {
  expect(readRanges(' 127.0.0.1, ::1\n10.0.0.0/8,,')).toEqual(['127.0.0.1', '::1', '10.0.0.0/8'])
  expect(readRanges(' ')).toEqual([])
})
