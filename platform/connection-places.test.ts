import { expect, it } from 'vitest'
import { createConnectionPlaces, type PlaceLimits, type PlaceRefusal } from './connection-places.ts'

function made(limits: PlaceLimits, descriptors = Infinity, givesWayAtWork = true) {
  const evicted: string[] = []
  const refusals: PlaceRefusal[] = []
  let left = descriptors
  const places = createConnectionPlaces<string>({
    limits,
    givesWayAtWork,
    take: () => left > 0 && (left -= 1) >= 0,
    evict(holder) {
      evicted.push(holder)
      left += 1
    },
    refused: (why) => void refusals.push(why),
  })
  return { places, evicted, refusals }
}
const enter = ({ places }: ReturnType<typeof made>, ...all: readonly [holder: string, address: string][]): boolean[] =>
  all.map(([holder, address]) => places.enter(holder, address))

it('counts IPv6 by /64 and a computer’s own addresses by a limit of their own', () => {
  const one = made({ all: 100, perAddress: 1, perLoopback: 2 })
  enter(
    one,
    ['a', '2001:db8::1'],
    ['b', '2001:db8::2'],
    ['c', '2001:db8:0:1::1'],
    ['d', '127.0.0.1'],
    ['e', '::ffff:127.0.0.1'],
    ['f', '127.0.0.1'],
  )
  expect(one.evicted).toEqual(['a', 'd'])
  expect(one.places.size).toBe(4)
})

it('gives the /56 and the /48 of an address two and four times its places', () => {
  const one = made({ all: 1000, perAddress: 10, perLoopback: 10 })
  const { places } = one
  const taken = (networks: number, label: string): number => {
    let count = 0
    for (let each = 0; each < networks; each++) {
      const holder = `${label} ${each}`
      if (!places.enter(holder, `2001:db8:1:${each.toString(16)}::1`)) continue
      places.idle(holder, false)
      count += 1
    }
    return count
  }
  expect(taken(256, 'first')).toBe(20)
  expect(taken(4096, 'second')).toBe(20)
  expect(one.refusals.every((why) => why === 'address')).toBe(true)
  expect(places.enter('elsewhere', '2001:db8:2::1')).toBe(true)
  for (let each = 0; each < 256; each++) places.leave(`first ${each}`)
  expect(taken(256, 'third')).toBe(20)
})

it('lets an address that is full take from itself only', () => {
  const one = made({ all: 100, perAddress: 2, perLoopback: 2 })
  enter(
    one,
    ['honest', '192.0.2.1'],
    ['x1', '192.0.2.2'],
    ['x2', '192.0.2.2'],
    ['x3', '192.0.2.2'],
    ['x4', '192.0.2.2'],
  )
  expect(one.evicted).toEqual(['x1', 'x2'])
})

it('takes of the address that has most, so that a crowd of few addresses puts nobody else out', () => {
  const one = made({ all: 100, perAddress: 50, perLoopback: 50, idle: { all: 8, perAddress: 50 } })
  enter(one, ['honest', '192.0.2.1'], ['own 1', '127.0.0.1'], ['own 2', '127.0.0.1'], ['own 3', '127.0.0.1'])
  for (let n = 1; n <= 20; n++) enter(one, [`x${n}`, '192.0.2.2'], [`y${n}`, '192.0.2.3'])
  expect(one.places.idleSize).toBe(8)
  expect(one.evicted).toHaveLength(36)
  expect(one.evicted.slice(0, 4)).toEqual(['x1', 'y1', 'x2', 'y2'])
  expect(one.evicted.filter((holder) => !/^[xy]/.test(holder))).toEqual([])
  // Among equals the oldest.
  enter(one, ['a', '192.0.2.4'], ['b', '192.0.2.5'])
  for (const gone of ['x19', 'y19', 'x20', 'y20']) one.places.leave(gone)
  one.evicted.length = 0
  enter(one, ...Array.from({ length: 6 }, (_, n): [string, string] => [`z${n}`, `198.51.100.${n}`]))
  expect(one.evicted[0]).toBe('honest')
})

it('takes of the household that has most where that has many networks of IPv6', () => {
  const one = made({ all: 100, perAddress: 50, perLoopback: 50, idle: { all: 4, perAddress: 50 } })
  enter(one, ['honest', '2001:db8:1:100::1'], ['other', '192.0.2.1'])
  for (let n = 0; n < 20; n++) enter(one, [`x${n}`, `2001:db8:2:${(0x300 + n).toString(16)}::1`])
  expect(one.evicted).toEqual(Array.from({ length: 18 }, (_, n) => `x${n}`))
})

