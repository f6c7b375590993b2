import type { SettingsSection } from './sections.ts'

/** Keys of what the sections are called. */
export const sectionLabels = {
  profiles: 'settings.profiles',
  recordings: 'retention.section',
  room: 'moderator.section',
  moderators: 'seats.section',
  appearance: 'settings.appearance',
  keys: 'moderator.keys.section',
  desktop: 'desktop.section',
  computer: 'computer.section',
  support: 'supportBundle.section',
  about: 'about.section',
  receivers: 'receiver.section',
  copies: 'copies.section',
} as const satisfies Readonly<Record<SettingsSection, string>>
