import { isIP } from 'node:net'
import { expect, it } from 'vitest'
import { isOnInternet, publicAddressShapes, rangeFault, readPublicAddress, readRanges } from './public-addresses.ts'

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

it.each([
  ['fd00::2', 'fe80::1', 'fc00::1', '::1', '::', '::ffff:192.168.1.5', 'ff02::1', '64:ff9b::a00:1'].map(
    (one) => `[${one}]`,
  ),
  [
    '10.0.0.1',
    '10.255.255.255',
    '192.168.1.5',
    '172.16.0.1',
    '172.31.255.255',
    '169.254.7.7',
    '100.64.0.1',
    '100.127.255.255',
  ],
  ['127.0.0.1', '127.8.8.8', '0.0.0.0', '224.0.0.251', '255.255.255.255', '0x7f.1', '192.168.257'],
  ['198.18.0.1', '198.19.255.255'],
  ['2001:db8::1', '2001:db8:7:1::5', '2001::1', '2001:0:4136:e378::1', '2002:a00:1::1', '2002:c0a8:105::'].map(
    (one) => `[${one}]`,
  ),
  ['localhost', 'tv.localhost', 'sidestage.local', 'LOCALHOST'],
  ['localhost.', 'tv.localhost.', 'sidestage.local.', '10.0.0.1.', 'nas', 'nas.', 'notlocal'],
  ['nas.lan', 'pc.home.arpa', 'home.arpa', 'pc.internal', 'tv.home', 'www.intranet', 'PC.LAN.'],
])('knows addresses that nobody on the internet can reach', (...hosts) => {
  for (const host of hosts) expect(isOnInternet(`https://${host}:8443`), host).toBe(false)
})

it('takes names and addresses of the internet, beside those that are not', () => {
  const names = ['live.example.com', 'live.example.com.', '10.example.com', 'local.example', 'the.notlocal', 'my.plan']
  const wide = [
    '[2001:4860::8]',
    '[2001:200::1]',
    '[2001:db80::1]',
    '[2003::1]',
    '[3fff::1]',
    '192.0.3.1',
    '198.20.0.1',
  ]
  const beside = ['100.63.0.1', '100.128.0.1', '172.15.0.1', '172.32.0.1', '192.167.1.1', '169.253.1.1', '223.1.1.1']
  for (const host of [...names, ...wide, ...beside, '11.22.33.18', '1.10.0.1'])
    expect(isOnInternet(`https://${host}:8443`), host).toBe(true)
  expect(isOnInternet('live.example.com')).toBe(false)
})

it('takes a path below which a proxy serves the media side, and none for RTMP', () => {
  expect(readPublicAddress('media', 'https://example.com/live/')).toBe('https://example.com/live')
  expect(readPublicAddress('rtmp', 'rtmp://example.com/live')).toBeUndefined()
})

it('takes only names that a host can have', () => {
  const longest = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`
  for (const host of [
    '...',
    '.',
    '.example.com',
    'live..example.com',
    'example.com..',
    '-live.example.com',
    'live-.example.com',
    `${'a'.repeat(64)}.example.com`,
    `${longest}d`,
  ])
    for (const [name, scheme] of [
      ['media', 'https'],
      ['api', 'http'],
      ['link', 'wss'],
      ['rtmp', 'rtmp'],
    ] as const)
      expect(readPublicAddress(name, `${scheme}://${host}:8443`), `${scheme} ${host}`).toBeUndefined()
  const hosts = ['nas', 'example.com.', 'my_tv.example', '7.example', 'a--b.example', 'bücher.example', longest]
  for (const host of [...hosts, '192.0.2.1', '[2001:db8::1]'])
    for (const [name, scheme] of [
      ['media', 'https'],
      ['rtmp', 'rtmp'],
    ] as const)
      expect(readPublicAddress(name, `${scheme}://${host}:8443`)).toBe(`${scheme}://${host}:8443`)
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
