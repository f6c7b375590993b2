/** End of a truncated text. Redaction uses it: the last letters may be the start of a secret. */
export const cutMark = '[cut]'

/** Truncates a text, with the mark. */
export const cutText = (text: string, most: number): string =>
  text.length > most ? text.slice(0, most - cutMark.length) + cutMark : text
