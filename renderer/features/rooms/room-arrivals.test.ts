import { beforeEach, describe, expect, it } from 'vitest'
import { createRoomArrivals, type RoomArrivals } from './room-arrivals.ts'
import { lineOf, type RoomLine } from './room-log.ts'

let now: number
let due: { readonly at: number; readonly call: () => void } | undefined
let puts: string[]
let arrivals: RoomArrivals
const line = (msgid: number): RoomLine =>
  lineOf({
    t: 'roomMessage',
    roomid: 1,
    msgid: String(msgid),
    at: msgid,
    from: 'ana',
    fromNick: '',
    fromClientType: 'WEB',
    type: 0,
    attach: 'x',
  })
const pass = (ms: number): void => {
  now += ms
  if (due && due.at <= now) due.call()
}
beforeEach(() => {
  now = 1000
  due = undefined
  puts = []
  arrivals = createRoomArrivals({
    now: () => now,
    later(ms, call) {
      due = { at: now + ms, call }
      return () => (due = undefined)
    },
    put: (room, lines) => puts.push(`${room}: ${lines.map(({ msgid }) => msgid).join(' ')}`),
  })
})

describe('lines that come', () => {
  it('are shown at once in a quiet room, and together in a busy one', () => {
    arrivals.add('a', line(1))
    expect(puts).toEqual(['a: 1'])
    pass(10)
    for (const each of [2, 3]) arrivals.add('a', line(each))
    expect(puts).toHaveLength(1)
    pass(40)
    expect(puts.slice(1)).toEqual(['a: 2 3'])
    arrivals.add('a', line(5))
    arrivals.add('b', line(9))
    expect(puts.slice(2)).toEqual(['a: 5', 'b: 9'])
    pass(100)
    arrivals.add('a', line(4))
    expect(puts.at(-1)).toBe('a: 4')
  })

  it('are put in before what speaks of them, once', () => {
    for (const each of [1, 2, 3]) arrivals.add('a', line(each))
    arrivals.settle()
    arrivals.settle()
    pass(1000)
    expect(puts).toEqual(['a: 1', 'a: 2 3'])
  })

  it('are 500 at most that wait, and no clock keeps them', () => {
    for (let each = 0; each < 501; each++) arrivals.add('a', line(each))
    expect(puts).toHaveLength(2)
    arrivals.add('a', line(600))
    now -= 3_600_000
    arrivals.add('a', line(601))
    expect(puts.at(-1)).toBe('a: 600 601')
  })
})
