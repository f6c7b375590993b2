import type { BrowserWindow } from 'electron'
import { channels } from './channels.ts'
import { readDeepLink, routeOf } from './deep-link.ts'
import { focus } from './windows.ts'

/** Focuses the window and opens a screen. */
export type Screens = ReturnType<typeof createScreens>

/** Creates the opener. Before the page is loaded only the newest request is kept. */
export function createScreens(log: (line: string) => void) {
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
    /** Opens a route, after switching to its profile where it has one. */
    show,
    /** Opens an untrusted deep link; unknown forms are ignored. */
    follow: (address: unknown) => {
      const link = readDeepLink(address)
      if (link) show(routeOf(link))
      // Nothing of it is logged: it may contain an invitation's code.
      else log('an address of this app that it does not know was left out')
    },
    /** The page listens now; a pending request is shown. */
    ready: (opened: BrowserWindow) => {
      window = opened
      if (waiting) send()
    },
  }
}
