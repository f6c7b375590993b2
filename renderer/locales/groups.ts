import { en } from './en.ts'
import type { Language } from './messages.ts'

type Load = () => Promise<object>

/**
 * Words that come with the screens that show them, by group and language; each file is a chunk of its own. `frame` is what is there
 * from the start, in English without loading.
 */
export const groups = {
  frame: { en: () => Promise.resolve(en), zh: async () => (await import('./zh.ts')).zh },
  about: {
    en: async () => (await import('./about-en.ts')).aboutEn,
    zh: async () => (await import('./about-zh.ts')).aboutZh,
  },
  computer: {
    en: async () => (await import('./computer-en.ts')).computerEn,
    zh: async () => (await import('./computer-zh.ts')).computerZh,
  },
  console: {
    en: async () => (await import('./console-en.ts')).consoleEn,
    zh: async () => (await import('./console-zh.ts')).consoleZh,
  },
  copies: {
    en: async () => (await import('./copies-en.ts')).copiesEn,
    zh: async () => (await import('./copies-zh.ts')).copiesZh,
  },
  desktop: {
    en: async () => (await import('./desktop-en.ts')).desktopEn,
    zh: async () => (await import('./desktop-zh.ts')).desktopZh,
  },
  health: {
    en: async () => (await import('./health-en.ts')).healthEn,
    zh: async () => (await import('./health-zh.ts')).healthZh,
  },
  joining: {
    en: async () => (await import('./joining-en.ts')).joiningEn,
    zh: async () => (await import('./joining-zh.ts')).joiningZh,
  },
  messaging: {
    en: async () => (await import('./messaging-en.ts')).messagingEn,
    zh: async () => (await import('./messaging-zh.ts')).messagingZh,
  },
  moderator: {
    en: async () => (await import('./moderator-en.ts')).moderatorEn,
    zh: async () => (await import('./moderator-zh.ts')).moderatorZh,
  },
  obs: { en: async () => (await import('./obs-en.ts')).obsEn, zh: async () => (await import('./obs-zh.ts')).obsZh },
  recordings: {
    en: async () => (await import('./recordings-en.ts')).recordingsEn,
    zh: async () => (await import('./recordings-zh.ts')).recordingsZh,
  },
  room: {
    en: async () => (await import('./room-en.ts')).roomEn,
    zh: async () => (await import('./room-zh.ts')).roomZh,
  },
  roomDesk: {
    en: async () => (await import('./room-desk-en.ts')).roomDeskEn,
    zh: async () => (await import('./room-desk-zh.ts')).roomDeskZh,
  },
  roomHosted: {
    en: async () => (await import('./room-hosted-en.ts')).roomHostedEn,
    zh: async () => (await import('./room-hosted-zh.ts')).roomHostedZh,
  },
  roomLists: {
    en: async () => (await import('./room-lists-en.ts')).roomListsEn,
    zh: async () => (await import('./room-lists-zh.ts')).roomListsZh,
  },
  roomMedia: {
    en: async () => (await import('./room-media-en.ts')).roomMediaEn,
    zh: async () => (await import('./room-media-zh.ts')).roomMediaZh,
  },
  seats: {
    en: async () => (await import('./seats-en.ts')).seatsEn,
    zh: async () => (await import('./seats-zh.ts')).seatsZh,
  },
  settings: {
    en: async () => (await import('./settings-en.ts')).settingsEn,
    zh: async () => (await import('./settings-zh.ts')).settingsZh,
  },
  support: {
    en: async () => (await import('./support-en.ts')).supportEn,
    zh: async () => (await import('./support-zh.ts')).supportZh,
  },
  supportBundle: {
    en: async () => (await import('./support-bundle-en.ts')).supportBundleEn,
    zh: async () => (await import('./support-bundle-zh.ts')).supportBundleZh,
  },
  studio: {
    en: async () => (await import('./studio-en.ts')).studioEn,
    zh: async () => (await import('./studio-zh.ts')).studioZh,
  },
} as const satisfies Record<string, Record<Language, Load>>

/** The name of a group of words. */
export type Group = keyof typeof groups
