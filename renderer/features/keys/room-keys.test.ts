import { describe, expect, it } from 'vitest'
import { chordOf, commandOf, decisionOf, positionOf, type KeyPress, type RoomBindings } from './room-keys.ts'

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  repeat: false,
  isComposing: false,
  ...more,
})

describe('the chord of a key', () => {
  it.each<[string, KeyPress, string]>([
    ['a letter in small, with Shift too', press('K', { shiftKey: true }), 'k'],
    ['a character as it is written', press('?', { shiftKey: true }), '?'],
    ['a named key with Shift', press('F9', { shiftKey: true }), 'Shift+F9'],
    ['a letter with Control and Shift', press('P', { ctrlKey: true, shiftKey: true }), 'Ctrl+Shift+p'],
    ['the command key of a Mac as Control', press('k', { metaKey: true }), 'Ctrl+k'],
    ['a letter with Alt and Shift', press('K', { altKey: true, shiftKey: true }), 'Alt+Shift+k'],
    [
      'all that is held, in one order',
      press('F2', { ctrlKey: true, altKey: true, shiftKey: true }),
      'Ctrl+Alt+Shift+F2',
    ],
  ])('is %s', (_case, event, chord) => {
    expect(chordOf(event)).toBe(chord)
  })
})

describe('the place of a key', () => {
  it.each<[string, KeyPress, string | null]>([
    ['of a digit that writes something else', press('&', { code: 'Digit1' }), '1'],
    ['of no digit with Shift', press('1', { code: 'Digit1', shiftKey: true }), null],
    ['of a letter in another script', press('ь', { code: 'KeyM' }), 'm'],
    ['of no letter that writes a character of its own', press('a', { code: 'KeyQ' }), null],
    ['of no other key', press('ArrowUp', { code: 'ArrowUp' }), null],
    ['of no key without one', press('ь'), null],
  ])('is told %s', (_case, event, place) => {
    expect(positionOf(event)).toBe(place)
  })
})

describe('the decision on a held line', () => {
  it.each<[string, KeyPress, boolean | undefined]>([
    ['A releases it', press('a'), true],
    ['A with Shift releases it', press('A', { shiftKey: true }), true],
    ['D drops it', press('d'), false],
    ['the place of D in another script drops it', press('в', { code: 'KeyD' }), false],
    ['another key decides nothing', press('s'), undefined],
    ['A with Control decides nothing', press('a', { ctrlKey: true }), undefined],
    ['A while an input method composes decides nothing', press('a', { isComposing: true }), undefined],
  ])('by its key: %s', (_case, event, decision) => {
    expect(decisionOf(event)).toBe(decision)
  })
})

describe('the command of a key', () => {
  const bindings: RoomBindings = new Map([
    ['j', { do: 'down' }],
    ['k', { do: 'up' }],
    ['m', { do: 'mute' }],
    ['F2', { do: 'panic', on: true }],
    ['x', { do: 'popOut' }],
    ['Home', { do: 'first' }],
  ])

  it('is repeated while the key is held only where it moves', () => {
    const held = (key: string) => commandOf(press(key, { repeat: true }), false, bindings)?.do ?? null
    expect(['j', 'k', 'm', 'F2', 'Home'].map(held)).toEqual(['down', 'up', null, null, null])
  })

  it('is none of a character in a field, whatever it stands for', () => {
    const typed = (key: string) => commandOf(press(key), true, bindings)?.do ?? null
    expect(['x', 'm', 'Home', 'F2'].map(typed)).toEqual([null, null, null, 'panic'])
  })

  it('is none of a key without one, and of none while an input method composes', () => {
    expect(commandOf(press('z'), false, bindings)).toBeNull()
    expect(commandOf(press('m', { isComposing: true }), false, bindings)).toBeNull()
    expect(commandOf(press('ь', { code: 'KeyM' }), false, bindings)).toEqual({ do: 'mute' })
  })
})
