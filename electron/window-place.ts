import { type BrowserWindow, type Rectangle, screen } from 'electron'
import { z } from 'zod'
import type { JsonFile } from '../platform/json-file.ts'
import { fitted, KeptBounds } from './screen-bounds.ts'
import { leastSize } from './windows.ts'

/** Place and size of the main window as they are kept; `maximized` besides the bounds that it returns to. */
export const KeptPlace = z.object({ bounds: KeptBounds, maximized: z.boolean() })
type KeptPlace = z.infer<typeof KeptPlace>

/** The areas in which windows may stand, that of the primary display first. */
function areas(): Rectangle[] {
  const primary = screen.getPrimaryDisplay()
  return [
    primary.workArea,
    ...screen
      .getAllDisplays()
      .filter(({ id }) => id !== primary.id)
      .map(({ workArea }) => workArea),
  ]
}

/** The place of the main window: put back fitted to the displays that there are, kept when the window goes. A kept one that cannot be read is left out. */
export async function openWindowPlace(
  file: JsonFile<KeptPlace>,
  log: (line: string) => void,
): Promise<{
  /** Puts a window where it was and follows it until it is gone. */
  follow(window: BrowserWindow): void
  /** Resolves when what was last is kept. */
  saved(): Promise<void>
}> {
  const kept = await file.load().catch(() => undefined)
  let saving: Promise<void> = Promise.resolve()
  const keep = (window: BrowserWindow): void => {
    if (window.isDestroyed()) return
    saving = file
      .save({ bounds: window.getNormalBounds(), maximized: window.isMaximized() })
      .catch((error: unknown) => {
        log(`the place of the window was not kept: ${String(error)}`)
      })
  }
  let last: BrowserWindow | undefined
  return {
    follow: (window) => {
      last = window
      if (kept) {
        window.setBounds(fitted(kept.bounds, areas(), leastSize))
        if (kept.maximized) window.maximize()
      }
      const refit = (): void => {
        if (!window.isDestroyed() && !window.isMaximized())
          window.setBounds(fitted(window.getNormalBounds(), areas(), leastSize))
      }
      screen.on('display-removed', refit)
      screen.on('display-metrics-changed', refit)
      // Before what may hold it in the tray or end it.
      window.on('close', () => {
        keep(window)
      })
      window.once('closed', () => {
        screen.off('display-removed', refit)
        screen.off('display-metrics-changed', refit)
      })
    },
    saved: async () => {
      if (last) keep(last)
      await saving
    },
  }
}
