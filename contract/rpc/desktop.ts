import { z } from 'zod'

/** Commands of global keys: mute or unmute the open rooms, start or stop recording what is on air, show the window. */
export const GlobalCommand = z.enum(['panic', 'record', 'show'])
export type GlobalCommand = z.infer<typeof GlobalCommand>

/** In Electron's spelling. Only function keys may be alone, so that no letter is taken from other programs. */
export const GlobalKey = z
  .string()
  .max(64)
  .regex(
    /^(?:(?:CommandOrControl|Alt|Super)\+(?:Alt\+)?(?:Shift\+)?(?:[A-Z0-9]|F(?:[1-9]|1\d|2[0-4])|Space|Home|End|PageUp|PageDown|Insert)|(?:Shift\+)?F(?:[1-9]|1\d|2[0-4]))$/,
  )

/** Subjects of the system's notifications. */
export const NoticeKind = z.enum(['onAir', 'pushLost', 'recordingStopped', 'diskLow', 'signInFailed'])
export type NoticeKind = z.infer<typeof NoticeKind>

/** State of the settings that depend on the system. */
export const DesktopState = z.object({
  /** `taken`: another program has the key. */
  keys: z.array(z.object({ command: GlobalCommand, key: z.string(), state: z.enum(['registered', 'taken']) })),
  /** Whether the app starts at log-in; `failed`: the system refused. */
  startAtLogin: z.enum(['on', 'off', 'failed']),
})
export type DesktopState = z.infer<typeof DesktopState>

/** Settings of the desktop window; without effect in the browser shell. */
export const desktopSettings = {
  /** Global keys by command; none by default. */
  globalKeys: z
    .partialRecord(GlobalCommand, GlobalKey)
    .refine((keys) => new Set(Object.values(keys)).size === Object.keys(keys).length, 'each once'),
  /** Enabled notifications. */
  notices: z.array(NoticeKind).max(NoticeKind.options.length),
  startAtLogin: z.boolean(),
  /** Closing the window keeps the app in the tray, even while nothing is on air. */
  closeToTray: z.boolean(),
}
