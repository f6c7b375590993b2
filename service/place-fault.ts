/**
 * What the environment names cannot be used as it is, and waiting does not mend it. The message names the variable, and
 * holds no password: it is all that an operator is told.
 */
export class PlaceFault extends Error {}

/** What went wrong, in the words of the system or of a server. */
export function wordsOf(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
  if (typeof message === 'string' && message !== '') return message
  return typeof code === 'string' ? code : 'unknown reason'
}
