import { onTestFinished } from 'vitest'
import type { DesktopShell } from '../data/shell.ts'

/** The page is in a window of the desktop shell, on the system of the user agent where one is given. What it asks the shell for is noted, until the end of the test. */
export function desktopWindow(userAgent?: string): readonly string[] {
  const asked: string[] = []
  const note = (what: string) => () => void asked.push(what)
  const shell: DesktopShell = {
    shell: 'electron',
    connect: note('connect'),
    minimize: note('minimize'),
    toggleMaximize: note('toggleMaximize'),
    close: note('close'),
    pin: note('pin'),
    unpin: note('unpin'),
    shield: note('shield'),
    unshield: note('unshield'),
    popOut: () => Promise.resolve('opened'),
  }
  Object.assign(window, { sidestage: shell })
  if (userAgent !== undefined) Object.defineProperty(navigator, 'userAgent', { value: userAgent, configurable: true })
  onTestFinished(() => {
    Reflect.deleteProperty(window, 'sidestage')
    Reflect.deleteProperty(navigator, 'userAgent')
  })
  return asked
}

/** User agents of the systems on which windows differ. */
export const systems = {
  windows: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)',
  mac: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)',
  linux: 'Mozilla/5.0 (X11; Linux x86_64)',
} as const
