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
  | 'help'
/** What a key of the Room asks for. */
export type RoomCommand =
  | { readonly do: PlainCommand }
  | { readonly do: 'preset'; readonly preset: number }
  | { readonly do: 'panic'; readonly on: boolean }

/** What is read of a key press. */
export interface KeyPress {
  readonly key: string
  /** Its place on the keyboard, as `KeyM`. */
  readonly code?: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
  readonly repeat: boolean
  readonly isComposing: boolean
}

/** Chords as `chordOf` writes them, and what each asks for. */
export type RoomBindings = ReadonlyMap<string, RoomCommand>

/** The chord of a key press: `k`, `Shift+F9`, `Ctrl+Shift+p`. Shift alone does not tell characters apart, as keyboards differ in where they need it. */
export function chordOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): string {
  const isCharacter = key.length === 1
  const held = ctrlKey || metaKey
  return `${held ? 'Ctrl+' : ''}${altKey ? 'Alt+' : ''}${shiftKey && (held || altKey || !isCharacter) ? 'Shift+' : ''}${isCharacter ? key.toLowerCase() : key}`
}

/** The chord of a key by its place, for a digit or a letter whose key writes something else: see `commandOfName`; null for other keys. */
export function positionOf(event: KeyPress): string | null {
  const digit = event.shiftKey ? undefined : /^Digit(\d)$/.exec(event.code ?? '')?.[1]
  const letter = /^[!-~]$/.test(event.key) ? undefined : /^Key([A-Z])$/.exec(event.code ?? '')?.[1]
  const key = digit ?? letter
  return key === undefined ? null : chordOf({ ...event, key })
}

/** What a key decides of the held line that has the focus, whatever else it is given to: A releases, D drops; undefined for others. */
export function decisionOf(event: KeyPress): boolean | undefined {
  if (event.isComposing) return undefined
  const chord = positionOf(event) ?? chordOf(event)
  return chord === 'a' ? true : chord === 'd' ? false : undefined
}

/** The command of a key; `typing` while a field has the focus, where only the panic key and the pop-out work. */
export function commandOf(event: KeyPress, typing: boolean, bindings: RoomBindings): RoomCommand | null {
  if (event.isComposing) return null
  const chord = chordOf(event)
  const command = bindings.get(chord) ?? bindings.get(positionOf(event) ?? '')
  if (command === undefined || (event.repeat && command.do !== 'up' && command.do !== 'down')) return null
  if (typing && (chord.length === 1 || (command.do !== 'panic' && command.do !== 'popOut'))) return null
  return command
}
