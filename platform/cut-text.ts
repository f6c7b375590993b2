/** End of a truncated text. Redaction uses it: the last letters may be the start of a secret. */
export const cutMark = '[cut]'

/** Truncates a text, with the mark. */
export const cutText = (text: string, maxLength: number): string =>
  text.length > maxLength ? text.slice(0, maxLength - cutMark.length) + cutMark : text