it('has a limit of idle connections below the one in all', () => {
  const one = made({ all: 10, perAddress: 10, perLoopback: 10, idle: { all: 3, perAddress: 2 } })
  enter(one, ['a', '192.0.2.1'], ['b', '192.0.2.1'], ['c', '192.0.2.1'])
  expect(one.evicted).toEqual(['a'])
  one.places.idle('b', false)
  enter(one, ['d', '192.0.2.2'], ['e', '192.0.2.3'], ['f', '192.0.2.4'])
  expect(one.evicted).toEqual(['a', 'c'])
  expect([one.places.size, one.places.idleSize]).toEqual([4, 3])
})

it('asks for what a connection costs, and turns it away when nobody idle can give it', () => {
  const one = made({ all: 10, perAddress: 10, perLoopback: 10 }, 2)
  enter(one, ['a', '192.0.2.1'], ['b', '192.0.2.2'])
  one.places.idle('a', false)
  one.places.idle('b', false)
  expect(enter(one, ['c', '192.0.2.3'])).toEqual([false])
  one.places.idle('a', true)
  expect(enter(one, ['d', '192.0.2.4'])).toEqual([true])
  expect(one.evicted).toEqual(['a'])
  expect(one.refusals).toEqual(['full', 'idle'])
})

it('forgets addresses with their last connection', () => {
  const one = made({ all: 1, perAddress: 1, perLoopback: 1 })
  for (let number = 0; number < 1000; number += 1) {
    expect(one.places.enter('x', `198.51.100.${number % 250}`)).toBe(true)
    one.places.leave('x')
    one.places.leave('x')
  }
  expect([one.places.size, one.places.idleSize]).toEqual([0, 0])
})

it('counts a holder for the address that it turned out to be of, and leaves it where it was when that one is full', () => {
  const one = made({ all: 10, perAddress: 1, perLoopback: 1 })
  enter(one, ['a', '192.0.2.1'], ['b', '192.0.2.2'])
  one.places.idle('b', false)
  expect([
    one.places.move('a', '192.0.2.2'),
    one.places.move('a', '192.0.2.3'),
    one.places.move('nobody', '192.0.2.4'),
  ]).toEqual([false, true, false])
  expect(one.refusals).toEqual(['address'])
  expect(enter(one, ['c', '192.0.2.1'])).toEqual([true])
  expect(one.places.size).toBe(3)
  enter(one, ['d', '192.0.2.3'])
  expect(one.evicted).toEqual(['a'])
})

it('takes by share where all have something under way: of the household that has most the one that began last', () => {
  const one = made({ all: 40, perAddress: 100, perLoopback: 100 })
  const begin = (holder: string, address: string): boolean => {
    const has = one.places.enter(holder, address)
    if (has) one.places.idle(holder, false)
    return has
  }
  begin('encoder', '192.0.2.1')
  for (let n = 0; n < 16; n++) begin(`viewer ${n}`, `198.51.100.${n}`)
  begin('own', '127.0.0.1')
  // 22 IPv6 networks of one household.
  for (let n = 0; n < 22; n++) begin(`x${n}`, `2001:db8:2:${(0x300 + n).toString(16)}::1`)
  expect([one.places.size, one.places.idleSize]).toEqual([40, 0])
  expect(begin('newcomer 1', '192.0.2.2')).toBe(true)
  expect(one.evicted).toEqual(['x21'])
  // Whoever has most gets no more.
  expect(begin('x22', '2001:db8:2:3ff::1')).toBe(false)
  one.places.leave('x20')
  begin('newcomer 2', '192.0.2.3')
  one.places.idle('x18', true)
  one.places.idle('x18', false)
  begin('newcomer 3', '192.0.2.4')
  expect(one.evicted).toEqual(['x21', 'x18'])
  for (let n = 4; n <= 6; n++) expect(begin(`newcomer ${n}`, `192.0.2.${n + 1}`)).toBe(true)
  // Nobody has many now.
  expect(begin('newcomer 7', '192.0.2.9')).toBe(false)
  expect(one.evicted).toEqual(['x21', 'x18', 'x19', 'x17', 'x16'])
  expect(one.refusals.filter((why) => why === 'full')).toHaveLength(2)
})

it('counts whoever comes and goes a thousand times no more than once', () => {
  const one = made({ all: 20, perAddress: 100, perLoopback: 100 })
  for (let n = 0; n < 20; n++) enter(one, [`x${n}`, '192.0.2.2'])
  for (let m = 0; m < 20; m++) one.places.idle(`x${m}`, false)
  for (let n = 0; n < 1000; n++) {
    one.places.idle('x7', true)
    one.places.idle('x7', false)
  }
  for (const name of ['a', 'b', 'c', 'd', 'e']) enter(one, [name, `198.51.100.${name.charCodeAt(0)}`])
  // Idle newcomers are replaced first.
  expect(one.evicted).toEqual(['x7', 'a', 'b', 'c', 'd'])
})
