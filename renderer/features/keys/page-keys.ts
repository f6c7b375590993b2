import { chordOf, type KeyPress } from './room-keys.ts'

/** The keys of the page, as `chordOf` writes them: all lists and handlers are made from these. */
export const pageKeys = {
  palette: 'Ctrl+k',
  create: 'n',
  search: '/',
  mark: 'b',
  help: '?',
} as const
/** What such a key asks for. */
export type PageKey = keyof typeof pageKeys
/** Their names in the order in which they are listed. */
export const pageKeyNames = Object.keys(pageKeys) as readonly PageKey[]

/** What a key press asks for; null for other keys. */
export function pageKeyOf(event: KeyPress): PageKey | null {
  if (event.isComposing || event.repeat) return null
  const chord = chordOf(event)
  return pageKeyNames.find((name) => pageKeys[name] === chord) ?? null
}
