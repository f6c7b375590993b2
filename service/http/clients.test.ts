import { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { addressGroup } from '../../platform/address-group.ts'
import { rangeFault } from '../../contract/public-addresses.ts'
import { createClients } from './clients.ts'

const here = '192.0.2.7'
const from = (
  remoteAddress: string | undefined,
  headers: Record<string, string | string[]> = {},
  localAddress: string | undefined = here,
) => ({
  socket: { remoteAddress, localAddress },
  headers,
})

describe('what a peer sends can be read on the way', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1', false],
    ['127.8.8.8', '127.0.0.1', false],
    ['::1', '::1', false],
    ['::ffff:127.0.0.1', '::ffff:127.0.0.1', false],
    ['192.0.2.7', '192.0.2.7', false],
    ['::ffff:192.0.2.7', '192.0.2.7', false],
    ['192.0.2.8', '192.0.2.7', true],
    ['::ffff:192.0.2.8', '::ffff:192.0.2.7', true],
    ['2001:db8::2', '2001:db8::1', true],
    ['127.0.0.1.evil.example', '127.0.0.1', true],
    [undefined, undefined, true],
  ])('from %s to %s: %s', (remoteAddress, localAddress, readable) => {
    expect(createClients().of({ socket: { remoteAddress, localAddress }, headers: {} }).readable).toBe(readable)
  })

  it('never through TLS', () => {
    const socket = new TLSSocket(new Socket())
    Object.defineProperty(socket, 'remoteAddress', { value: '192.0.2.8' })
    expect(createClients().of({ socket, headers: {} })).toMatchObject({ readable: false, scheme: 'https' })
    socket.destroy()
  })
})

