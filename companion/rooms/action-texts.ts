import type { LoggedDeed } from '../../contract/rpc/index.ts'

/** Characters of a text that the log keeps. */
export const maxText = 1_000

/** A text as the log keeps it: of a longer one its begin, with how much of it that is. */
export function loggedText(text: string): string {
  if (text.length <= maxText) return text
  // Not between the two halves of one character.
  const kept = text.slice(0, maxText).replace(/[\ud800-\udbff]$/, '')
  return `${kept}… [${kept.length}/${text.length}]`
}

/** A deed with its texts as the log keeps them. */
export function loggedDeed(deed: LoggedDeed): LoggedDeed {
  switch (deed.kind) {
    case 'announce':
      return { ...deed, text: loggedText(deed.text), ...(deed.was !== undefined && { was: loggedText(deed.was) }) }
    case 'queueAdd':
      return { ...deed, value: loggedText(deed.value) }
    default:
      return deed
  }
}
