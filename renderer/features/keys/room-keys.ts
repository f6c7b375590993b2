/** Commands without parameters. */
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
/** A command of the Room. */
export type RoomCommand =
  | { readonly do: PlainCommand }
  | { readonly do: 'preset'; readonly preset: number }
  | { readonly do: 'panic'; readonly on: boolean }

/** The used members of a KeyboardEvent. */
export interface KeyPress {
  readonly key: string
  /** Place on the keyboard, as `KeyM`. */
  readonly code?: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
  readonly repeat: boolean
  readonly isComposing: boolean
}

/** Commands by chord. */
export type RoomBindings = ReadonlyMap<string, RoomCommand>

/** `k`, `Shift+F9`, `Ctrl+Shift+p`; Shift is omitted with characters, as keyboards differ. */
export function chordOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): string {
  const isCharacter = key.length === 1
  const held = ctrlKey || metaKey
  return `${held ? 'Ctrl+' : ''}${altKey ? 'Alt+' : ''}${shiftKey && (held || altKey || !isCharacter) ? 'Shift+' : ''}${isCharacter ? key.toLowerCase() : key}`
}

/** The chord by place, of a digit or letter key that writes something else (see `commandOfName`); null for others. */
export function positionOf(event: KeyPress): string | null {
  const digit = event.shiftKey ? undefined : /^Digit(\d)$/.exec(event.code ?? '')?.[1]
  const letter = /^[!-~]$/.test(event.key) ? undefined : /^Key([A-Z])$/.exec(event.code ?? '')?.[1]
  const key = digit ?? letter
  return key === undefined ? null : chordOf({ ...event, key })
}

/** Fixed keys of a held line: A releases (true), D drops (false); undefined for others. */
export function decisionOf(event: KeyPress): boolean | undefined {
  if (event.isComposing) return undefined
  const chord = positionOf(event) ?? chordOf(event)
  return chord === 'a' ? true : chord === 'd' ? false : undefined
}

/** The command of a key; with `typing`, in a field, only the panic key and the pop-out. */
export function commandOf(event: KeyPress, typing: boolean, bindings: RoomBindings): RoomCommand | null {
  if (event.isComposing) return null
  const chord = chordOf(event)
  const command = bindings.get(chord) ?? bindings.get(positionOf(event) ?? '')
  if (command === undefined || (event.repeat && command.do !== 'up' && command.do !== 'down')) return null
  if (typing && (chord.length === 1 || (command.do !== 'panic' && command.do !== 'popOut'))) return null
  return command
}
