import type { App } from 'electron'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { reasonOf } from '../companion/failure.ts'
import type { DesktopState } from '../contract/rpc/index.ts'
import { writeAtomicallyNow } from '../platform/atomic-file.ts'

/** What the login item needs. */
export interface LoginItemPorts {
  readonly app: Pick<App, 'setLoginItemSettings' | 'getLoginItemSettings'>
  readonly platform: NodeJS.Platform
  /** The executable to start; for an AppImage the image file, not its mount. */
  readonly program: string
  /** This start's own switches, so that the same data folder is used. */
  readonly args: readonly string[]
  /** Folder of XDG autostart entries, on Linux. */
  readonly autostart: string
  readonly log: (line: string) => void
}

/** Started at login: the window stays hidden in the tray. */
export const hiddenSwitch = '--hidden'
const entryName = 'sidestage.desktop'

/** Quotes one argument of an Exec line (Desktop Entry Specification, The Exec key). */
const quoted = (text: string): string =>
  `"${text
    .replace(/[\\"`$]/g, (sign) => `\\${sign}`)
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')}"`

/** The autostart entry of a program; undefined when it contains a line break, which would add another key. */
export function autostartEntry(program: string, args: readonly string[]): string | undefined {
  const parts = [program, ...args]
  if (parts.some((part) => /[\p{Cc}]/u.test(part))) return undefined
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Sidestage',
    `Exec=${parts.map(quoted).join(' ')}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n')
}

/** Turns start at login on or off, and reports the resulting state. */
export function setLoginItem(
  wanted: boolean,
  { app, platform, program, args, autostart, log }: LoginItemPorts,
): DesktopState['startAtLogin'] {
  const all = [...args, hiddenSwitch]
  try {
    if (platform !== 'linux') {
      const item =
        platform === 'win32' ? { path: program, args: all.map((part) => (/\s/.test(part) ? `"${part}"` : part)) } : {}
      app.setLoginItemSettings({ openAtLogin: wanted, ...item })
      if (app.getLoginItemSettings(item).openAtLogin !== wanted) return 'failed'
      return wanted ? 'on' : 'off'
    }
    const file = path.join(autostart, entryName)
    if (!wanted) {
      rmSync(file, { force: true })
      return 'off'
    }
    const entry = autostartEntry(program, all)
    if (entry === undefined) return 'failed'
    let before: string | undefined
    try {
      before = readFileSync(file, 'utf8')
    } catch {
      // There is no entry yet.
    }
    if (before !== entry) {
      mkdirSync(autostart, { recursive: true, mode: 0o700 })
      // A half-written entry could start another program at login.
      writeAtomicallyNow(file, entry)
    }
    return 'on'
  } catch (error) {
    log(`starting with the session could not be set: ${reasonOf(error)}`)
    return 'failed'
  }
}
