import { BrowserWindow, type Rectangle, screen } from 'electron'
import type { JsonFile } from '../platform/json-file.ts'
import type { PopOutAnswer } from './channels.ts'
import { fitted } from './screen-bounds.ts'
import { focus, guardedPreferences, look, pageAddress } from './windows.ts'
import { displayAreas } from './display-areas.ts'

/** The room of a window. Room numbers are unique within a service, which may be on another computer. */
interface RoomPlace {
  readonly roomid: number
  readonly profileId: string
  /** The joined room of another computer; null for one of this computer's profiles. */
  readonly joined: string | null
}

/** Windows with one room each, on top of others unless unpinned. */
export type PopOuts = Awaited<ReturnType<typeof createPopOuts>>

const most = 4
const least = { width: 340, height: 480 }
const usual = { width: 420, height: 720 }
/** Offset of a new window from the previous one, in px. */
const step = 24

/** Creates the room windows; Electron must be ready. Unreadable saved bounds are ignored. */
export async function createPopOuts(ports: {
  readonly preload: string
  readonly platform: NodeJS.Platform
  readonly icon: string
  /** File of the bounds of the room window closed last. */
  readonly bounds: JsonFile<Rectangle>
  readonly log: (line: string) => void
}) {
  const windows = new Map<string, BrowserWindow>()
  let ended = false
  let kept = await ports.bounds.load().catch(() => undefined)
  let keeping: Promise<void> = Promise.resolve()

  const keep = (window: BrowserWindow): void => {
    if (window.isDestroyed()) return
    kept = window.getNormalBounds()
    keeping = ports.bounds.save(kept).catch((error: unknown) => {
      ports.log(`the place of a room's window was not kept: ${String(error)}`)
    })
  }
  const firstPlace = (): Rectangle => {
    const [area] = displayAreas()
    return { x: (area?.x ?? 0) + (area?.width ?? 0) - usual.width - step, y: (area?.y ?? 0) + step, ...usual }
  }
  const place = (): Rectangle => {
    const { x, y, width, height } = kept ?? firstPlace()
    return fitted({ x: x - step * windows.size, y: y + step * windows.size, width, height }, displayAreas(), least)
  }
  const refit = (): void => {
    for (const window of windows.values()) {
      if (window.isDestroyed()) continue
      const now = window.getNormalBounds()
      const next = fitted(now, displayAreas(), least)
      if (next.x !== now.x || next.y !== now.y || next.width !== now.width || next.height !== now.height)
        window.setBounds(next)
    }
  }
  screen.on('display-removed', refit)
  screen.on('display-metrics-changed', refit)

  return {
    /** Opens a room's window or focuses the existing one. At most four are open; the result is then `full`. */
    open: async ({ roomid, profileId, joined }: RoomPlace): Promise<PopOutAnswer> => {
      if (ended) return 'refused'
      const address = `${pageAddress}${joined === null ? '' : `?joined=${joined}`}#/pop-out/room/${roomid}/${encodeURIComponent(profileId)}`
      const there = windows.get(address)
      if (there && !there.isDestroyed()) {
        focus(there)
        return 'opened'
      }
      windows.delete(address)
      if (windows.size >= most) return 'full'
      const window = new BrowserWindow({
        title: 'Sidestage',
        ...place(),
        minWidth: least.width,
        minHeight: least.height,
        show: false,
        backgroundColor: '#0A0C10',
        icon: ports.icon,
        autoHideMenuBar: true,
        alwaysOnTop: true,
        fullscreenable: false,
        ...look(ports.platform),
        webPreferences: { ...guardedPreferences, preload: ports.preload },
      })
      windows.set(address, window)
      window.once('ready-to-show', () => window.show())
      window.on('close', () => keep(window))
      window.once('closed', () => {
        if (windows.get(address) === window) windows.delete(address)
      })
      // A crashed page would stay on top of everything, blank.
      window.webContents.once('render-process-gone', () => {
        if (!window.isDestroyed()) window.destroy()
      })
      try {
        await window.loadURL(address)
        return 'opened'
      } catch {
        if (!window.isDestroyed()) window.destroy()
        return 'refused'
      }
    },
    has: (window: BrowserWindow): boolean => [...windows.values()].includes(window),
    /** Closes all and opens no more; resolves when the bounds are saved. */
    end: async () => {
      ended = true
      screen.off('display-removed', refit)
      screen.off('display-metrics-changed', refit)
      for (const window of windows.values()) {
        keep(window)
        if (!window.isDestroyed()) window.destroy()
      }
      await keeping
    },
  }
}
