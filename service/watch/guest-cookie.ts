import type { Clock } from '../../platform/clock.ts'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { cookieAttributes } from '../access/cookie-attributes.ts'
import type { Kysely } from 'kysely'
import type { Tables } from '../storage/schema.ts'

/** Name of the cookie. */
export const guestCookie = 'sidestage-guest'
/** How long a browser is recognised after its last visit, in s: 180 days (behaviour.md#guests). */
export const cookieAge = 180 * 86_400
const secretBytes = 32
const identityBytes = 12
const form = /^1\.([0-9a-f]{24})\.([0-9a-z]{1,9})\.([0-9a-f]{64})$/

/** Reads the secret that signs cookies and tokens of guests; makes it at the first start. */
export async function loadGuestSecret(db: Kysely<Tables>, random: (bytes: number) => Buffer): Promise<string> {
  const made = random(secretBytes).toString('hex')
  await db
    .insertInto('guestKey')
    .values({ id: 1, secret: made })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await db.selectFrom('guestKey').select('secret').where('id', '=', 1).executeTakeFirstOrThrow()).secret
}

/** Signs a text for one purpose; hex. */
export const signed = (secret: string, purpose: string, text: string): string =>
  createHmac('sha256', secret).update(`${purpose} ${text}`).digest('hex')

/** Makes them with a secret. */
export function createGuestCookies(options: {
  readonly secret: string
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
}) {
  const { secret, clock, random } = options
  const signature = (identity: string, at: string): string => signed(secret, 'cookie', `${identity} ${at}`)
  const readValue = (value: string): string | undefined => {
    const [, identity, at, given] = form.exec(value) ?? []
    if (identity === undefined || at === undefined || given === undefined) return undefined
    if (!timingSafeEqual(Buffer.from(given), Buffer.from(signature(identity, at)))) return undefined
    return clock.now() / 1000 - parseInt(at, 36) < cookieAge ? identity : undefined
  }
  return {
    /** Identity in a Cookie header; undefined if missing, forged or expired. */
    read(header: string = ''): string | undefined {
      for (const part of header.split(';')) {
        const [name, value = ''] = part.trim().split('=', 2)
        const identity = name === guestCookie ? readValue(value) : undefined
        if (identity !== undefined) return identity
      }
      return undefined
    },
    /** A new identity. */
    make: (): string => random(identityBytes).toString('hex'),
    /**
     * Set-Cookie header; `isSecure` for TLS. For every path, as a proxy may add a path prefix. In frames of other sites
     * it is of that site alone.
     */
    write(identity: string, isSecure: boolean, isFramed = false): string {
      const at = Math.floor(clock.now() / 1000).toString(36)
      const value = `1.${identity}.${at}.${signature(identity, at)}`
      return `${guestCookie}=${value}; ${cookieAttributes(cookieAge, isSecure, isFramed)}`
    },
  }
}

/** Identifies browsers by a signed cookie: the same guest in every tab and on later visits. */
export type GuestCookies = ReturnType<typeof createGuestCookies>
