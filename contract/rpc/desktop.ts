import { z } from 'zod'

/** What a key that works from other windows can do: mute the open rooms or lift that, record what is on air or stop that, bring the window to the front. */
export const GlobalCommand = z.enum(['panic', 'record', 'show'])
/** One of them. */
export type GlobalCommand = z.infer<typeof GlobalCommand>

/**
 * A key that the system hands over from any window, in Electron's spelling. A function key may stand alone; anything else is held with
 * Ctrl, Alt or ⌘, so that no letter is taken away from what people write elsewhere.
 */
export const GlobalKey = z
  .string()
  .max(64)
  .regex(
    /^(?:(?:CommandOrControl|Alt|Super)\+(?:Alt\+)?(?:Shift\+)?(?:[A-Z0-9]|F(?:[1-9]|1\d|2[0-4])|Space|Home|End|PageUp|PageDown|Insert)|(?:Shift\+)?F(?:[1-9]|1\d|2[0-4]))$/,
  )

/** What the system's own notifications tell of. */
export const NoticeKind = z.enum(['onAir', 'pushLost', 'recordingStopped', 'diskLow', 'signInFailed'])
/** One kind of notification. */
export type NoticeKind = z.infer<typeof NoticeKind>

/** What became of the wishes that only the system can fulfil. */
export const DesktopState = z.object({
  /** `taken`: the system does not give the key, as another program has it. */
  keys: z.array(z.object({ command: GlobalCommand, key: z.string(), state: z.enum(['registered', 'taken']) })),
  /** Whether the app starts with the session now; `failed`: the system did not take the wish. */
  startAtLogin: z.enum(['on', 'off', 'failed']),
})
/** What became of the wishes that only the system can fulfil. */
export type DesktopState = z.infer<typeof DesktopState>

/** Settings of the desktop window; in the browser shell they are kept and have no effect. */
export const desktopSettings = {
  /** Keys that also work from other windows, by command; none at first. */
  globalKeys: z
    .partialRecord(GlobalCommand, GlobalKey)
    .refine((keys) => new Set(Object.values(keys)).size === Object.keys(keys).length, 'each once'),
  /** Which notifications are shown. */
  notices: z.array(NoticeKind).max(NoticeKind.options.length),
  startAtLogin: z.boolean(),
  /** Closing the window leaves the app in the tray, also while nothing is on air. */
  closeToTray: z.boolean(),
}
