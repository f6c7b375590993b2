import { chordOf, positionOf, type KeyPress } from './room-keys.ts'

/** Keys of the page as chords; lists and handlers derive from them. */
export const pageKeys = {
  palette: 'Ctrl+k',
  create: 'n',
  search: '/',
  mark: 'b',
  clip: 'c',
  copyKey: 'Ctrl+Shift+c',
  copyLink: 'Ctrl+l',
  goLive: 'Alt+g',
  trim: 'e',
  zoomIn: '+',
  zoomOut: '-',
  help: '?',
} as const
/** A key of the page, by its name. */
export type PageKey = keyof typeof pageKeys
/** In the order of lists. */
export const pageKeyNames = Object.keys(pageKeys) as readonly PageKey[]

/** Null for other keys. */
export function pageKeyOf(event: KeyPress): PageKey | null {
  if (event.isComposing || event.repeat) return null
  // By its place where it writes something else, as Alt+G does on a Mac.
  const chords = new Set([chordOf(event), positionOf(event)])
  return pageKeyNames.find((name) => chords.has(pageKeys[name])) ?? null
}
