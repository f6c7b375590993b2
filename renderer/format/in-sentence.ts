import { shownName } from '../../contract/web-link.ts'

const fromRight = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Isolates right-to-left text within a sentence (U+2068, U+2069), like `bdi`. */
export function inSentence(text: string): string {
  const shown = shownName(text, '')
  return fromRight.test(shown) ? `\u2068${shown}\u2069` : shown
}
