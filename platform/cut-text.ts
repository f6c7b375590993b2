/** What a text ends with that was cut. Whoever takes secrets out of it knows by this that its last letters may be the begin of one. */
export const cutMark = '[cut]'

/** At most so many characters of a text, with the mark where there were more. */
export const cutText = (text: string, most: number): string =>
  text.length > most ? text.slice(0, most - cutMark.length) + cutMark : text
