import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { eventually } from '../testing/eventually.ts'
import { createAcks } from './acks.ts'

/** Acks over a stream in memory, which fails as often as `failing` says. */
function made() {
  const clock = manualClock()
  const stored: string[] = []
  const warnings: string[] = []
  const state = { failing: 0 }
  const acks = createAcks(
    {
      received: (uid, accid, device, upTo) => {
        if (state.failing-- > 0) return Promise.reject(new Error('disk full'))
        stored.push(`${uid} ${accid} ${device} ${upTo}`)
        return Promise.resolve()
      },
    },
    clock,
    { warn: (_about: unknown, words?: string) => void warnings.push(words ?? '') },
  )
  return { acks, clock, stored, warnings, state }
}

it('what devices have received is stored once in 10 s, up to the furthest of each device', async () => {
  const { acks, clock, stored } = made()
  acks.note(1, 'ann', 'phone', 5)
  acks.note(1, 'ann', 'phone', 3)
  acks.note(1, 'ann', 'desk', 4)
  clock.advance(9_999)
  expect(stored).toEqual([])
  clock.advance(1)
  await eventually(() => expect(stored).toEqual(['1 ann phone 5', '1 ann desk 4']))
  clock.advance(60_000)
  acks.note(1, 'ann', 'phone', 6)
  clock.advance(10_000)
  await eventually(() => expect(stored.slice(2)).toEqual(['1 ann phone 6']))
})

it('what an account has received is stored before its next log-in goes on', async () => {
  const { acks, stored } = made()
  acks.note(1, 'ann', 'phone', 5)
  acks.note(1, 'bob', 'phone', 9)
  await acks.settle(1, 'ann')
  expect(stored).toEqual(['1 ann phone 5'])
})

it('what could not be stored is stored with the next, unless more was received meanwhile', async () => {
  const { acks, clock, stored, warnings, state } = made()
  acks.note(1, 'ann', 'phone', 5)
  state.failing = 1
  clock.advance(10_000)
  await eventually(() => expect(warnings).toHaveLength(1))
  expect(stored).toEqual([])
  clock.advance(10_000)
  await eventually(() => expect(stored).toEqual(['1 ann phone 5']))
})

it('everything is stored at the end of the service', async () => {
  const { acks, clock, stored } = made()
  acks.note(1, 'ann', 'phone', 5)
  acks.note(2, 'bob', 'desk', 6)
  await acks.close()
  expect(stored).toEqual(['1 ann phone 5', '2 bob desk 6'])
  expect(clock.waiting()).toBe(0)
})

it('what cannot be stored at the end of the service is not tried again', async () => {
  const { acks, clock, stored, warnings, state } = made()
  acks.note(1, 'ann', 'phone', 5)
  state.failing = 1
  await acks.close()
  expect([stored, warnings, clock.waiting()]).toEqual([
    [],
    ['acknowledgements could not be stored and are tried again'],
    0,
  ])
})

it('nothing is due while nothing was received, also after all was stored', async () => {
  const { acks, clock, stored } = made()
  expect(clock.waiting()).toBe(0)
  acks.note(1, 'ann', 'phone', 5)
  acks.note(1, 'bob', 'phone', 5)
  expect(clock.waiting()).toBe(1)
  clock.advance(10_000)
  await eventually(() => expect(stored).toHaveLength(2))
  expect(clock.waiting()).toBe(0)
  await acks.settle(1, 'ann')
  await acks.settle(1, 'nobody')
  expect(stored).toHaveLength(2)
})

it('what was received while the same device could not be stored is stored in its place', async () => {
  const { acks, clock, stored, warnings, state } = made()
  acks.note(1, 'ann', 'phone', 5)
  state.failing = 1
  const settled = acks.settle(1, 'ann')
  acks.note(1, 'ann', 'phone', 9)
  await settled
  expect(warnings).toHaveLength(1)
  clock.advance(10_000)
  await eventually(() => expect(stored).toEqual(['1 ann phone 9']))
})

it('accounts of the same name in two applications are stored apart', async () => {
  const { acks, stored } = made()
  acks.note(1, 'ann', 'phone', 5)
  acks.note(2, 'ann', 'phone', 6)
  await acks.settle(2, 'ann')
  expect(stored).toEqual(['2 ann phone 6'])
})
