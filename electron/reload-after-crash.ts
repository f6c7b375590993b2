import type { BrowserWindow } from 'electron'
import type { Clock } from '../platform/clock.ts'

/** Maximum of reloads within a time in ms; a page that crashes more often would only crash again. */
export const reloadLimit = { most: 3, within: 60_000 } as const

/** Reloads a window's page after its process crashed. The service and broadcasts run on. */
export function reloadAfterCrash(window: BrowserWindow, clock: Pick<Clock, 'now'>, log: (line: string) => void): void {
  let crashes: number[] = []
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit' || window.isDestroyed()) return
    const now = clock.now()
    crashes = [...crashes.filter((at) => now - at < reloadLimit.within), now]
    if (crashes.length > reloadLimit.most) {
      log(
        `the page of the window is gone (${reason}) for the ${crashes.length}th time within a minute: it is not loaded again`,
      )
      return
    }
    log(`the page of the window is gone (${reason}): it is loaded again`)
    window.webContents.reload()
  })
}
