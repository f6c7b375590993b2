import { timingSafeEqual } from 'node:crypto'
import { groundPattern, readGround, writeGround } from '../access/ground-text.ts'
import type { Ground } from '../access/players.ts'
import { signed } from './guest-cookie.ts'

/** On what ground the page of a guest was let in to a channel. */
export interface GuestGround {
  readonly cid: string
  readonly ground: Ground
}

/** What the token of a guest says. */
export interface GuestPass extends GuestGround {
  readonly roomid: number
  /** Begin of the guest's life, in ms. */
  readonly created: number
  /** When this token was given, in ms. */
  readonly issued: number
}

const form = new RegExp(
  `^2\\.([0-9a-z]{1,9})\\.([0-9a-z]{1,9})\\.([0-9a-z]{1,11})\\.([0-9a-f]{32})\\.(${groundPattern})\\.([0-9a-f]{32})$`,
)

/** Makes tokens that every service with the same secret (`loadGuestSecret`) can read, whichever of them gave one. */
export function createGuestTokens(secret: string) {
  // 128 bits.
  const signature = (uid: number, accid: string, text: string): string =>
    signed(secret, 'pass', `${uid} ${accid} ${text}`).slice(0, 32)
  return {
    write(uid: number, accid: string, { created, issued, roomid, cid, ground }: GuestPass): string {
      const numbers = [created, issued, roomid].map((number) => number.toString(36))
      const text = `2.${numbers.join('.')}.${cid}.${writeGround(ground)}`
      return `${text}.${signature(uid, accid, text)}`
    },
    /** Undefined for what is no such token of this guest. */
    read(uid: number, accid: string, token: string): GuestPass | undefined {
      const [, created, issued, roomid, cid, kind, given] = form.exec(token) ?? []
      if (cid === undefined || kind === undefined || given === undefined) return undefined
      const text = token.slice(0, -given.length - 1)
      if (!timingSafeEqual(Buffer.from(given), Buffer.from(signature(uid, accid, text)))) return undefined
      const ground = readGround(kind)
      const [from, at, room] = [created, issued, roomid].map((number = '') => Number.parseInt(number, 36))
      return ground && { created: from!, issued: at!, roomid: room!, cid, ground }
    },
  }
}

/** Signed tokens of guests. */
export type GuestTokens = ReturnType<typeof createGuestTokens>
