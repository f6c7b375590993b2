import { words } from '../features/frame/words.ts?en'
import type { Language } from '../format/languages.ts'

type Load = () => Promise<object>

/** Each is a chunk for each language (`words-plugin.ts`); the English of `frame` is always loaded. */
export const groups = {
  frame: { en: () => Promise.resolve(words), zh: async () => (await import('../features/frame/words.ts?zh')).words },
  about: {
    en: async () => (await import('../features/about/words.ts?en')).words,
    zh: async () => (await import('../features/about/words.ts?zh')).words,
  },
  broadcasts: {
    en: async () => (await import('../features/broadcasts/words.ts?en')).words,
    zh: async () => (await import('../features/broadcasts/words.ts?zh')).words,
  },
  computer: {
    en: async () => (await import('../features/this-computer/words.ts?en')).words,
    zh: async () => (await import('../features/this-computer/words.ts?zh')).words,
  },
  console: {
    en: async () => (await import('../features/console/words.ts?en')).words,
    zh: async () => (await import('../features/console/words.ts?zh')).words,
  },
  copies: {
    en: async () => (await import('../features/receivers/words.ts?en')).words,
    zh: async () => (await import('../features/receivers/words.ts?zh')).words,
  },
  desktop: {
    en: async () => (await import('../features/desktop/words.ts?en')).words,
    zh: async () => (await import('../features/desktop/words.ts?zh')).words,
  },
  health: {
    en: async () => (await import('../features/studio/words-health.ts?en')).words,
    zh: async () => (await import('../features/studio/words-health.ts?zh')).words,
  },
  hold: {
    en: async () => (await import('../features/hold/words.ts?en')).words,
    zh: async () => (await import('../features/hold/words.ts?zh')).words,
  },
  joining: {
    en: async () => (await import('../features/remote-rooms/words.ts?en')).words,
    zh: async () => (await import('../features/remote-rooms/words.ts?zh')).words,
  },
  messaging: {
    en: async () => (await import('../features/messaging/words.ts?en')).words,
    zh: async () => (await import('../features/messaging/words.ts?zh')).words,
  },
  moderator: {
    en: async () => (await import('../features/remote-rooms/words-seat.ts?en')).words,
    zh: async () => (await import('../features/remote-rooms/words-seat.ts?zh')).words,
  },
  obs: {
    en: async () => (await import('../features/obs/words.ts?en')).words,
    zh: async () => (await import('../features/obs/words.ts?zh')).words,
  },
  palette: {
    en: async () => (await import('../features/frame/words-palette.ts?en')).words,
    zh: async () => (await import('../features/frame/words-palette.ts?zh')).words,
  },
  recordings: {
    en: async () => (await import('../features/recordings/words.ts?en')).words,
    zh: async () => (await import('../features/recordings/words.ts?zh')).words,
  },
  room: {
    en: async () => (await import('../features/rooms/words.ts?en')).words,
    zh: async () => (await import('../features/rooms/words.ts?zh')).words,
  },
  roomPanel: {
    en: async () => (await import('../features/rooms/words-panel.ts?en')).words,
    zh: async () => (await import('../features/rooms/words-panel.ts?zh')).words,
  },
  roomHosted: {
    en: async () => (await import('../features/rooms/words-hosted.ts?en')).words,
    zh: async () => (await import('../features/rooms/words-hosted.ts?zh')).words,
  },
  roomLists: {
    en: async () => (await import('../features/rooms/words-lists.ts?en')).words,
    zh: async () => (await import('../features/rooms/words-lists.ts?zh')).words,
  },
  roomMedia: {
    en: async () => (await import('../features/rooms/words-media.ts?en')).words,
    zh: async () => (await import('../features/rooms/words-media.ts?zh')).words,
  },
  seats: {
    en: async () => (await import('../features/moderators/words.ts?en')).words,
    zh: async () => (await import('../features/moderators/words.ts?zh')).words,
  },
  settings: {
    en: async () => (await import('../features/settings/words.ts?en')).words,
    zh: async () => (await import('../features/settings/words.ts?zh')).words,
  },
  support: {
    en: async () => (await import('../features/support/words.ts?en')).words,
    zh: async () => (await import('../features/support/words.ts?zh')).words,
  },
  supportBundle: {
    en: async () => (await import('../features/support/words-bundle.ts?en')).words,
    zh: async () => (await import('../features/support/words-bundle.ts?zh')).words,
  },
  share: {
    en: async () => (await import('../features/share/words.ts?en')).words,
    zh: async () => (await import('../features/share/words.ts?zh')).words,
  },
  trim: {
    en: async () => (await import('../features/clips/words.ts?en')).words,
    zh: async () => (await import('../features/clips/words.ts?zh')).words,
  },
  targets: {
    en: async () => (await import('../features/targets/words.ts?en')).words,
    zh: async () => (await import('../features/targets/words.ts?zh')).words,
  },
  studio: {
    en: async () => (await import('../features/studio/words.ts?en')).words,
    zh: async () => (await import('../features/studio/words.ts?zh')).words,
  },
} as const satisfies Record<string, Record<Language, Load>>

/** Name of a group of words. */
export type Group = keyof typeof groups
