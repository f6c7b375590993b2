import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Tables } from '../storage/schema.ts'

/** Name of the cookie. */
export const guestCookie = 'sidestage-guest'
/** How long a browser is known as the same guest after its last visit, in s: 180 days (behaviour.md#guests). */
export const cookieAge = 180 * 86_400
const secretBytes = 32
const identityBytes = 12
const form = /^1\.([0-9a-f]{24})\.([0-9a-z]{1,9})\.([0-9a-f]{64})$/

/** Reads the secret of a database by which cookies and tokens of guests are signed; makes it at the first start. */
export async function loadGuestSecret(db: Kysely<Tables>, random: (bytes: number) => Buffer): Promise<string> {
  const made = random(secretBytes).toString('hex')
  await db
    .insertInto('guestKey')
    .values({ id: 1, secret: made })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await db.selectFrom('guestKey').select('secret').where('id', '=', 1).executeTakeFirstOrThrow()).secret
}

/** Signs a text for one purpose; in hex. */
export const signed = (secret: string, purpose: string, text: string): string =>
  createHmac('sha256', secret).update(`${purpose} ${text}`).digest('hex')

/** Tells browsers apart by a signed cookie: the same guest in every tab, after a reload, and on another day. */
export interface GuestCookies {
  /** Who a browser is by the Cookie header of its request; undefined for a new one, and for a cookie that was changed or is too old. */
  read(header: string | undefined): string | undefined
  /** A new identity. */
  make(): string
  /** The Set-Cookie header that keeps it; `isSecure` says that it goes over TLS. For every path, as a proxy may put a path of its own before ours. */
  write(identity: string, isSecure: boolean): string
}

/** Makes them over a secret. */
export function createGuestCookies(options: {
  readonly secret: string
  readonly clock: () => number
  readonly random: (bytes: number) => Buffer
}): GuestCookies {
  const { secret, clock, random } = options
  const signature = (identity: string, at: string): string => signed(secret, 'cookie', `${identity} ${at}`)
  const readValue = (value: string): string | undefined => {
    const [, identity, at, given] = form.exec(value) ?? []
    if (identity === undefined || at === undefined || given === undefined) return undefined
    if (!timingSafeEqual(Buffer.from(given), Buffer.from(signature(identity, at)))) return undefined
    return clock() / 1000 - parseInt(at, 36) < cookieAge ? identity : undefined
  }
  return {
    read(header = '') {
      for (const part of header.split(';')) {
        const [name, value = ''] = part.trim().split('=', 2)
        const identity = name === guestCookie ? readValue(value) : undefined
        if (identity !== undefined) return identity
      }
      return undefined
    },
    make: () => random(identityBytes).toString('hex'),
    write(identity, isSecure) {
      const at = Math.floor(clock() / 1000).toString(36)
      const value = `1.${identity}.${at}.${signature(identity, at)}`
      return `${guestCookie}=${value}; Path=/; Max-Age=${cookieAge}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
    },
  }
}
