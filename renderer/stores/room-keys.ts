/** Commands of the Room that a key alone asks for. */
type PlainCommand =
  | 'up'
  | 'down'
  | 'first'
  | 'last'
  | 'card'
  | 'close'
  | 'remove'
  | 'mute'
  | 'blacklist'
  | 'second'
  | 'freeze'
  | 'take'
  | 'search'
  | 'composer'
  | 'announcement'
  | 'popOut'
/** What a key of the Room asks for (design, 7). */
export type RoomCommand = { readonly do: PlainCommand } | { readonly do: 'preset'; readonly preset: number } | { readonly do: 'panic'; readonly on: boolean }

/** What is read of a key press. */
export interface RoomKey {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
  readonly repeat: boolean
  readonly isComposing: boolean
}

/** Chords as `chordOf` writes them, and what each asks for. */
export type RoomBindings = ReadonlyMap<string, RoomCommand>

/** The bindings of the design; the numbers 1 to 6 are the presets. */
export const roomBindings: RoomBindings = new Map<string, RoomCommand>([
  ...Object.entries({
    ArrowUp: 'up',
    k: 'up',
    ArrowDown: 'down',
    j: 'down',
    Home: 'first',
    End: 'last',
    u: 'card',
    Escape: 'close',
    d: 'remove',
    m: 'mute',
    x: 'blacklist',
    t: 'second',
    f: 'freeze',
    q: 'take',
    '/': 'search',
    c: 'composer',
    a: 'announcement',
    'Ctrl+Shift+p': 'popOut',
  } as const).map(([chord, command]): [string, RoomCommand] => [chord, { do: command }]),
  ...[1, 2, 3, 4, 5, 6].map((key): [string, RoomCommand] => [String(key), { do: 'preset', preset: key - 1 }]),
  ['F9', { do: 'panic', on: true }],
  ['Shift+F9', { do: 'panic', on: false }],
])

/** The chord of a key press: `k`, `Shift+F9`, `Ctrl+Shift+p`. Shift alone does not tell characters apart, as keyboards differ in where they need it. */
export function chordOf({ key, ctrlKey, metaKey, altKey, shiftKey }: RoomKey): string {
  const isCharacter = key.length === 1
  const held = ctrlKey || metaKey
  return `${held ? 'Ctrl+' : ''}${altKey ? 'Alt+' : ''}${shiftKey && (held || altKey || !isCharacter) ? 'Shift+' : ''}${isCharacter ? key.toLowerCase() : key}`
}

/** The command of a key; `typing` while a field has the focus, where only the panic key and the pop-out count, and no single character. */
export function commandOf(event: RoomKey, typing: boolean, bindings: RoomBindings = roomBindings): RoomCommand | null {
  if (event.isComposing) return null
  const chord = chordOf(event)
  const command = bindings.get(chord)
  if (command === undefined || (event.repeat && command.do !== 'up' && command.do !== 'down')) return null
  if (typing && (chord.length === 1 || (command.do !== 'panic' && command.do !== 'popOut'))) return null
  return command
}
