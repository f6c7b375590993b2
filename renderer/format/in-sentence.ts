import { shownName } from '../../contract/web-link.ts'

/** Letters that are written from right to left. */
const fromRight = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/**
 * What somebody wrote, for a place within a sentence of the app: without what is not seen or turns the reading around. One that reads from right to left
 * is set apart (U+2068 and U+2069, as `bdi` does in markup): words and figures beside it stay in their order.
 */
export function inSentence(text: string): string {
  const shown = shownName(text, '')
  return fromRight.test(shown) ? `\u2068${shown}\u2069` : shown
}
