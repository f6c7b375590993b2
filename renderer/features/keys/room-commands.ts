import { chordOf, positionOf, type RoomBindings, type RoomCommand, type KeyPress } from './room-keys.ts'

/** Commands that can have keys, in the order of lists, with their default keys. */
export const usualKeys = {
  up: ['ArrowUp', 'k'],
  down: ['ArrowDown', 'j'],
  first: ['Home'],
  last: ['End'],
  card: ['u'],
  close: ['Escape'],
  mute: ['m'],
  preset1: ['1'],
  preset2: ['2'],
  preset3: ['3'],
  preset4: ['4'],
  preset5: ['5'],
  preset6: ['6'],
  blacklist: ['x'],
  remove: ['d'],
  second: ['t'],
  freeze: ['f'],
  take: ['q'],
  search: ['/'],
  composer: ['c'],
  announcement: ['a'],
  popOut: ['Ctrl+Shift+p'],
  panic: ['F9'],
  lift: ['Shift+F9'],
  help: ['?'],
} as const satisfies Readonly<Record<string, readonly string[]>>
/** A command that can have keys. */
export type CommandName = keyof typeof usualKeys
/** Keys by command. */
export type RoomKeys = Readonly<Record<CommandName, readonly string[]>>

/** In the order of lists. */
export const commandNames = Object.keys(usualKeys) as readonly CommandName[]

/**
 * Keys are compared by their character (`key`), which is on the key cap, not by their place (`code`). The place counts
 * for digits, which French keyboards write with Shift, and for letters in other scripts or with an input method.
 */
const commandOfName = (name: CommandName): RoomCommand => {
  if (name === 'panic' || name === 'lift') return { do: 'panic', on: name === 'panic' }
  return name.startsWith('preset')
    ? { do: 'preset', preset: Number(name.at(-1)) - 1 }
    : { do: name as Exclude<CommandName, `preset${number}` | 'panic' | 'lift'> }
}

const character = /^[!-~]$/
/** Function keys that browsers and systems leave free; F8 leads to notifications. */
const named =
  /^(Shift\+)?(F2|F9)$|^(Shift\+)?(ArrowUp|ArrowDown|ArrowLeft|ArrowRight|Home|End|PageUp|PageDown|Insert|Delete|Backspace)$/
/** Letters with Ctrl and Shift that no browser uses. */
const held = /^Ctrl\+Shift\+[defghlpsuxy]$/
const controls = /(^|\+)(Tab|Enter| |Escape)$/
const modifiers = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'Fn', 'OS'])
/** Commands that work in fields: their keys must not write or edit. */
const always: ReadonlySet<CommandName> = new Set<CommandName>(['popOut', 'panic', 'lift'])
const writesNothing = (chord: string): boolean => chord.startsWith('Ctrl+') || /^(Shift\+)?F\d+$/.test(chord)

/** Why a command cannot have a key; `other` has it. */
export type Refusal =
  | { readonly why: 'controls' | 'system' | 'typing' }
  | { readonly why: 'taken'; readonly other: CommandName }

const unfit = (name: CommandName, chord: string): Refusal | null => {
  if (chord === 'Escape' && name === 'close') return null
  if (controls.test(chord)) return { why: 'controls' }
  if (!character.test(chord) && !named.test(chord) && !held.test(chord)) return { why: 'system' }
  return always.has(name) && !writesNothing(chord) ? { why: 'typing' } : null
}

/** The chord for a slot of a command, or why it is refused; null for a modifier. */
export function chordFor(
  name: CommandName,
  slot: number,
  event: KeyPress,
  keys: RoomKeys,
): { readonly chord: string } | Refusal | null {
  if (modifiers.has(event.key)) return null
  const place = positionOf(event)
  const chord = character.test(event.key) || event.key.length > 1 || place === null ? chordOf(event) : place
  const fault = unfit(name, chord)
  if (fault !== null || keys[name][slot] === chord) return fault ?? { chord }
  // A key that works by its place would lose that to its character.
  const other =
    commandNames.find((each) => keys[each].includes(chord)) ??
    commandNames.find((each) => place !== null && keys[each].includes(place))
  return other === undefined ? { chord } : { why: 'taken', other }
}

/** Default keys with the kept changes; without them if they contradict. */
export function keysOf(kept: Readonly<Record<string, readonly string[]>>): RoomKeys {
  const fits = (name: CommandName): readonly string[] => {
    const chords = Object.hasOwn(kept, name) ? (kept[name] ?? []) : []
    return chords.length === usualKeys[name].length && chords.every((chord) => unfit(name, chord) === null)
      ? chords
      : usualKeys[name]
  }
  const keys = Object.fromEntries(commandNames.map((name) => [name, fits(name)])) as unknown as RoomKeys
  const chords = Object.values(keys).flat()
  return new Set(chords).size === chords.length ? keys : usualKeys
}

/** The changes from the default keys. */
export const keptOf = (keys: RoomKeys): Record<string, string[]> =>
  Object.fromEntries(
    commandNames
      .filter((name) => keys[name].join(' ') !== usualKeys[name].join(' '))
      .map((name) => [name, [...keys[name]]]),
  )

/** The command that has a default key of another; null for none. */
export const hinders = (name: CommandName, keys: RoomKeys): CommandName | null =>
  commandNames.find(
    (other) => other !== name && keys[other].some((chord) => (usualKeys[name] as readonly string[]).includes(chord)),
  ) ?? null

/** Commands by chord. */
export const bindingsOf = (keys: RoomKeys): RoomBindings =>
  new Map(
    commandNames.flatMap((name) => keys[name].map((chord): [string, RoomCommand] => [chord, commandOfName(name)])),
  )

const caps: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  Delete: 'Del',
  Insert: 'Ins',
  PageUp: 'PgUp',
  PageDown: 'PgDn',
  ' ': 'Space',
}
/** The label of a key cap: "K", "Shift F9", "⌘ Shift P". */
export const capOf = (chord: string, isMac: boolean): string =>
  chord === '+'
    ? chord
    : chord
        .split('+')
        .map((part) =>
          part === 'Ctrl' && isMac ? '⌘' : (caps[part] ?? (part.length === 1 ? part.toUpperCase() : part)),
        )
        .join(' ')
