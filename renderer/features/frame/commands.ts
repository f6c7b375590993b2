import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { settingsGroups, type SettingsSection } from '../settings/sections.ts'

/**
 * Every command of the palette with its icon, and its key where it has one. It is called `palette.NAME`; what people
 * search it by is `palette.words.NAME`.
 */
export const commands = {
  create: { icon: 'i-lucide-plus', kbds: ['N'] },
  refresh: { icon: 'i-lucide-refresh-cw' },
  copyKey: { icon: 'i-lucide-key-round', kbds: ['Ctrl', 'Shift', 'C'] },
  copyUrl: { icon: 'i-lucide-link' },
  mark: { icon: 'i-lucide-bookmark', kbds: ['B'] },
  clip: { icon: 'i-lucide-scissors', kbds: ['C'] },
  trim: { icon: 'i-lucide-scissors' },
  record: { icon: 'i-lucide-circle-dot' },
  recordOff: { icon: 'i-lucide-circle-stop' },
  summary: { icon: 'i-lucide-chart-area' },
  goLive: { icon: 'i-lucide-list-checks', kbds: ['Alt', 'G'] },
  share: { icon: 'i-lucide-link' },
  shareEntry: { icon: 'i-lucide-key-round' },
  shareLimits: { icon: 'i-lucide-gauge' },
  shareOff: { icon: 'i-lucide-ban' },
  shareVisit: { icon: 'i-lucide-smartphone' },
  upcoming: { icon: 'i-lucide-calendar-clock' },
  copyLink: { icon: 'i-lucide-copy', kbds: ['Ctrl', 'L'] },
  watchPage: { icon: 'i-lucide-external-link' },
  holdNow: { icon: 'i-lucide-hand' },
  backLive: { icon: 'i-lucide-undo-2' },
  holdForm: { icon: 'i-lucide-sliders-horizontal' },
  delayForm: { icon: 'i-lucide-timer' },
  dump: { icon: 'i-lucide-trash-2' },
  targets: { icon: 'i-lucide-send' },
  muteRoom: { icon: 'i-lucide-mic-off' },
  liftRoom: { icon: 'i-lucide-mic' },
  rename: { icon: 'i-lucide-pencil' },
  disable: { icon: 'i-lucide-ban' },
  resume: { icon: 'i-lucide-circle-play' },
  remove: { icon: 'i-lucide-trash-2' },
  copyId: { icon: 'i-lucide-copy' },
  obsConnection: { icon: 'i-lucide-plug' },
  obsGoLive: { icon: 'i-lucide-radio' },
  obsStop: { icon: 'i-lucide-square' },
  toggleTheme: { icon: 'i-lucide-sun-moon' },
  toggleLanguage: { icon: 'i-lucide-languages' },
  addProfile: { icon: 'i-lucide-server' },
  help: { icon: 'i-lucide-keyboard', kbds: ['?'] },
} as const satisfies Readonly<Record<string, { readonly icon: string; readonly kbds?: readonly string[] }>>

/** The name of a command of the palette. */
export type PaletteCommand = keyof typeof commands

const screens = [
  { name: 'channels', to: '/channels', icon: 'i-lucide-rows-3' },
  { name: 'studio', to: '/studio', icon: 'i-lucide-monitor-play' },
  { name: 'recordings', to: '/recordings', icon: 'i-lucide-film' },
  { name: 'broadcasts', to: '/broadcasts', icon: 'i-lucide-chart-area' },
  { name: 'room', to: '/room', icon: 'i-lucide-messages-square' },
  { name: 'join', to: '/join', icon: 'i-lucide-shield-user' },
  { name: 'messaging', to: '/messaging', icon: 'i-lucide-send' },
  { name: 'accounts', to: '/messaging/accounts', icon: 'i-lucide-send' },
  { name: 'teams', to: '/messaging/teams', icon: 'i-lucide-send' },
  { name: 'words', to: '/messaging/words', icon: 'i-lucide-send' },
  { name: 'console', to: '/console', icon: 'i-lucide-braces' },
] as const

/** Where the palette leads: screens, and sections of the settings, called `palette.screen` and `palette.section`. */
export const places = {
  screens,
  sections: settingsGroups.flatMap(({ sections }) => sections.map(({ name }): SettingsSection => name)),
}

/** An entry of the palette. */
export interface PaletteItem {
  readonly label: string
  readonly keywords: string
  readonly icon: string
  readonly suffix?: string
  readonly kbds?: string[]
  readonly onSelect: () => void
}

/** Makes entries of commands; `suffix` is the name of what they act on. */
export function usePaletteItem(): ComputedRef<
  (name: PaletteCommand, onSelect: () => void, suffix?: string) => PaletteItem
> {
  const { t } = useI18n()
  return computed(() => (name, onSelect, suffix) => {
    const { icon, kbds }: { icon: string; kbds?: readonly string[] } = commands[name]
    return {
      label: t(`palette.${name}`),
      keywords: t(`palette.words.${name}`),
      icon,
      ...(suffix !== undefined && { suffix }),
      ...(kbds && { kbds: [...kbds] }),
      onSelect,
    }
  })
}
