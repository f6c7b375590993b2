import { cookieAttributes } from './cookie-attributes.ts'

/** Cookie that tells a waiting page from others; it opens nothing, so it is not signed. */
const turnCookie = 'sidestage-turn'
const shape = /(?:^|;\s*)sidestage-turn=([A-Za-z0-9_-]{16})(?:;|$)/
/** Bytes of a turn. */
const turnBytes = 12
/** How long a browser keeps it, in s. */
const age = 3600

/** The turn of a Cookie header. */
export const readTurn = (header: string = ''): string | undefined => shape.exec(header)?.[1]
/** A new turn. */
export const makeTurn = (random: (bytes: number) => Buffer): string => random(turnBytes).toString('base64url')
/** Set-Cookie header of a turn. */
export const writeTurn = (turn: string, isSecure: boolean, isFramed: boolean): string =>
  `${turnCookie}=${turn}; ${cookieAttributes(age, isSecure, isFramed)}`
