import { expect, it } from 'vitest'
import { fitted, KeptBounds } from './screen-bounds.ts'

const least = { width: 400, height: 300 }
const left = { x: 0, y: 0, width: 1_000, height: 800 }
const right = { x: 1_000, y: 100, width: 1_000, height: 800 }

it('leaves a window where it is that lies within a display', () => {
  const wanted = { x: 100, y: 50, width: 500, height: 400 }
  expect(fitted(wanted, [left, right], least)).toEqual(wanted)
})

it('moves a window into the display that has most of it, the first one where none has any', () => {
  expect(fitted({ x: 900, y: 0, width: 500, height: 400 }, [left, right], least)).toEqual({
    x: 1_000,
    y: 100,
    width: 500,
    height: 400,
  })
  expect(fitted({ x: 700, y: 600, width: 500, height: 400 }, [left, right], least)).toEqual({
    x: 500,
    y: 400,
    width: 500,
    height: 400,
  })
  expect(fitted({ x: 5_000, y: -900, width: 500, height: 400 }, [left, right], least)).toEqual({
    x: 500,
    y: 0,
    width: 500,
    height: 400,
  })
})

it('makes a window no larger than its display, and no smaller than can be used', () => {
  expect(fitted({ x: -50, y: -50, width: 3_000, height: 100 }, [left], least)).toEqual({
    x: 0,
    y: 0,
    width: 1_000,
    height: 300,
  })
})

it.each([
  [{ x: -100_000, y: 100_000, width: 1, height: 32_768 }, true],
  [{ x: -100_001, y: 0, width: 1, height: 1 }, false],
  [{ x: 0, y: 100_001, width: 1, height: 1 }, false],
  [{ x: 0, y: 0, width: 0, height: 1 }, false],
  [{ x: 0, y: 0, width: 1, height: 32_769 }, false],
  [{ x: 0.5, y: 0, width: 1, height: 1 }, false],
  [{ x: 0, y: 0, width: 1 }, false],
])('keeps bounds %j: %s', (bounds, keeps) => {
  expect(KeptBounds.safeParse(bounds).success).toBe(keeps)
})
