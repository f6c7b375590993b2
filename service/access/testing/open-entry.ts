import type { WatchEntry } from '../watch-entry.ts'

/** A watch page that everybody may open, with nothing announced. */
export const openEntry: WatchEntry = {
  look: () => ({}),
  leaves: () => undefined,
  ground: () => ({ kind: 'everybody' }),
  enter: () => Promise.resolve({ ok: false, status: 403, sentence: 'nothing asks for a passphrase' }),
  withLink: () => undefined,
  used: () => undefined,
  embedOrigins: () => [],
  next: () => ({}),
  calendar: () => undefined,
  isPlayerWithoutGuest: () => false,
  guestMade: () => undefined,
  guestCame: () => undefined,
  guestMay: () => true,
  review: () => undefined,
}
