import { expect, it } from 'vitest'
import { createSlowLine } from './slow-line.ts'

/** A line, with what was told of it. */
function rig() {
  let told = 0
  const line = createSlowLine(() => (told += 1))
  const look = (age: number | undefined, times: number): readonly [boolean, number] => {
    for (let time = 0; time < times; time++) line.look(age)
    return [line.isSlow(), told]
  }
  return { line, look, told: () => told }
}

it('is too slow once its picture was more than 8 s older than it has to be six times in a row', () => {
  const { look } = rig()
  expect(look(8, 20)).toEqual([false, 0])
  expect(look(8.1, 5)).toEqual([false, 0])
  expect(look(undefined, 1)).toEqual([false, 0])
  expect(look(8.1, 5)).toEqual([false, 0])
  expect(look(25, 1)).toEqual([true, 1])
})

it('is so until low delay shows a picture of now, and is told again when it turns out so again', () => {
  const { look } = rig()
  look(9, 6)
  expect(look(4, 3)).toEqual([true, 1])
  expect(look(3.9, 1)).toEqual([false, 1])
  expect(look(9, 6)).toEqual([true, 2])
})

it('is not of the next show', () => {
  const { line, look } = rig()
  look(9, 6)
  look(9, 5)
  line.forget()
  expect(look(9, 5)).toEqual([false, 1])
})

it('is too slow after 8 s in which the picture grew older all the time, and older than low delay promises', () => {
  const { line, told } = rig()
  // 1.3 Mbit/s on a line of 0.6: it stands for more than half of the time.
  for (const age of [1.8, 2.7, 2.7, 3.5, 4.4, 4.5, 4.5, 5.6]) line.look(age)
  expect([line.isSlow(), told()]).toEqual([false, 0])
  line.look(6.6)
  expect([line.isSlow(), told()]).toEqual([true, 1])
})

it.each([
  ['one break, after which what was held up comes', [1, 1, 2, 3, 4, 5, 6, 1.2, 1, 1, 1, 1, 1, 1, 1, 1]],
  ['one break, after which it stays behind', [1, 2, 3, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5]],
  ['two short breaks', [1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3]],
  ['a hold between', [2, 2.5, 3, 3.5, 4, undefined, 4.5, 5, 5.5, 6, 6.5]],
] as const)('is not too slow for %s', (_what, ages) => {
  const { line, told } = rig()
  for (const age of ages) line.look(age)
  expect([line.isSlow(), told()]).toEqual([false, 0])
})

it.each([
  ['for 5 s', [1, 1, 1, 1, 1], 5],
  ['for 18 s, of which the service tells nothing', [1, 1, 1, 1, 1], 18],
  ['while it was slow', [1.8, 2.2, 2.4], 7],
] as const)('a line on which nothing comes %s is lost, and not too slow', (_what, before, seconds) => {
  const { line, told } = rig()
  for (const age of before) line.look(age, true)
  for (let second = 1; second <= seconds; second++) line.look(before.at(-1)! + second, false)
  expect([line.isSlow(), told()]).toEqual([false, 0])
  // What was held up comes, and the player catches up.
  line.look(before.at(-1)! + seconds, true)
  line.look(1, true)
  expect([line.isSlow(), told()]).toEqual([false, 0])
})

it('is too slow by what it brings, with seconds in which it brings nothing between', () => {
  const { line, told } = rig()
  for (const age of [3, 3.4, 3.8, 4.2, 4.6, 5, 5.4, 5.8]) line.look(age, true)
  line.look(6.8, false)
  line.look(7.8, false)
  expect([line.isSlow(), told()]).toEqual([false, 0])
  line.look(8.2, true)
  expect([line.isSlow(), told()]).toEqual([true, 1])
})
