import { beforeEach, describe, expect, it } from 'vitest'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import { createRoomListeners, type ListeningSession, type RoomListeners } from './room-listeners.ts'

let time: ManualClock
let room: RoomListeners
let writes: Map<string, string[]>
let inside: Map<string, ListeningSession>
beforeEach(() => {
  time = manualClock()
  room = createRoomListeners(time)
  writes = new Map()
  inside = new Map()
})
const come = (session: string): void => {
  const got: string[] = []
  writes.set(session, got)
  inside.set(session, room.add(session, { write: (frame) => got.push(frame.toString()) }))
}
const leave = (session: string): void => inside.get(session)!.leave()
const tell = (text: string, without?: string): void => room.tell(Buffer.from(text), without)
const enter = (session: string): void => {
  come(session)
  room.tellSoon(Buffer.from(`+${session} `))
}

describe('the listeners of a room', () => {
  it('are told the first who comes at once, and those behind in one write, each only of whom came with or after it', () => {
    for (const session of ['a', 'b', 'c', 'd']) enter(session)
    expect([...writes.values()]).toEqual([['+a '], [], [], []])
    time.advance(100)
    expect([...writes.values()]).toEqual([['+a ', '+b +c +d '], ['+b +c +d '], ['+c +d '], ['+d ']])
    time.advance(100)
    enter('e')
    expect(writes.get('a')).toEqual(['+a ', '+b +c +d ', '+e '])
  })

  it('get a line behind those who came before it, in one write, and the one that says it does not', () => {
    for (const session of ['a', 'b', 'c']) enter(session)
    tell('hello', 'b')
    come('d')
    tell('again')
    expect(Object.fromEntries(writes)).toEqual({
      a: ['+a ', '+b +c hello', 'again'],
      b: ['+b +c ', 'again'],
      c: ['+c hello', 'again'],
      d: ['again'],
    })
    time.advance(1000)
    expect(writes.get('a')).toHaveLength(3)
  })

  it('get what waits when they leave, and nothing of later', () => {
    for (const session of ['a', 'b', 'c']) enter(session)
    leave('b')
    leave('b')
    tell('later')
    expect(Object.fromEntries(writes)).toEqual({ a: ['+a ', '+b +c later'], b: ['+b +c '], c: ['+c later'] })
    expect(room.size).toBe(2)
  })

  it('get each their own frame of two behind those who came before it', () => {
    for (const session of ['a', 'b', 'c']) enter(session)
    room.tellApart(Buffer.from('some'), Buffer.from('all'), new Set(['b']))
    expect(Object.fromEntries(writes)).toEqual({
      a: ['+a ', '+b +c ', 'some'],
      b: ['+b +c ', 'all'],
      c: ['+c ', 'some'],
    })
  })

  it('wait for no more than 64 KiB', () => {
    come('a')
    const long = Buffer.alloc(40_000, 'x')
    for (let each = 0; each < 3; each++) room.tellSoon(long)
    expect(writes.get('a')!.map(({ length }) => length)).toEqual([40_000, 80_000])
  })

  it('lose nobody and double nobody while a thousand come and go in any order', () => {
    const names = Array.from({ length: 1000 }, (_, index) => `s${index}`)
    for (const name of names) enter(name)
    for (const [index, name] of names.entries()) if (index % 3 === 0) leave(name)
    tell('!')
    const heard = names.filter((name) => writes.get(name)!.join('').endsWith('!'))
    expect(heard).toEqual(names.filter((_, index) => index % 3 !== 0))
    for (const [index, name] of names.entries())
      expect(
        writes
          .get(name)!
          .join('')
          .match(/\+s\d+ /g),
      ).toEqual(names.slice(index).map((one) => `+${one} `))
    expect(Math.max(...[...writes.values()].map(({ length }) => length))).toBeLessThan(5)
  })

  it('are told who comes 100 ms after the last ones that were told, not a ms before', () => {
    enter('a')
    enter('b')
    time.advance(99)
    expect(writes.get('a')).toEqual(['+a '])
    time.advance(1)
    expect(writes.get('a')).toEqual(['+a ', '+b '])
    enter('c')
    time.advance(99)
    expect(writes.get('a')).toHaveLength(2)
    time.advance(1)
    expect(writes.get('a')).toEqual(['+a ', '+b ', '+c '])
    expect(time.waiting()).toBe(1)
    time.advance(100)
    expect(time.waiting()).toBe(0)
  })

  it('wait with exactly 64 KiB, and no byte more', () => {
    come('a')
    const part = Buffer.alloc(32 * 1024, 'x')
    for (let each = 0; each < 3; each++) room.tellSoon(part)
    expect(writes.get('a')!.map(({ length }) => length)).toEqual([32 * 1024])
    room.tellSoon(Buffer.from('y'))
    expect(writes.get('a')!.map(({ length }) => length)).toEqual([32 * 1024, 64 * 1024 + 1])
  })
})
