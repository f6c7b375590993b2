import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, expect, it } from 'vitest'
import { SharedTurn } from './shared-turn.ts'

let now: number
let turn: SharedTurn
beforeEach(() => {
  now = 1000
  turn = new SharedTurn({ monotonic: () => now })
})
/** Work of so many ms. */
const work = (ms: number): void => turn.work(() => (now += ms))

it('a turn is spent after 8 ms of work, in one part or in several', () => {
  work(7)
  expect(turn.isSpent).toBe(false)
  work(1)
  expect(turn.isSpent).toBe(true)
})

it('time between parts of the work does not count, and a pause of more than 1 ms begins another turn', () => {
  work(7)
  now += 1
  work(0.5)
  expect(turn.isSpent).toBe(false)
  work(0.5)
  expect(turn.isSpent).toBe(true)
  turn = new SharedTurn({ monotonic: () => now })
  work(7)
  now += 1.5
  work(7)
  expect(turn.isSpent).toBe(false)
  work(1)
  expect(turn.isSpent).toBe(true)
})

it('a turn that is spent stays so through a pause, until the event loop turns', async () => {
  work(8)
  now += 50
  work(0)
  expect(turn.isSpent).toBe(true)
  await nextTurn()
  expect(turn.isSpent).toBe(false)
})

it('work that fails counts with its time, and the failure is passed on', async () => {
  expect(() =>
    turn.work(() => {
      now += 8
      throw new Error('failed')
    }),
  ).toThrow('failed')
  expect(turn.isSpent).toBe(true)
  await nextTurn()
  expect(turn.isSpent).toBe(false)
})

it('what is to run later runs in another turn, in order, and what it adds in the one after', async () => {
  const ran: string[] = []
  turn.later(() => {
    ran.push('first')
    turn.later(() => ran.push('added'))
  })
  turn.later(() => ran.push('second'))
  expect(ran).toEqual([])
  await nextTurn()
  expect(ran).toEqual(['first', 'second'])
  await nextTurn()
  expect(ran).toEqual(['first', 'second', 'added'])
})

it('what waits runs only while the turn has time left, and the rest in the turns that follow', async () => {
  const ran: number[] = []
  for (const number of [1, 2, 3, 4, 5])
    turn.later(() =>
      turn.work(() => {
        ran.push(number)
        now += 4
      }),
    )
  await nextTurn()
  expect(ran).toEqual([1, 2])
  await nextTurn()
  expect(ran).toEqual([1, 2, 3, 4])
  await nextTurn()
  expect(ran).toEqual([1, 2, 3, 4, 5])
})
