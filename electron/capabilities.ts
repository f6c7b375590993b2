import { Notification } from 'electron'
import type { Capability } from '../contract/rpc/index.ts'

/** Which desktop features this system supports. */
export function systemCapabilities(
  platform: NodeJS.Platform,
  isPackaged: boolean,
  session: string | undefined,
  hasTray: boolean,
): Capability[] {
  return [
    ...(hasTray ? (['tray'] as const) : []),
    // Wayland compositors do not deliver global shortcuts.
    ...(platform === 'linux' && session === 'wayland' ? [] : (['globalKeys'] as const)),
    ...(Notification.isSupported() ? (['notifications'] as const) : []),
    // A build that runs from source has no executable to start at login.
    ...(isPackaged ? (['startAtLogin'] as const) : []),
  ]
}

/** Whether windows can be kept above others: a Wayland compositor lets no program do that. */
const staysOnTop = (platform: NodeJS.Platform, session: string | undefined): boolean =>
  platform !== 'linux' || session !== 'wayland'

/** What this shell can do that another may not. */
export const shellCapabilities = (
  platform: NodeJS.Platform,
  isPackaged: boolean,
  session: string | undefined,
  hasTray: boolean,
): Capability[] => [
  'clipboard',
  'openLog',
  'showInFolder',
  'chooseFolder',
  'updates',
  ...(platform === 'win32' ? (['windowControls'] as const) : []),
  ...(staysOnTop(platform, session) ? (['stayOnTop'] as const) : []),
  ...systemCapabilities(platform, isPackaged, session, hasTray),
]
