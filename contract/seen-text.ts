/**
 * Characters without ink that no property of Unicode tells, as of a class in a regular expression: the Braille blank, the null notehead, the filler of
 * Khitan, the blanks among hieroglyphs. They count as white space, but for lines, where pictures are drawn with the Braille one.
 */
export const blankGlyphs = String.raw`\u2800\u{1d159}\u{16fe4}\u{13441}\u{13442}`
/** A character that is seen by itself: no space, control character, mark, filler or blank. One that is unassigned here may be a new emoji elsewhere. */
const seen = new RegExp(String.raw`[^\s\p{Cc}\p{Cf}\p{Cs}\p{M}\p{Default_Ignorable_Code_Point}${blankGlyphs}]`, 'u')

/** Whether a text has anything that can be seen: who is to be told by a name, or to read something, needs that. */
export const isSeen = (text: string): boolean => seen.test(text)

/** What people read of the content of a text line: it may be plain, or JSON with `msg`. */
export function lineText(attach: string): string {
  try {
    const value: unknown = JSON.parse(attach)
    if (typeof value === 'object' && value !== null && 'msg' in value && typeof value.msg === 'string') return value.msg
  } catch {
    // Plain text.
  }
  return attach
}
