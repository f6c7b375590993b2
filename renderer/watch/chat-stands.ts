import type { Outside } from './visit.ts'
import { say } from './words.ts'

/** Why the page is not in the room. */
export type Stand = Outside | 'guests' | 'many'

/** Words for each reason. */
export const stands: Readonly<Record<Stand, () => string>> = {
  connecting: () => say('connecting'),
  reconnecting: () => say('reconnecting'),
  refused: () => say('connecting'),
  barred: () => say('connecting'),
  ended: () => say('reconnecting'),
  elsewhere: () => say('elsewhere'),
  closed: () => say('roomClosed'),
  banned: () => say('banned'),
  guests: () => say(window.isSecureContext ? 'guestsOff' : 'guestsOffPlain'),
  many: () => say('guestsMany'),
}
/** Words for a refused name. */
export const refusedNames: Readonly<Record<string, (nick: string) => string>> = {
  taken: (nick) => say('nameTaken', { nick }),
  reserved: (nick) => say('nameReserved', { nick }),
  caught: (nick) => say('nameCaught', { nick }),
  later: (nick) => say('nameLater', { nick }),
}
