import { describe, expect, it } from 'vitest'
import {
  bindingsOf,
  capOf,
  chordFor,
  commandNames,
  hinders,
  keptOf,
  keysOf,
  usualKeys,
  type CommandName,
  type RoomKeys,
} from './room-commands.ts'
import { commandOf } from './room-keys.ts'

const press = (key: string, more: object = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  repeat: false,
  isComposing: false,
  ...more,
})
const usual = bindingsOf(usualKeys)
const command = (key: string, more: object = {}, typing = false) => commandOf(press(key, more), typing, usual)
const ctrlShift = { ctrlKey: true, shiftKey: true }

describe('the usual keys', () => {
  it('are those of the moderator, and only what writes nothing counts while typing', () => {
    expect(command('D')).toEqual({ do: 'remove' })
    expect(command('6')).toEqual({ do: 'preset', preset: 5 })
    expect(command('7')).toBeNull()
    expect(command('?', { shiftKey: true })).toEqual({ do: 'help' })
    expect(command('d', {}, true)).toBeNull()
    expect(command('ArrowUp', {}, true)).toBeNull()
    expect(command('F9', {}, true)).toEqual({ do: 'panic', on: true })
    expect(command('F9', { shiftKey: true }, true)).toEqual({ do: 'panic', on: false })
    expect(command('P', ctrlShift, true)).toEqual({ do: 'popOut' })
  })

  it('are no other keys with them held, no held-down keys but those that move, and nothing while an input method composes', () => {
    expect(command('k', { ctrlKey: true })).toBeNull()
    expect(command('k', { altKey: true })).toBeNull()
    expect(command('d', { repeat: true })).toBeNull()
    expect(command('F9', { repeat: true })).toBeNull()
    expect(command('j', { repeat: true })).toEqual({ do: 'down' })
    expect(command('m', { isComposing: true })).toBeNull()
    expect(command('constructor')).toBeNull()
  })

  it('are found on keyboards of other layouts: by the character, and by the place where that says nothing', () => {
    // Where Q stands on a French keyboard there is A.
    expect(command('a', { code: 'KeyQ' })).toEqual({ do: 'announcement' })
    expect(command('&', { code: 'Digit1' })).toEqual({ do: 'preset', preset: 0 })
    expect(command('1', { code: 'Digit1', shiftKey: true })).toEqual({ do: 'preset', preset: 0 })
    expect(command('/', { code: 'Digit7', shiftKey: true })).toEqual({ do: 'search' })
    expect(command('!', { code: 'Digit1', shiftKey: true })).toBeNull()
    expect(command('ь', { code: 'KeyM' })).toEqual({ do: 'mute' })
    expect(command('З', { code: 'KeyP', ...ctrlShift })).toEqual({ do: 'popOut' })
    expect(command('Process', { code: 'KeyM' })).toEqual({ do: 'mute' })
    expect(command('й', { code: 'KeyQ' }, true)).toBeNull()
  })

  it('are each of one command only', () => {
    const chords = Object.values(usualKeys).flat()
    expect(new Set(chords).size).toBe(chords.length)
    expect(keysOf(Object.fromEntries(Object.entries(usualKeys).map(([name, keys]) => [name, [...keys]])))).toEqual(
      usualKeys,
    )
  })
})

