import { expect, it } from 'vitest'
import { pictureKey, readLayout, writeLayout } from './layout.ts'

function stage(kept: Record<string, string> = {}) {
  const memory = new Map(Object.entries(kept))
  return {
    kept: () => Object.fromEntries(memory),
    memory: {
      read: (key: string) => memory.get(key) ?? null,
      write: (key: string, value: string) => void memory.set(key, value),
    },
  }
}

it('hides the picture of a room until it was shown', () => {
  expect(readLayout(stage().memory)).toEqual({ roomPicture: 'hidden' })
  expect(readLayout(stage({ [pictureKey]: 'other' }).memory)).toEqual({ roomPicture: 'hidden' })
  expect(readLayout(stage({ [pictureKey]: 'shown' }).memory)).toEqual({ roomPicture: 'shown' })
})

it('writes a layout that is read as it was, and keeps what it does not have', () => {
  const { memory, kept } = stage()
  writeLayout(memory, { roomPicture: 'shown' })
  expect(readLayout(memory)).toEqual({ roomPicture: 'shown' })
  writeLayout(memory, {})
  expect(readLayout(memory)).toEqual({ roomPicture: 'shown' })
  writeLayout(memory, { roomPicture: 'hidden' })
  expect(kept()).toEqual({ [pictureKey]: '' })
})
