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
  return { line, look }
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
