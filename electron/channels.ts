/** Names on the way between the preload and the main process. */
export const channels = {
  connect: 'sidestage:connect',
  port: 'sidestage:port',
  window: 'sidestage:window',
  popOut: 'sidestage:pop-out',
  show: 'sidestage:show',
} as const

/**
 * What the page may ask of its own window; `pin` and `unpin` keep a room's window above all others, or no longer; `shield` and `unshield`
 * keep the window out of recordings of the screen while it shows a secret.
 */
export const windowCommands = ['minimize', 'toggleMaximize', 'close', 'pin', 'unpin', 'shield', 'unshield'] as const
/** One of them. */
export type WindowCommand = (typeof windowCommands)[number]

/** What came of asking for a room's own window: `full` when too many are open, `refused` when the question or the time was wrong. */
export type PopOutAnswer = 'opened' | 'full' | 'refused'
