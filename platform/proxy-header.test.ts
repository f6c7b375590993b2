import { describe, expect, it } from 'vitest'
import * as fc from 'fast-check'
import { readProxyHeader } from './proxy-header.ts'

const start = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')
/** A header of version 2: command, family, addresses, fields. */
const binary = (
  command: number,
  family: number,
  addresses: readonly number[],
  fields: readonly (readonly [type: number, value: readonly number[]])[] = [],
): Buffer => {
  const rest = Buffer.from([
    ...addresses,
    ...fields.flatMap(([type, value]) => [type, value.length >> 8, value.length & 255, ...value]),
  ])
  return Buffer.concat([start, Buffer.from([0x20 | command, family, rest.length >> 8, rest.length & 255]), rest])
}
const four = [203, 0, 113, 9, 192, 0, 2, 1, 0xc3, 0x50, 0x01, 0xbb]
const six = [
  0x20,
  0x01,
  0x0d,
  0xb8,
  ...Array<number>(11).fill(0),
  7,
  0x20,
  0x01,
  0x0d,
  0xb8,
  ...Array<number>(11).fill(0),
  1,
  0xc3,
  0x50,
  0x01,
  0xbb,
]
const peer = { address: '203.0.113.9', port: 50_000, reached: '192.0.2.1', tls: false }
const text = 'PROXY TCP4 203.0.113.9 192.0.2.1 50000 443\r\n'

describe('a header of a proxy', () => {
  it.each([
    ['version 1', Buffer.from(text), peer],
    [
      'version 1 with IPv6',
      Buffer.from('PROXY TCP6 2001:db8::7 2001:db8::1 50000 443\r\n'),
      { ...peer, address: '2001:db8::7', reached: '2001:db8::1' },
    ],
    ['version 1 of an unknown family', Buffer.from('PROXY UNKNOWN\r\n'), undefined],
    ['version 1 of an unknown family with more', Buffer.from(`PROXY UNKNOWN ${'f'.repeat(80)}\r\n`), undefined],
    ['version 2', binary(1, 0x11, four), peer],
    [
      'version 2 with IPv6',
      binary(1, 0x21, six),
      { ...peer, address: '2001:db8:0:0:0:0:0:7', reached: '2001:db8:0:0:0:0:0:1' },
    ],
    [
      'version 2 with TLS among other fields',
      binary(1, 0x11, four, [
        [4, [0, 0]],
        [0x20, [1, 0, 0, 0, 0]],
      ]),
      { ...peer, tls: true },
    ],
    ['version 2 without TLS', binary(1, 0x11, four, [[0x20, [0, 0, 0, 0, 1]]]), peer],
    ['version 2 about the proxy itself', binary(0, 0x00, []), undefined],
    ['version 2 of a local socket', binary(1, 0x31, Array<number>(216).fill(0)), undefined],
  ])('of %s is read however its bytes come, and what follows is left', (_what, header, expected) => {
    for (let length = 1; length < header.length; length++)
      expect(readProxyHeader(header.subarray(0, length))).toEqual({ kind: 'more' })
    expect(readProxyHeader(Buffer.concat([header, Buffer.from('GET / HTTP/1.1')]))).toEqual({
      kind: 'header',
      length: header.length,
      ...(expected && { peer: expected }),
    })
  })

  it.each([
    ['names', 'PROXY TCP4 example.com 192.0.2.1 1 2\r\n'],
    ['the wrong family', 'PROXY TCP4 2001:db8::7 2001:db8::1 1 2\r\n'],
    ['no port', 'PROXY TCP4 203.0.113.9 192.0.2.1 1\r\n'],
    ['a port above 65535', 'PROXY TCP4 203.0.113.9 192.0.2.1 65536 2\r\n'],
    ['a port with zeros', 'PROXY TCP4 203.0.113.9 192.0.2.1 00080 2\r\n'],
    ['more than a header has', 'PROXY TCP4 203.0.113.9 192.0.2.1 1 2 3\r\n'],
    ['two spaces', 'PROXY TCP4  203.0.113.9 192.0.2.1 1 2\r\n'],
    ['a request', 'PROXY /live HTTP/1.1\r\n'],
    ['a line that does not end', `PROXY UNKNOWN ${'f'.repeat(100)}`],
    ['another version', Buffer.concat([start, Buffer.from([0x31, 0x11, 0, 12, ...four])])],
    ['another command', binary(2, 0x11, four)],
    ['addresses that are too short', binary(1, 0x11, four.slice(0, 11))],
    [
      'a field that is longer than the header',
      Buffer.concat([start, Buffer.from([0x21, 0x11, 0, 15, ...four, 0x20, 0, 9])]),
    ],
    ['half of a field', Buffer.concat([start, Buffer.from([0x21, 0x11, 0, 14, ...four, 0x20, 0])])],
    ['more fields than a proxy has', Buffer.concat([start, Buffer.from([0x21, 0x11, 0x10, 0x01])])],
  ])('with %s is refused', (_what, bytes) => {
    expect(readProxyHeader(Buffer.from(bytes))).toEqual({ kind: 'fault' })
  })

  it('is not seen in what clients send', () => {
    for (const bytes of [
      'POST / HTTP/1.1\r\n',
      'PUT /',
      'PR',
      'PROXIES',
      '\r\nGET /',
      '\r\n\r\nGET /',
      '\u0003',
      '\u0016\u0003\u0001',
    ].map((said) => Buffer.from(said)))
      expect(readProxyHeader(bytes).kind).toBe(bytes.toString() === 'PR' ? 'more' : 'none')
  })

  it('never throws and never asks for more than it may be long', () => {
    const bytes = fc.tuple(
      fc.constantFrom('', 'PROXY ', 'PROXY TCP4 ', start.toString('latin1')),
      fc.uint8Array({ maxLength: 300 }),
    )
    fc.assert(
      fc.property(bytes, ([begin, rest]) => {
        const all = Buffer.concat([Buffer.from(begin, 'latin1'), rest])
        const header = readProxyHeader(all)
        if (header.kind === 'header') expect(header.length).toBeLessThanOrEqual(all.length)
        expect(readProxyHeader(Buffer.concat([all, Buffer.alloc(4200)])).kind).not.toBe('more')
      }),
    )
  })
})
