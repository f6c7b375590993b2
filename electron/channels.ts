/** IPC channel names shared by the preload script and the main process. */
export const channels = {
  connect: 'sidestage:connect',
  port: 'sidestage:port',
  window: 'sidestage:window',
  popOut: 'sidestage:pop-out',
  show: 'sidestage:show',
} as const

/** Commands to its own window: (un)pin: stays on top; (un)shield: hidden from screen capture, while a secret shows. */
export const windowCommands = ['minimize', 'toggleMaximize', 'close', 'pin', 'unpin', 'shield', 'unshield'] as const
/** A window command. */
export type WindowCommand = (typeof windowCommands)[number]

/** Result of opening a room's own window: `full` when too many are open, `refused` for an invalid request or a closing app. */
export type PopOutAnswer = 'opened' | 'full' | 'refused'
