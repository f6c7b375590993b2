import type { GlobalCommand } from '../../../contract/rpc/desktop.ts'
import { commandNames, type CommandName, type RoomKeys } from './room-commands.ts'
import type { KeyPress } from './room-keys.ts'

/** Not keys by themselves. */
const modifiers = new Set(['Control', 'Shift', 'Alt', 'Meta', 'AltGraph', 'CapsLock', 'Dead', 'Process'])
const named: Readonly<Record<string, string>> = {
  ' ': 'Space',
  Home: 'Home',
  End: 'End',
  PageUp: 'PageUp',
  PageDown: 'PageDown',
  Insert: 'Insert',
}

/** A letter or digit (by its place if it writes something else), a function key, or a named one. */
function plainKey({ key, code }: KeyPress): string | null {
  if (/^F([1-9]|1\d|2[0-4])$/.test(key)) return key
  const found = named[key]
  if (found !== undefined) return found
  const placed = /^(?:Key([A-Z])|Digit(\d))$/.exec(code ?? '')
  if (/^[a-z0-9]$/i.test(key)) return key.toUpperCase()
  return placed ? (placed[1] ?? placed[2] ?? null) : null
}

/** A press as an Electron accelerator; `unfit` if it would take a letter from other programs, null for a modifier. */
export function globalKeyOf(event: KeyPress, isMac: boolean): string | null {
  if (modifiers.has(event.key)) return null
  const plain = plainKey(event)
  if (plain === null || (isMac && event.ctrlKey)) return 'unfit'
  const command = isMac ? event.metaKey : event.ctrlKey
  const isSuper = !isMac && event.metaKey
  if (command && isSuper) return 'unfit'
  const isFunction = /^F\d/.test(plain)
  if (!command && !isSuper && !event.altKey && !isFunction) return 'unfit'
  const first = command ? 'CommandOrControl+' : isSuper ? 'Super+' : ''
  return `${first}${event.altKey ? 'Alt+' : ''}${event.shiftKey ? 'Shift+' : ''}${plain}`
}

/** The label of a key cap. */
export const globalCapOf = (key: string, isMac: boolean): string =>
  key
    .replace('CommandOrControl', isMac ? '⌘' : 'Ctrl')
    .replace('Super', isMac ? '⌘' : 'Win')
    .replace('Alt', isMac ? '⌥' : 'Alt')
    .replace('PageUp', 'PgUp')
    .replace('PageDown', 'PgDn')
    .replaceAll('+', ' ')

const namedChords: Readonly<Record<string, string>> = { Space: ' ' }
/** The same key as a chord of the Room; null if impossible, as with the Windows key. */
function chordOfGlobal(key: string): string | null {
  const parts = key.split('+')
  const plain = parts.pop() ?? ''
  if (parts.includes('Super')) return null
  const isCharacter = plain.length === 1
  const held = parts.map((part) => (part === 'CommandOrControl' ? 'Ctrl' : part))
  return [...held, isCharacter ? plain.toLowerCase() : (namedChords[plain] ?? plain)].join('+')
}

/** Commands with the same meaning in both, which may share a key. */
const isTwin = (command: GlobalCommand, name: CommandName): boolean => command === 'panic' && name === 'panic'

/** Command of the Room whose key the system gives to a global command; null for none. */
export function roomCommandUnder(command: GlobalCommand, key: string, keys: RoomKeys): CommandName | null {
  const chord = chordOfGlobal(key)
  return chord === null
    ? null
    : (commandNames.find((name) => !isTwin(command, name) && keys[name].includes(chord)) ?? null)
}

/** Global command that takes a chord from a command of the Room; null for none. */
export function globalCommandOver(
  name: CommandName,
  chord: string,
  keys: Readonly<Partial<Record<GlobalCommand, string>>>,
): GlobalCommand | null {
  const found = (Object.keys(keys) as GlobalCommand[]).find(
    (command) => !isTwin(command, name) && chordOfGlobal(keys[command] ?? '') === chord,
  )
  return found ?? null
}
