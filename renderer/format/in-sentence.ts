import { shownName } from '../../contract/web-link.ts'

/** Letters that are written from right to left. */
const fromRight = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** A person's text within a sentence; one from right to left is isolated (U+2068, U+2069), as `bdi` does in markup. */
export function inSentence(text: string): string {
  const shown = shownName(text, '')
  return fromRight.test(shown) ? `\u2068${shown}\u2069` : shown
}
