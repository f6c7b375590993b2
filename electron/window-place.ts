import { type BrowserWindow, screen } from 'electron'
import { z } from 'zod'
import type { JsonFile } from '../platform/json-file.ts'
import { fitted, KeptBounds } from './screen-bounds.ts'
import { leastSize } from './windows.ts'
import { displayAreas } from './display-areas.ts'

/** Saved bounds of the main window; `maximized` besides the bounds to restore. */
export const KeptPlace = z.object({ bounds: KeptBounds, maximized: z.boolean() })
type KeptPlace = z.infer<typeof KeptPlace>

/** Bounds of the main window: restored to fit the present displays, saved on close. Unreadable ones are ignored. */
export async function openWindowPlace(
  file: JsonFile<KeptPlace>,
  log: (line: string) => void,
): Promise<{
  follow(window: BrowserWindow): void
  /** Resolves when the last bounds are saved. */
  saved(): Promise<void>
}> {
  const kept = await file.load().catch(() => undefined)
  let saving: Promise<void> = Promise.resolve()
  const keep = (window: BrowserWindow): void => {
    if (window.isDestroyed()) return
    saving = file
      .save({ bounds: window.getNormalBounds(), maximized: window.isMaximized() })
      .catch((error: unknown) => log(`the place of the window was not kept: ${String(error)}`))
  }
  let last: BrowserWindow | undefined
  return {
    follow: (window) => {
      last = window
      if (kept) {
        window.setBounds(fitted(kept.bounds, displayAreas(), leastSize))
        if (kept.maximized) window.maximize()
      }
      const refit = (): void => {
        if (!window.isDestroyed() && !window.isMaximized())
          window.setBounds(fitted(window.getNormalBounds(), displayAreas(), leastSize))
      }
      screen.on('display-removed', refit)
      screen.on('display-metrics-changed', refit)
      // Before the handlers that may hide or end it.
      window.on('close', () => keep(window))
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
