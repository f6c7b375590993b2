/** What a key of the Room asks for (design, 7). */
export type RoomCommand =
  | {
      readonly do:
        'up' | 'down' | 'first' | 'last' | 'card' | 'close' | 'remove' | 'mute' | 'blacklist' | 'freeze' | 'take' | 'search' | 'composer' | 'announcement'
    }
  | { readonly do: 'preset'; readonly preset: number }
  | { readonly do: 'panic'; readonly on: boolean }

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

const plain = new Map<string, Exclude<RoomCommand['do'], 'preset' | 'panic'>>(
  Object.entries({
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
    f: 'freeze',
    q: 'take',
    '/': 'search',
    c: 'composer',
    a: 'announcement',
  } as const),
)
const mayRepeat = new Set(['up', 'down'])

/** The command of a key; `typing` while a field has the focus, where only F9 and Shift+F9 count. */
export function commandOf(event: RoomKey, typing: boolean): RoomCommand | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return null
  if (event.key === 'F9') return event.repeat ? null : { do: 'panic', on: !event.shiftKey }
  if (typing) return null
  if (/^[1-6]$/.test(event.key)) return event.repeat ? null : { do: 'preset', preset: Number(event.key) - 1 }
  const command = plain.get(event.key.length === 1 ? event.key.toLowerCase() : event.key)
  return command === undefined || (event.repeat && !mayRepeat.has(command)) ? null : { do: command }
}
