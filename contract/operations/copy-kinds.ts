/** Copies by `eventType`: 1 conversation message, 2 login, 3 logout, 4 chatroom message (3-chatrooms Events). */
export const copyKinds = [1, 2, 3, 4] as const
/** A kind of copies. */
export type CopyKind = (typeof copyKinds)[number]
/** Kinds active by default: login and logout must be activated (3-chatrooms Events). */
export const copyKindsAtFirst: readonly CopyKind[] = [1, 4]