describe('limits per address count', () => {
  it.each([
    ['198.51.100.7', '198.51.100.7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['::ffff:c633:6407', '198.51.100.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:1:2::ffff', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ])('%s as %s', (address, subnet) => {
    expect(addressGroup(address)).toBe(subnet)
  })
})

describe('what is forwarded', () => {
  const clients = createClients(['10.0.0.0/8', '2001:db8:ffff::/48', '127.0.0.1'])
  const said = { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https' }

  it('is ignored from a peer that is not trusted', () => {
    expect(clients.of(from('192.0.2.9', said))).toEqual({
      address: '192.0.2.9',
      subnet: '192.0.2.9',
      scheme: 'http',
      readable: true,
      passedOn: false,
    })
    expect(createClients().of(from('127.0.0.1', said))).toEqual({
      address: '127.0.0.1',
      subnet: '127.0.0.1',
      scheme: 'http',
      readable: false,
      passedOn: false,
    })
  })

  it.each([
    ['one address', '198.51.100.7', '198.51.100.7'],
    ['what the client wrote before it', '203.0.113.1, 198.51.100.7', '198.51.100.7'],
    ['trusted proxies after it', '203.0.113.1, 198.51.100.7, 10.2.3.4, 2001:db8:ffff::9', '198.51.100.7'],
    ['a client on the network of the proxies', '10.9.9.9', '10.9.9.9'],
    ['a port', '198.51.100.7:50123', '198.51.100.7'],
    ['an IPv6 address with brackets and port', '[2001:db8::7]:50123', '2001:db8::7'],
    ['a word', '198.51.100.7, unknown', '10.1.1.1'],
    ['nothing', '', '10.1.1.1'],
    ['separators only', ' , ,', '10.1.1.1'],
  ])('from a trusted peer, with %s', (_what, header, address) => {
    expect(clients.of(from('::ffff:10.1.1.1', { 'x-forwarded-for': header })).address).toBe(address)
  })

  it.each([
    ['in brackets without a port', '[2001:db8::7]', '2001:db8::7'],
    ['of IPv4 within IPv6', '::FFFF:198.51.100.7', '198.51.100.7'],
    ['with blanks around it', '  198.51.100.7  ', '198.51.100.7'],
    ['with an empty port', '198.51.100.7:', '10.1.1.1'],
    ['in brackets with something behind them', '[2001:db8::7]x', '10.1.1.1'],
    ['before one that is none', '198.51.100.7, 10.2.2.2:x', '10.1.1.1'],
    ['behind a proxy that says something else', '198.51.100.7, nonsense, 10.2.2.2', '10.2.2.2'],
  ])('from a trusted peer is an address %s', (_what, header, address) => {
    expect(clients.of(from('10.1.1.1', { 'x-forwarded-for': header }))).toMatchObject({
      address,
      subnet: addressGroup(address),
    })
  })

  it.each([
    ['https at a trusted proxy counts as TLS', '10.1.1.1', 'https', false, 'https'],
    ['http there does not', '10.1.1.1', 'http', true, 'http'],
    ['wss there counts as TLS', '10.1.1.1', 'wss', false, 'https'],
    ['https in any case and with spaces counts as TLS', '10.1.1.1', ' HTTPS , https', false, 'https'],
    ['one hop without TLS does not', '10.1.1.1', 'https, http', true, 'http'],
    ['nothing said by a proxy elsewhere does not', '10.1.1.1', undefined, true, 'http'],
    ['a proxy on this computer that says nothing answers for it', '127.0.0.1', undefined, false, 'http'],
    ['a proxy on this computer that says http does not', '127.0.0.1', 'http', true, 'http'],
  ] as const)('%s', (_what, peer, scheme, readable, answered) => {
    const headers = { 'x-forwarded-for': '198.51.100.7', ...(scheme !== undefined && { 'x-forwarded-proto': scheme }) }
    expect(clients.of(from(peer, headers))).toMatchObject({ readable, scheme: answered })
  })
})

describe('forwarding headers', () => {
  const clients = createClients(['10.0.0.0/8', '2001:db8::5'])

  it('that come several times count in their order', () => {
    const headers = { 'x-forwarded-for': ['203.0.113.1', '198.51.100.7', '10.9.9.9'] }
    expect(clients.of(from('10.1.1.1', headers)).address).toBe('198.51.100.7')
    const schemes = { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': ['https', 'http'] }
    expect(clients.of(from('10.1.1.1', schemes)).scheme).toBe('http')
  })

  it('are read of every request of a proxy, whose connections carry many clients', () => {
    const { socket } = from('10.1.1.1')
    const addressOf = (address: string) => clients.of({ socket, headers: { 'x-forwarded-for': address } }).address
    expect([addressOf('198.51.100.7'), addressOf('198.51.100.8')]).toEqual(['198.51.100.7', '198.51.100.8'])
  })

  it('are believed of one IPv6 address where no length is given', () => {
    expect(['2001:db8::5', '2001:db8::6', '10.200.0.1', '11.0.0.1', ''].map((one) => clients.isTrusted(one))).toEqual([
      true,
      false,
      true,
      false,
      false,
    ])
    expect(createClients().isTrusted('10.0.0.1')).toBe(false)
  })

  it('do not make a client of a proxy on this computer readable that is on it too', () => {
    const local = createClients(['127.0.0.1'])
    const headers = { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' }
    expect(local.of(from('127.0.0.1', headers))).toMatchObject({ address: '127.0.0.1', readable: false })
  })
})

it('a client whose connection has ended has no address, and a direct one stays as it was first seen', () => {
  const clients = createClients()
  expect(clients.of(from(undefined))).toMatchObject({ address: '', subnet: '' })
  const socket: { remoteAddress: string | undefined; localAddress: string } = {
    remoteAddress: '::ffff:192.0.2.9',
    localAddress: here,
  }
  expect(clients.of({ socket, headers: {} })).toMatchObject({ address: '192.0.2.9', subnet: '192.0.2.9' })
  socket.remoteAddress = undefined
  expect(clients.of({ socket, headers: {} })).toMatchObject({ address: '192.0.2.9' })
})

describe('a range of trusted proxies', () => {
  it.each(['10.0.0.0/8', '192.0.2.1', '::1', '2001:db8::/32', '0.0.0.0/0'])('may be %s', (range) =>
    expect(rangeFault(range)).toBeUndefined(),
  )
  it.each(['', 'localhost', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', 'fe80::1%eth0', '10.0.0/8'])(
    'may not be %j',
    (range) => expect(rangeFault(range)).toMatch(/^"/),
  )
})
