import { describe, expect, it } from 'vitest'
import { actionOf, type TrimAction } from './trim-keys.ts'

const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, code: '' }
const free = { end: undefined, typing: false, pressing: false }
const press = (key: string, more: Partial<typeof none> = {}, where: Parameters<typeof actionOf>[1] = free) =>
  actionOf({ key, ...none, ...more }, where)

describe('a key of the clip editor', () => {
  it.each<[string, TrimAction['do']]>([
    ['i', 'in'],
    ['O', 'out'],
    ['j', 'back'],
    ['k', 'stop'],
    ['l', 'forward'],
    [' ', 'toggle'],
    ['Escape', 'leave'],
  ])('%s does %s', (key, what) => {
    expect(press(key)).toEqual({ do: what })
  })

  it('saves and undoes with Ctrl', () => {
    expect(press('s', { ctrlKey: true })).toEqual({ do: 'save' })
    expect(press('z', { ctrlKey: true })).toEqual({ do: 'undo' })
    expect(press('i', { ctrlKey: true })).toBeUndefined()
  })

  it('steps the position by a frame, a second with Shift, and to a marker with Alt', () => {
    const step = (by: string, direction: number, end = 'at') => ({ do: 'step', end, by, direction })
    expect(press(',', { code: 'Comma' })).toEqual(step('frame', -1))
    expect(press('>', { code: 'Period', shiftKey: true })).toEqual(step('second', 1))
    expect(press('.', { code: 'Period', altKey: true })).toEqual(step('marker', 1))
    // A layout on which they are elsewhere.
    expect(press(',', { code: 'KeyW' })).toEqual(step('frame', -1))
    const onHandle = { ...free, end: 'from' as const }
    expect(press('ArrowRight', { code: 'ArrowRight', shiftKey: true }, onHandle)).toEqual(step('second', 1, 'from'))
    expect(press(',', { code: 'Comma' }, onHandle)).toEqual(step('frame', -1, 'from'))
    expect(press('End', {}, onHandle)).toEqual({ do: 'edge', end: 'from', direction: 1 })
  })

  it('leaves arrows alone where no handle has the focus', () => {
    expect(press('ArrowRight', { code: 'ArrowRight' })).toBeUndefined()
  })

  it('goes into a text field, but for saving and leaving', () => {
    const typing = { ...free, typing: true }
    expect(press('i', {}, typing)).toBeUndefined()
    expect(press('.', { code: 'Period' }, typing)).toBeUndefined()
    expect(press('z', { ctrlKey: true }, typing)).toBeUndefined()
    expect(press('s', { ctrlKey: true }, typing)).toEqual({ do: 'save' })
    expect(press('Escape', {}, typing)).toEqual({ do: 'leave' })
  })

  it('presses the button that has the focus', () => {
    expect(press(' ', {}, { ...free, pressing: true })).toBeUndefined()
  })
})
