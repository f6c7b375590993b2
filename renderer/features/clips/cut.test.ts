import { describe, expect, it } from 'vitest'
import { nextTick, ref } from 'vue'
import { useCut } from './cut.ts'
import type { Reel } from './reel.ts'

const made = () => useCut(ref<Reel>({ parts: [], length: 100 }))

describe('the ends of a cut', () => {
  it('are those of the recording at first, also of one that comes later', async () => {
    const reel = ref<Reel>({ parts: [], length: 0 })
    const { cut, isChanged } = useCut(reel)
    reel.value = { parts: [], length: 50 }
    await nextTick()
    expect(cut.value).toEqual({ from: 0, to: 50 })
    expect(isChanged.value).toBe(false)
  })

  it('swap when one passes the other, and stay within the recording', () => {
    const { cut, move } = made()
    expect(move('from', 60)).toBe('from')
    expect(move('to', 20)).toBe('from')
    expect(cut.value).toEqual({ from: 20, to: 60 })
    expect(move('from', 200)).toBe('to')
    expect(cut.value).toEqual({ from: 60, to: 100 })
  })

  it('go back change by change', () => {
    const { cut, put, undo, canUndo } = made()
    put(10, 90)
    put(10, 90)
    put(20, 90)
    undo()
    expect(cut.value).toEqual({ from: 10, to: 90 })
    undo()
    expect(cut.value).toEqual({ from: 0, to: 100 })
    expect(canUndo.value).toBe(false)
  })

  it('go back to where a drag began, and one that moved nothing is no change', () => {
    const { cut, move, hold, release, undo, canUndo } = made()
    hold()
    release()
    expect(canUndo.value).toBe(false)
    hold()
    for (const at of [5, 10, 15]) move('from', at)
    release()
    expect(cut.value.from).toBe(15)
    undo()
    expect(cut.value.from).toBe(0)
  })
})
