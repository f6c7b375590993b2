import { expect, it } from 'vitest'
import { Measure } from '../../../contract/rpc/measures.ts'
import { slowSecondsOf } from './slow-mode.ts'

/** Whether the companion takes the measure. */
const isTaken = (seconds: number): boolean => Measure.safeParse({ kind: 'slowMode', seconds }).success

it('takes whole seconds up to an hour, and nothing else', () => {
  expect(['0', '1', ' 30 ', '0030', '3600'].map(slowSecondsOf)).toEqual([0, 1, 30, 30, 3600])
  const wrong = ['', ' ', 'abc', '99999', '3601', '-1', '1.5', '1e3', '0x10', '٣', '30 s']
  expect(wrong.map(slowSecondsOf)).toEqual(wrong.map(() => null))
})

it('has the bounds of the measure itself', () => {
  for (const seconds of [0, 3600]) expect([slowSecondsOf(String(seconds)), isTaken(seconds)]).toEqual([seconds, true])
  expect([slowSecondsOf('3601'), isTaken(3601)]).toEqual([null, false])
})
