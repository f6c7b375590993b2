/**
 * Blank characters that Unicode properties do not identify, as a regular expression class: Braille blank, null
 * notehead, Khitan filler, hieroglyph blanks. They count as white space, except in lines, where Braille is used for
 * pictures.
 */
export const blankGlyphs = String.raw`\u2800\u{1d159}\u{16fe4}\u{13441}\u{13442}`
/** A visible character. Unassigned ones count, as they may be newer emoji. */
const seen = new RegExp(String.raw`[^\s\p{Cc}\p{Cf}\p{Cs}\p{M}\p{Default_Ignorable_Code_Point}${blankGlyphs}]`, 'u')

/** Whether a text has a visible character, as names and messages must. */
export const isSeen = (text: string): boolean => seen.test(text)

/** Text of a text line: plain, or `msg` of JSON. */
export function lineText(attach: string): string {
  try {
    const value: unknown = JSON.parse(attach)
    if (typeof value === 'object' && value !== null && 'msg' in value && typeof value.msg === 'string') return value.msg
  } catch {
    // Plain text.
  }
  return attach
}
