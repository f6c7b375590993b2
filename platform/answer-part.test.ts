import { expect, it } from 'vitest'
import { createAnswerPart } from './answer-part.ts'

it('takes so many entries and no more', () => {
  const part = createAnswerPart<number>({ entries: 2, bytes: 1_000 })
  expect([part.add(1), part.add(2), part.add(3), part.list]).toEqual([true, true, false, [1, 2]])
})

it('takes entries up to so many bytes of JSON in UTF-8, and none that is beyond them', () => {
  const part = createAnswerPart<string>({ entries: 10, bytes: 10 })
  // With its quotes five bytes each.
  expect([part.add('abc'), part.add('é1'), part.add('')]).toEqual([true, true, false])
  expect(part.list).toEqual(['abc', 'é1'])
})

it('takes a first entry of any size, and no second one', () => {
  const part = createAnswerPart<string>({ entries: 10, bytes: 10 })
  expect([part.add('x'.repeat(100)), part.add('')]).toEqual([true, false])
  expect(part.list).toHaveLength(1)
})

it('takes nothing where no entry is wanted', () => {
  expect(createAnswerPart<number>({ entries: 0, bytes: 10 }).add(1)).toBe(false)
})
