import { expect, it } from 'vitest'
import { addressGroup, isLoopbackGroup, networksOf } from './address-group.ts'

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', ''],
])('counts %s as %s', (address, group) => {
  expect(addressGroup(address)).toBe(group)
})

it('counts all addresses of a /64 together, and those of the next one apart', () => {
  expect(addressGroup('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(addressGroup('2001:db8:1:2::1'))
  expect(addressGroup('2001:db8:1:3::1')).not.toBe(addressGroup('2001:db8:1:2::1'))
  expect(addressGroup('192.0.2.8')).not.toBe(addressGroup('192.0.2.7'))
})

it('names the /56 and the /48 of a /64 with growing shares, and leaves others alone', () => {
  expect(networksOf(addressGroup('2001:db8:1:2fe::1'))).toEqual([
    { network: '2001:db8:1:2fe::/64', share: 1 },
    { network: '2001:db8:1:200::/56', share: 2 },
    { network: '2001:db8:1::/48', share: 4 },
  ])
  for (const address of ['192.0.2.7', '::1', '::ffff:192.0.2.7', ''])
    expect(networksOf(addressGroup(address))).toEqual([{ network: addressGroup(address), share: 1 }])
})

it('knows this computer', () => {
  expect(['127.0.0.1', '127.3.2.1', '::1', '::ffff:127.0.0.1'].map(addressGroup).map(isLoopbackGroup)).toEqual([
    true,
    true,
    true,
    true,
  ])
  expect(['192.0.2.7', '2001:db8::1', ''].map(addressGroup).map(isLoopbackGroup)).toEqual([false, false, false])
})
