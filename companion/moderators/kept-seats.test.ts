import { expect, it } from 'vitest'
import { failureOf } from '../testing/rig.ts'
import { createKeptSeats } from './kept-seats.ts'
import type { KeptSeat, SeatStore } from './seat-document.ts'

const seat = (id: string): KeptSeat => ({ id, name: id, state: 'active' }) as KeptSeat
function stage() {
  const on = { seats: [seat('a'), seat('b')], refuses: false, changes: 0, told: [] as string[] }
  type Update = Parameters<SeatStore['change']>[0]
  const apply = (update: Update): void => {
    on.seats = update({ seats: on.seats } as ReturnType<SeatStore['value']>).seats ?? on.seats
  }
  const kept = createKeptSeats(
    {
      value: () => ({ seats: on.seats }) as ReturnType<SeatStore['value']>,
      change: (update) => {
        if (on.refuses) return Promise.reject(new Error('full'))
        apply(update)
        on.told.push('changed')
        return Promise.resolve()
      },
      hold: (ids, update) => {
        apply(update)
        on.told.push(`held ${ids.join()}`)
        return Promise.resolve()
      },
    },
    () => {
      on.changes++
      on.told.push('told')
    },
  )
  return { on, kept }
}

it('finds a seat by its id, and fails for one that must be there and is not', async () => {
  const { kept } = stage()
  expect([kept.find('b'), kept.must('b'), kept.find('c'), kept.all().length]).toEqual([
    seat('b'),
    seat('b'),
    undefined,
    2,
  ])
  expect(await failureOf(Promise.resolve().then(() => kept.must('c')))).toMatchObject({ kind: 'absent' })
})

it('changes one seat, gives it as it is then, and tells that once it is written', async () => {
  const { on, kept } = stage()
  expect(await kept.change('b', { name: 'new' })).toEqual({ ...seat('b'), name: 'new' })
  expect([on.seats, on.told]).toEqual([
    [seat('a'), { ...seat('b'), name: 'new' }],
    ['changed', 'told'],
  ])
})

it('writes nothing of a seat that is not there', async () => {
  const { on, kept } = stage()
  expect(await failureOf(kept.change('c', { name: 'new' }))).toMatchObject({ kind: 'absent' })
  expect(on.told).toEqual([])
})

it('tells also of a change that could not be written, which fails', async () => {
  const { on, kept } = stage()
  on.refuses = true
  await expect(kept.save(() => [])).rejects.toThrow('full')
  expect([on.seats.length, on.changes]).toEqual([2, 1])
})

it('tells that access is taken away at once, and again when that is written', async () => {
  const { on, kept } = stage()
  const held = kept.hold(['a'], (seats) => seats.filter(({ id }) => id !== 'a'))
  expect(on.told).toEqual(['held a', 'told'])
  await held
  expect([on.seats, on.told]).toEqual([[seat('b')], ['held a', 'told', 'told']])
})
