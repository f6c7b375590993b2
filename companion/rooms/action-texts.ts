import type { LoggedAction } from '../../contract/rpc/index.ts'

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
export function loggedAction(action: LoggedAction): LoggedAction {
  switch (action.kind) {
    case 'announce':
      return {
        ...action,
        text: loggedText(action.text),
        ...(action.was !== undefined && { was: loggedText(action.was) }),
      }
    case 'queueAdd':
      return { ...action, value: loggedText(action.value) }
    default:
      return action
  }
}
