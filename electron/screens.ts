import type { BrowserWindow } from 'electron'
import { channels } from './channels.ts'
import { readDeepLink, routeOf } from './deep-link.ts'
import { focus } from './windows.ts'

/** Brings the window to the front and has its page show a screen. */
export interface Screens {
  /** Shows a route of the page, of a profile where it is about one. */
  show(route: string, profileId?: string): void
  /** Shows what an address asks for, which anybody may have written; anything but the known forms is left out. */
  follow(address: unknown): void
  /** The page of this window is there and listens; what was asked for before is shown now. */
  ready(window: BrowserWindow): void
}

/** Creates it; what comes before the page is there waits, the newest only. */
export function createScreens(log: (line: string) => void): Screens {
  let window: BrowserWindow | undefined
  let waiting: { readonly route: string; readonly profileId: string | null } | undefined
  const send = (): void => {
    if (!window || window.isDestroyed()) return
    focus(window)
    if (waiting) window.webContents.send(channels.show, waiting)
    waiting = undefined
  }
  const show = (route: string, profileId?: string): void => {
    waiting = { route, profileId: profileId ?? null }
    send()
  }
  return {
    show,
    follow: (address) => {
      const link = readDeepLink(address)
      if (link) show(routeOf(link))
      // Not a word of it: it may hold an invitation's code.
      else log('an address of this app that it does not know was left out')
    },
    ready: (opened) => {
      window = opened
      if (waiting) send()
    },
  }
}