describe('giving a key to a command', () => {
  const ask = (name: CommandName, key: string, more: object = {}, keys: RoomKeys = usualKeys) =>
    chordFor(name, 0, press(key, more), keys)
  it('takes free keys, and waits while only a modifier is held', () => {
    expect(ask('mute', 'B')).toEqual({ chord: 'b' })
    expect(ask('mute', 'm')).toEqual({ chord: 'm' })
    expect(ask('mute', 'Delete')).toEqual({ chord: 'Delete' })
    expect(ask('mute', 'ArrowUp', { shiftKey: true })).toEqual({ chord: 'Shift+ArrowUp' })
    expect(ask('mute', 'ы', { code: 'KeyS' })).toEqual({ chord: 's' })
    expect(ask('panic', 'F2')).toEqual({ chord: 'F2' })
    expect(ask('lift', 'S', ctrlShift)).toEqual({ chord: 'Ctrl+Shift+s' })
    for (const key of ['Shift', 'Control', 'Alt', 'Meta']) expect(ask('mute', key)).toBeNull()
  })

  it('says who has it already, also by its place on this keyboard', () => {
    expect(ask('mute', 'd')).toEqual({ why: 'taken', other: 'remove' })
    expect(ask('panic', 'P', ctrlShift)).toEqual({ why: 'taken', other: 'popOut' })
    expect(ask('mute', '&', { code: 'Digit1' })).toEqual({ why: 'taken', other: 'preset1' })
    expect(ask('up', 'k')).toEqual({ why: 'taken', other: 'up' })
    expect(chordFor('up', 1, press('k'), usualKeys)).toEqual({ chord: 'k' })
    expect(ask('mute', '!', { code: 'Digit1', shiftKey: true })).toEqual({ chord: '!' })
  })

  it('refuses what belongs to the controls, the browser or the system, and what writes for what counts while typing', () => {
    for (const key of ['Tab', 'Enter', ' ', 'Escape']) expect(ask('mute', key), key).toEqual({ why: 'controls' })
    expect(ask('mute', 'Tab', { shiftKey: true })).toEqual({ why: 'controls' })
    for (const key of ['F1', 'F4', 'F5', 'F8', 'F10', 'F11', 'F12', 'PrintScreen', 'AudioVolumeUp', 'Dead', 'é'])
      expect(ask('mute', key), key).toEqual({ why: 'system' })
    for (const more of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }])
      expect(ask('mute', 'b', more)).toEqual({ why: 'system' })
    for (const key of ['T', 'N', 'W', 'I', 'R']) expect(ask('mute', key, ctrlShift), key).toEqual({ why: 'system' })
    for (const key of ['b', 'Delete', 'PageUp']) expect(ask('panic', key), key).toEqual({ why: 'typing' })
  })
})

describe('what is kept', () => {
  it('is only what differs, and comes back whole', () => {
    const keys: RoomKeys = { ...usualKeys, mute: ['b'], up: ['ArrowUp', 'w'] }
    expect(keptOf(keys)).toEqual({ mute: ['b'], up: ['ArrowUp', 'w'] })
    expect(keysOf(keptOf(keys))).toEqual(keys)
    expect(keptOf(usualKeys)).toEqual({})
    expect(commandOf(press('b'), false, bindingsOf(keys))).toEqual({ do: 'mute' })
    expect(commandOf(press('m'), false, bindingsOf(keys))).toBeNull()
  })

  it('is passed over where it is unknown, unfit or contradicts itself', () => {
    for (const kept of [
      { fly: ['g'] },
      { mute: ['Tab'] },
      { mute: ['b', 'g'] },
      { panic: ['b'] },
      { mute: ['Ctrl+w'] },
      { up: ['w'] },
      { mute: ['constructor'] },
    ])
      expect(keysOf(kept as never), JSON.stringify(kept)).toEqual(usualKeys)
    expect(keysOf({ mute: ['d'], freeze: ['g'] })).toEqual(usualKeys)
    expect(keysOf({ mute: ['d'], remove: ['m'] }).mute).toEqual(['d'])
  })

  it('can be the usual key again once nobody else has it', () => {
    const keys: RoomKeys = { ...usualKeys, mute: ['b'], take: ['m'] }
    expect(hinders('mute', keys)).toBe('take')
    expect(hinders('take', keys)).toBeNull()
    expect(commandNames.every((name) => hinders(name, usualKeys) === null)).toBe(true)
  })
})

it('writes key caps', () => {
  expect(['k', 'Shift+F9', 'Ctrl+Shift+p', 'ArrowUp', 'Escape', '+', '/'].map((chord) => capOf(chord, false))).toEqual([
    'K',
    'Shift F9',
    'Ctrl Shift P',
    '↑',
    'Esc',
    '+',
    '/',
  ])
  expect(capOf('Ctrl+Shift+p', true)).toBe('⌘ Shift P')
})
