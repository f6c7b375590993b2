/** The sections of the settings, in their groups: names, as in addresses, and icons. */
export const settingsGroups = [
  { name: 'broadcast', sections: [{ name: 'profiles', icon: 'i-lucide-server' }] },
  { name: 'recording', sections: [{ name: 'recordings', icon: 'i-lucide-archive' }] },
  { name: 'chat', sections: [{ name: 'room', icon: 'i-lucide-mic-off' }] },
  { name: 'people', sections: [{ name: 'moderators', icon: 'i-lucide-shield-user' }] },
  {
    name: 'computer',
    sections: [
      { name: 'appearance', icon: 'i-lucide-palette' },
      { name: 'keys', icon: 'i-lucide-keyboard' },
      { name: 'desktop', icon: 'i-lucide-app-window' },
      { name: 'computer', icon: 'i-lucide-hard-drive' },
      { name: 'support', icon: 'i-lucide-life-buoy' },
      { name: 'about', icon: 'i-lucide-info' },
    ],
  },
  {
    name: 'developers',
    sections: [
      { name: 'receivers', icon: 'i-lucide-webhook' },
      { name: 'copies', icon: 'i-lucide-messages-square' },
    ],
  },
] as const

/** The name of a section, as in its address. */
export type SettingsSection = (typeof settingsGroups)[number]['sections'][number]['name']

/** Whether a section has anything to set: only the desktop shell has a tray, global keys and notifications. */
export const isOffered = (section: SettingsSection, shell: 'electron' | 'browser' | undefined): boolean =>
  section !== 'desktop' || shell === 'electron'
