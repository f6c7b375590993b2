import { expect, it } from 'vitest'
import { enteredLength, lengthOf, restOf, type SpanPart } from '../../format/spans.ts'
import { enteredOf, readPresets, usualPresets } from './room-presets.ts'

const said = (parts: readonly SpanPart[]): string => parts.map(({ n, unit }) => `${n} ${unit}`).join(' ')

it('enters lengths in their largest whole unit, a single day as 24 hours', () => {
  expect(
    [60, 90, 600, 3_600, 5_400, 86_400, 129_600, 604_800, 2_592_000].map((one) => said([enteredLength(one)])),
  ).toEqual([
    '1 minutes',
    '90 seconds',
    '10 minutes',
    '1 hours',
    '90 minutes',
    '24 hours',
    '36 hours',
    '7 days',
    '30 days',
  ])
})

it('reads a length whole, and in the same form as what is left of it', () => {
  expect([60, 90, 3_605, 5_400, 86_400, 129_600, 604_800, 90_061].map((one) => said(lengthOf(one)))).toEqual([
    '1 minutes',
    '1 minutes 30 seconds',
    '1 hours 5 seconds',
    '1 hours 30 minutes',
    '24 hours',
    '36 hours',
    '7 days',
    '25 hours 1 minutes 1 seconds',
  ])
  for (const one of [60, 90, 5_400, 86_400, 129_600, 172_800, 604_800])
    expect(said(restOf(one))).toBe(said(lengthOf(one)))
})

it('shows what is left in two units and never less than nothing', () => {
  expect([75, 80_000, 59.2, 3_600, 3_605, 90_061, 180_000, 0, -5].map((one) => said(restOf(one)))).toEqual([
    '1 minutes 15 seconds',
    '22 hours 13 minutes',
    '1 minutes',
    '1 hours',
    '1 hours',
    '25 hours 1 minutes',
    '2 days 2 hours',
    '0 seconds',
    '0 seconds',
  ])
})

it('reads presets as they are shown, and says what is wrong with each', () => {
  expect(readPresets(usualPresets.map(enteredOf))).toEqual({
    seconds: usualPresets,
    faults: usualPresets.map(() => null),
  })
  const entered = [
    { amount: '30', unit: 'days' },
    { amount: '31', unit: 'days' },
    { amount: '', unit: 'minutes' },
    { amount: '0', unit: 'minutes' },
    { amount: '1.5', unit: 'hours' },
    { amount: '720', unit: 'hours' },
    { amount: '9', unit: 'lifted' },
    { amount: '', unit: 'lifted' },
    { amount: '2592001', unit: 'seconds' },
  ] as const
  expect(readPresets(entered).faults).toEqual([
    null,
    'most',
    'number',
    'number',
    'number',
    'twice',
    null,
    'twice',
    'most',
  ])
})
