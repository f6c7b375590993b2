import { beforeEach, expect, it } from 'vitest'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import { createLines, type Lines } from './lines.ts'

let time: ManualClock
let lines: Lines
beforeEach(() => {
  time = manualClock()
  lines = createLines({ clock: time, patience: 60_000 })
})

const targets = (): string[] => [...lines.targets()]
/** Lines that may run, all of one target. */
const takeAll = (target = 'a'): string[] => lines.take(target, 100)

it('gives the lines of a target in the order in which they were touched, as many as there is room for', () => {
  for (const name of ['1', '2', '3']) lines.touched(name, 'a')
  lines.touched('4', 'b')
  expect(targets()).toEqual(['a', 'b'])
  expect(lines.take('a', 0)).toEqual([])
  expect(lines.take('a', 2)).toEqual(['1', '2'])
  expect(targets()).toEqual(['a', 'b'])
  expect(lines.take('a', 2)).toEqual(['3'])
  expect(targets()).toEqual(['b'])
  expect(lines.take('nowhere', 2)).toEqual([])
})

it('gives a line that was touched twice once', () => {
  lines.touched('1', 'a')
  lines.touched('1', 'a')
  expect(takeAll()).toEqual(['1'])
  expect(targets()).toEqual([])
})

it('gives no line that runs, until its run has ended and left more, or a message was added meanwhile', () => {
  lines.touched('1', 'a')
  takeAll()
  lines.touched('1', 'a')
  expect(targets()).toEqual([])
  lines.ran('1', 'nothing', 'a')
  expect(takeAll()).toEqual(['1'])
  lines.ran('1', 'more', 'a')
  expect(takeAll()).toEqual(['1'])
  lines.ran('1', 'nothing', 'a')
  expect(targets()).toEqual([])
  // It is forgotten: the next message makes it anew.
  lines.touched('1', 'a')
  expect(takeAll()).toEqual(['1'])
})

it('puts a line that left more behind those that wait', () => {
  for (const name of ['1', '2', '3']) lines.touched(name, 'a')
  lines.take('a', 1)
  lines.ran('1', 'more', 'a')
  expect(takeAll()).toEqual(['2', '3', '1'])
})

it('gives a line under the target that its run ended with', () => {
  lines.touched('1', 'a')
  takeAll()
  lines.ran('1', 'more', 'b')
  expect(targets()).toEqual(['b'])
  expect(takeAll('b')).toEqual(['1'])
})

it('gives no blocked line, whatever is added to it, until its patience is over', () => {
  lines.touched('1', 'a')
  takeAll()
  lines.block('1', 'n1', 'a')
  lines.touched('1', 'a')
  expect(lines.nextRelease()).toBe(time.now() + 60_000)
  time.advance(59_999)
  lines.release()
  expect(targets()).toEqual([])
  time.advance(1)
  lines.release()
  expect(takeAll()).toEqual(['1'])
  expect(lines.nextRelease()).toBeUndefined()
})

it('blocks a line that was not known, and one that was ready', () => {
  lines.block('1', 'n1', 'a')
  lines.touched('2', 'a')
  lines.block('2', 'n2', 'b')
  expect(takeAll()).toEqual([])
  time.advance(60_000)
  lines.release()
  expect([takeAll(), takeAll('b')]).toEqual([['1'], ['2']])
})

it('goes on with a blocked line when the message that blocks it is delivered, and with no other message', () => {
  lines.touched('1', 'a')
  takeAll()
  lines.block('1', 'n1', 'b')
  expect(lines.delivered('1', 'n0')).toBeUndefined()
  expect(lines.delivered('2', 'n1')).toBeUndefined()
  expect(targets()).toEqual([])
  expect(lines.delivered('1', 'n1')).toBe('b')
  expect(takeAll('b')).toEqual(['1'])
  // It is not blocked any more.
  expect(lines.delivered('1', 'n1')).toBeUndefined()
  expect(lines.nextRelease()).toBeUndefined()
})

it('releases those whose patience is over, and names the end of the next one', () => {
  lines.block('1', 'n1', 'a')
  time.advance(10_000)
  lines.block('2', 'n2', 'a')
  time.advance(50_000)
  lines.release()
  expect(takeAll()).toEqual(['1'])
  expect(lines.nextRelease()).toBe(time.now() + 10_000)
})

it('releases the lines of one application at once', () => {
  lines.block('1:x', 'n1', 'a')
  lines.block('2:x', 'n2', 'a')
  lines.block('1:y', 'n3', 'a')
  lines.release('1:')
  expect(takeAll()).toEqual(['1:x', '1:y'])
  expect(lines.nextRelease()).toBe(time.now() + 60_000)
})
