/** Names on the way between the preload and the main process. */
export const channels = { connect: 'sidestage:connect', port: 'sidestage:port', window: 'sidestage:window' } as const

/** What the page may ask of its own window. */
export const windowVerbs = ['minimize', 'toggleMaximize', 'close'] as const
/** One of them. */
export type WindowVerb = (typeof windowVerbs)[number]
