import { expect, it } from 'vitest'
import { doorAt, homeAddresses, isOutside, type Interfaces } from './network.ts'

const one = (address: string, cidr: string, family: 'IPv4' | 'IPv6') => ({
  address,
  cidr,
  family,
  netmask: '',
  mac: '',
  internal: false,
  scopeid: 0,
})
const interfaces = (() => ({
  lan: [
    one('192.168.1.5', '192.168.1.5/24', 'IPv4'),
    one('2001:db8:7:1::5', '2001:db8:7:1::5/64', 'IPv6'),
    one('203.0.113.7', '203.0.113.7/24', 'IPv4'),
  ],
})) as unknown as Interfaces

it('a device of the home network is not outside, also by its global address of IPv6', () => {
  for (const address of ['192.168.1.9', '2a02:8108:1:2::9', '127.0.0.1', 'fd00::9', '::1', '192.0.2.1.', ''])
    expect([address, isOutside(address, [], interfaces)]).toEqual([address, address.startsWith('2a02')])
  const global = (() => ({ lan: [one('2a02:8108:1:2::5', '2a02:8108:1:2::5/64', 'IPv6')] })) as unknown as Interfaces
  expect(isOutside('2a02:8108:1:2::9', [], global)).toBe(false)
  expect(isOutside('2a02:8108:1:3::9', [], global)).toBe(true)
})

it('another address of a network of the internet is outside, and this computer’s own are not', () => {
  const server = (() => ({ wan: [one('11.22.33.7', '11.22.33.7/24', 'IPv4')] })) as unknown as Interfaces
  expect(isOutside('11.22.33.8', [], server)).toBe(true)
  expect(isOutside('11.22.33.7', [], server)).toBe(false)
  expect(isOutside('11.22.33.9', ['11.22.33.9'], server)).toBe(false)
})

it('of the doors in the home network the one counts whose address is told, also when it was opened later', () => {
  const doors = [{ host: 'fd00::2' }, { host: '10.92.0.1' }]
  expect(doorAt(doors, '10.92.0.1')).toBe(doors[1])
  expect(doorAt(doors, undefined)).toBe(doors[0])
  expect(doorAt([], '10.92.0.1')).toBeUndefined()
})

it('the home network has its private addresses', () => {
  expect(homeAddresses(interfaces)).toEqual(['192.168.1.5'])
})
