import { expect, it } from 'vitest'
import type { Channel, Tally } from '../../contract/rpc/state.ts'
import { firstChannel, lampOf, onAir, tallyOf } from './tally.ts'

const channel = (cid: string, change: Partial<Channel> = {}): Channel => ({
  cid,
  name: cid,
  status: 0,
  created: 1,
  needRecord: false,
  format: 'mp4',
  duration: 120,
  filename: '',
  ...change,
})
const tally = (cid: string, status: number, since: number | null = null): readonly [string, Tally] => [
  cid,
  { cid, status, since, viewers: 0, keyExpires: null },
]

it.each([
  [0, false, 'idle', false],
  [0, true, 'armed', false],
  [1, false, 'live', true],
  [1, true, 'live', true],
  [2, true, 'disabled', false],
  [3, false, 'recording', true],
] as const)('shows status %i with recording %s as %s, on air: %s', (status, needRecord, state, air) => {
  expect(lampOf(status, needRecord)).toBe(state)
  expect(onAir(lampOf(status, needRecord))).toBe(air)
})

it('takes the last event of a channel, otherwise what the list says', () => {
  const told = new Map([tally('a', 1, 5)])
  expect(tallyOf(channel('a'), told)).toBe(told.get('a'))
  const listed = { cid: 'b', status: 3, since: null, viewers: null, keyExpires: null }
  expect(tallyOf(channel('b', { status: 3 }), told)).toEqual(listed)
  expect(tallyOf(channel('b', { status: 3 }), undefined)).toEqual(listed)
})

it('begins with the channel that was opened last, else with the one that is longest on air, else with none', () => {
  const list = ['a', 'b', 'c', 'd'].map((cid) => channel(cid))
  const told = new Map([tally('a', 2, 1), tally('b', 1, 9), tally('c', 3, 5), tally('d', 1)])
  expect(firstChannel(list, told, 'a')?.cid).toBe('a')
  expect(firstChannel(list, told, null)?.cid).toBe('c')
  expect(firstChannel(list, told, 'gone')?.cid).toBe('c')
  expect(firstChannel([list[0]!, list[3]!, list[1]!], told, null)?.cid).toBe('b')
  expect(firstChannel([list[0]!], told, null)).toBeUndefined()
})
