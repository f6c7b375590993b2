import { assert, bigInt, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ipPlace, plainIp } from './ip-place.ts'

/** First and last address of each special-purpose range (RFC 6890, IANA registries). */
const refused = [
  ['0.0.0.0', '0.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '239.255.255.255'],
  ['240.0.0.0', '255.255.255.255'],
  ['::', '::'],
  ['::2', '::ffff:ffff'],
  ['64:ff9b::', '64:ff9b::ffff:ffff'],
  ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['100::', '100::ffff:ffff:ffff:ffff'],
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
] as const

const numberOf = (address: string): bigint => {
  if (!address.includes(':')) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)
  const [head = '', tail] = address.split('::')
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'))
  const [before, after] = [groups(head), groups(tail ?? '')]
  const all = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after]
  return all.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n)
}
const textOf = (value: bigint, isSix: boolean): string =>
  isSix
    ? Array.from({ length: 8 }, (_, at) => ((value >> BigInt(112 - 16 * at)) & 0xffffn).toString(16)).join(':')
    : Array.from({ length: 4 }, (_, at) => (value >> BigInt(24 - 8 * at)) & 0xffn).join('.')

describe('the place of an IP address', () => {
  it.each(refused)('is refused from %s to %s, and nothing of it is reached', (first, last) => {
    const isSix = first.includes(':')
    const within = bigInt({ min: numberOf(first), max: numberOf(last) })
    const isNotReached = (value: bigint): void => {
      const address = textOf(value, isSix)
      expect(['refused', 'metadata'], address).toContain(ipPlace(address))
    }
    for (const edge of [first, last]) isNotReached(numberOf(edge))
    assert(property(within, isNotReached), { numRuns: 50 })
  })

  it('is public beside these ranges', () => {
    for (const address of [
      '1.0.0.0',
      '8.8.8.8',
      '11.0.0.1',
      '100.128.0.1',
      '126.255.255.255',
      '172.15.0.1',
      '172.32.0.1',
      '198.20.0.0',
      '223.255.255.255',
      '2001:200::',
      '2606:4700::1111',
      '2a00:1450:4001::1',
    ])
      expect(ipPlace(address), address).toBe('public')
  })

  it('is refused where no global addresses are given out yet', () => {
    for (const address of ['1::1', '200::1', '4000::1', 'fe00::1', '::8.8.8.8'])
      expect(ipPlace(address), address).not.toBe('public')
  })

  it('is inside for the networks of a house, a company or a provider, and loopback for this computer', () => {
    for (const address of [
      '10.0.0.0',
      '10.255.255.255',
      '172.16.0.1',
      '192.168.1.1',
      '100.64.0.1',
      'fc00::1',
      'fdff::1',
    ])
      expect(ipPlace(address), address).toBe('inside')
    for (const address of ['127.0.0.1', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1'])
      expect(ipPlace(address), address).toBe('loopback')
  })

  it('is that of a metadata service in every way of writing it', () => {
    for (const address of [
      '169.254.169.254',
      '100.100.100.200',
      '192.0.0.192',
      'fd00:ec2::254',
      'FD00:0EC2:0:0:0:0:0:0254',
      'fd20:ce::254',
    ])
      expect(ipPlace(address), address).toBe('metadata')
  })

  it('is told from an IPv4 address that is written as an IPv6 one', () => {
    for (const address of ['::ffff:8.8.8.8', '::ffff:7f00:1', '0:0:0:0:0:ffff:a9fe:a9fe', '::ffff:0:127.0.0.1'])
      expect(ipPlace(address), address).toBe('mapped')
  })

  it('is refused for what is no address', () => {
    for (const text of [
      '',
      'localhost',
      '1.2.3',
      '127.1',
      '0x7f.0.0.1',
      '2130706433',
      'fe80::1%eth0',
      '::1%lo',
      '[::1]',
    ])
      expect(ipPlace(text), text).toBe('refused')
  })
})

it('an IPv4 address that is written as an IPv6 one is the IPv4 address, anything else as it is', () => {
  expect(
    ['::ffff:10.0.0.1', '::FFFF:a00:1', '[::ffff:7f00:1]', '::ffff:0:192.0.2.1', '::127.0.0.1', '127.0.0.1'].map(
      plainIp,
    ),
  ).toEqual(['10.0.0.1', '10.0.0.1', '127.0.0.1', '192.0.2.1', '127.0.0.1', '127.0.0.1'])
  expect(['[2001:db8::1]', 'fe80::1%eth0', 'localhost'].map(plainIp)).toEqual(['2001:db8::1', 'fe80::1', 'localhost'])
})
