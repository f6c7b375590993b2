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
