import { en } from '../features/frame/words.en.ts'
import type { Language } from './messages.ts'

type Load = () => Promise<object>

/** Each is a chunk; the English of `frame` is always loaded. */
export const groups = {
  frame: { en: () => Promise.resolve(en), zh: async () => (await import('../features/frame/words.zh.ts')).zh },
  about: {
    en: async () => (await import('../features/about/words.en.ts')).aboutEn,
    zh: async () => (await import('../features/about/words.zh.ts')).aboutZh,
  },
  computer: {
    en: async () => (await import('../features/this-computer/words.en.ts')).computerEn,
    zh: async () => (await import('../features/this-computer/words.zh.ts')).computerZh,
  },
  console: {
    en: async () => (await import('../features/console/words.en.ts')).consoleEn,
    zh: async () => (await import('../features/console/words.zh.ts')).consoleZh,
  },
  copies: {
    en: async () => (await import('../features/receivers/words.en.ts')).copiesEn,
    zh: async () => (await import('../features/receivers/words.zh.ts')).copiesZh,
  },
  desktop: {
    en: async () => (await import('../features/desktop/words.en.ts')).desktopEn,
    zh: async () => (await import('../features/desktop/words.zh.ts')).desktopZh,
  },
  health: {
    en: async () => (await import('../features/studio/words-health.en.ts')).healthEn,
    zh: async () => (await import('../features/studio/words-health.zh.ts')).healthZh,
  },
  joining: {
    en: async () => (await import('../features/remote-rooms/words.en.ts')).joiningEn,
    zh: async () => (await import('../features/remote-rooms/words.zh.ts')).joiningZh,
  },
  messaging: {
    en: async () => (await import('../features/messaging/words.en.ts')).messagingEn,
    zh: async () => (await import('../features/messaging/words.zh.ts')).messagingZh,
  },
  moderator: {
    en: async () => (await import('../features/remote-rooms/words-seat.en.ts')).moderatorEn,
    zh: async () => (await import('../features/remote-rooms/words-seat.zh.ts')).moderatorZh,
  },
  obs: {
    en: async () => (await import('../features/obs/words.en.ts')).obsEn,
    zh: async () => (await import('../features/obs/words.zh.ts')).obsZh,
  },
  recordings: {
    en: async () => (await import('../features/recordings/words.en.ts')).recordingsEn,
    zh: async () => (await import('../features/recordings/words.zh.ts')).recordingsZh,
  },
  room: {
    en: async () => (await import('../features/rooms/words.en.ts')).roomEn,
    zh: async () => (await import('../features/rooms/words.zh.ts')).roomZh,
  },
  roomDesk: {
    en: async () => (await import('../features/rooms/words-desk.en.ts')).roomDeskEn,
    zh: async () => (await import('../features/rooms/words-desk.zh.ts')).roomDeskZh,
  },
  roomHosted: {
    en: async () => (await import('../features/rooms/words-hosted.en.ts')).roomHostedEn,
    zh: async () => (await import('../features/rooms/words-hosted.zh.ts')).roomHostedZh,
  },
  roomLists: {
    en: async () => (await import('../features/rooms/words-lists.en.ts')).roomListsEn,
    zh: async () => (await import('../features/rooms/words-lists.zh.ts')).roomListsZh,
  },
  roomMedia: {
    en: async () => (await import('../features/rooms/words-media.en.ts')).roomMediaEn,
    zh: async () => (await import('../features/rooms/words-media.zh.ts')).roomMediaZh,
  },
  seats: {
    en: async () => (await import('../features/moderators/words.en.ts')).seatsEn,
    zh: async () => (await import('../features/moderators/words.zh.ts')).seatsZh,
  },
  settings: {
    en: async () => (await import('../features/settings/words.en.ts')).settingsEn,
    zh: async () => (await import('../features/settings/words.zh.ts')).settingsZh,
  },
  support: {
    en: async () => (await import('../features/support/words.en.ts')).supportEn,
    zh: async () => (await import('../features/support/words.zh.ts')).supportZh,
  },
  supportBundle: {
    en: async () => (await import('../features/support/words-bundle.en.ts')).supportBundleEn,
    zh: async () => (await import('../features/support/words-bundle.zh.ts')).supportBundleZh,
  },
  studio: {
    en: async () => (await import('../features/studio/words.en.ts')).studioEn,
    zh: async () => (await import('../features/studio/words.zh.ts')).studioZh,
  },
} as const satisfies Record<string, Record<Language, Load>>

/** Name of a group of words. */
export type Group = keyof typeof groups
