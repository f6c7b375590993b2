import type { LoggedDeed } from '../../contract/rpc/index.ts'

/** Longest kept text. */
export const maxText = 1_000

/** A text cut to the log's length, with its full length. */
export function loggedText(text: string): string {
  if (text.length <= maxText) return text
  // Not inside a surrogate pair.
  const kept = text.slice(0, maxText).replace(/[\ud800-\udbff]$/, '')
  return `${kept}… [${kept.length}/${text.length}]`
}

/** An action with cut texts. */
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
