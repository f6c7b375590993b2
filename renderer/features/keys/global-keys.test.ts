import { expect, it } from 'vitest'
import { GlobalKey } from '../../../contract/rpc/desktop.ts'
import { globalCapOf, globalCommandOver, globalKeyOf, roomCommandUnder } from './global-keys.ts'
import { keysOf } from './room-commands.ts'
import type { KeyPress } from './room-keys.ts'

const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, repeat: false, isComposing: false }
const press = (key: string, held: Partial<KeyPress> = {}): KeyPress => ({ ...none, key, ...held })

it('writes a press as the system is asked for it, always as the contract takes it', () => {
  const written = [
    globalKeyOf(press('F9'), false),
    globalKeyOf(press('F9', { shiftKey: true }), false),
    globalKeyOf(press('m', { ctrlKey: true }), false),
    globalKeyOf(press('M', { ctrlKey: true, altKey: true, shiftKey: true }), false),
    globalKeyOf(press('µ', { altKey: true, code: 'KeyM' }), true),
    globalKeyOf(press('m', { metaKey: true }), true),
    globalKeyOf(press('m', { metaKey: true }), false),
    globalKeyOf(press(' ', { altKey: true, shiftKey: true }), false),
    globalKeyOf(press('!', { ctrlKey: true, shiftKey: true, code: 'Digit1' }), false),
  ]
  expect(written).toEqual([
    'F9',
    'Shift+F9',
    'CommandOrControl+M',
    'CommandOrControl+Alt+Shift+M',
    'Alt+M',
    'CommandOrControl+M',
    'Super+M',
    'Alt+Shift+Space',
    'CommandOrControl+Shift+1',
  ])
  for (const key of written) expect(GlobalKey.safeParse(key).success, String(key)).toBe(true)
})

it('takes no letter away from other programs, and waits while only a modifier is held', () => {
  expect(
    [
      press('m'),
      press('M', { shiftKey: true }),
      press(' '),
      press('Enter', { ctrlKey: true }),
      press('/', { ctrlKey: true }),
    ].map((key) => globalKeyOf(key, false)),
  ).toEqual(Array.from({ length: 5 }, () => 'unfit'))
  expect(globalKeyOf(press('m', { ctrlKey: true, metaKey: true }), true)).toBe('unfit')
  expect(globalKeyOf(press('Control', { ctrlKey: true }), false)).toBeNull()
})

it('stands on a cap as the keyboard has it', () => {
  expect([
    globalCapOf('CommandOrControl+Shift+M', true),
    globalCapOf('CommandOrControl+Alt+PageUp', false),
    globalCapOf('F9', false),
  ]).toEqual(['⌘ Shift M', 'Ctrl Alt PgUp', 'F9'])
})

it('knows the command of the Room that a key for all windows would take away, and the other way round', () => {
  const usual = keysOf({})
  expect(roomCommandUnder('record', 'CommandOrControl+Shift+P', usual)).toBe('popOut')
  expect(roomCommandUnder('show', 'Shift+F9', usual)).toBe('lift')
  expect(roomCommandUnder('show', 'F9', usual)).toBe('panic')
  // The same thing by the same key: it is meant so.
  expect(roomCommandUnder('panic', 'F9', usual)).toBeNull()
  expect(roomCommandUnder('panic', 'Shift+F9', usual)).toBe('lift')
  for (const free of ['CommandOrControl+Alt+M', 'Super+P', 'F8', 'CommandOrControl+P', 'Alt+Shift+Space'])
    expect(roomCommandUnder('show', free, usual), free).toBeNull()
  expect(roomCommandUnder('show', 'F2', keysOf({ freeze: ['F2'] }))).toBe('freeze')

  const kept = { panic: 'F9', record: 'CommandOrControl+Shift+G', show: 'Alt+F9' }
  expect(globalCommandOver('popOut', 'Ctrl+Shift+g', kept)).toBe('record')
  expect(globalCommandOver('panic', 'F9', kept)).toBeNull()
  expect(globalCommandOver('freeze', 'F9', kept)).toBe('panic')
  expect(globalCommandOver('popOut', 'Ctrl+Shift+p', kept)).toBeNull()
  expect(globalCommandOver('card', 'u', {})).toBeNull()
})

it('takes each named key and function key up to F24, and none beyond', () => {
  const held = { altKey: true }
  expect(
    ['Home', 'End', 'PageUp', 'PageDown', 'Insert', 'F1', 'F24', 'F25', 'Delete'].map((key) =>
      globalKeyOf(press(key, held), false),
    ),
  ).toEqual(['Alt+Home', 'Alt+End', 'Alt+PageUp', 'Alt+PageDown', 'Alt+Insert', 'Alt+F1', 'Alt+F24', 'unfit', 'unfit'])
})

it('takes no Control of a Mac, and no Windows key together with Control', () => {
  expect(globalKeyOf(press('F9', { ctrlKey: true }), true)).toBe('unfit')
  expect(globalKeyOf(press('m', { ctrlKey: true, metaKey: true }), false)).toBe('unfit')
})

it('waits for a key after each modifier, and while an accent is composed', () => {
  for (const key of ['Control', 'Shift', 'Alt', 'Meta', 'AltGraph', 'CapsLock', 'Dead', 'Process'])
    expect(globalKeyOf(press(key), false), key).toBeNull()
})

it('names the Windows key and Alt as the system does', () => {
  expect([
    globalCapOf('Super+M', false),
    globalCapOf('Super+M', true),
    globalCapOf('Alt+M', true),
    globalCapOf('Alt+PageDown', false),
  ]).toEqual(['Win M', '⌘ M', '⌥ M', 'Alt PgDn'])
})
