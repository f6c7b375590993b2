import { createHmac, timingSafeEqual } from 'node:crypto'
import { cookieAttributes } from './cookie-attributes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ChannelAccessTable } from '../storage/access-tables.ts'

/** How long an entry by passphrase holds, in s: 30 days, unless the passphrase changes. */
const passphraseAge = 30 * 86_400
/** How long a browser keeps a named link, in s: 180 days. */
const linkAge = 180 * 86_400
const passShape = /^pass\.([0-9a-z]{1,9})\.([A-Za-z0-9_-]{43})$/
const linkShape = /^link\.([0-9a-z.A-Z_-]{1,64})$/

/** What a browser brings to a channel. */
export interface Entry {
  /** It gave the passphrase of this generation. */
  readonly passphrase: boolean
  /** Token of a named link, not verified. */
  readonly link?: string
}

/**
 * What an entry by passphrase is good for. The salted hash tells passphrases apart whose generation is the same, as
 * after a restart that undid a change, or a copy of the database that was put back.
 */
export type EntryOf = Pick<ChannelAccessTable, 'cid' | 'generation' | 'passphrase'>

/** Names of the cookies of a channel: a link does not take away that the passphrase was given. */
const passName = (cid: string): string => `sidestage-entry-${cid}`
const linkName = (cid: string): string => `sidestage-link-${cid}`

/** Cookies of those who were let in, for each channel one of its passphrase and one of a named link. */
export type EntryCookies = ReturnType<typeof createEntryCookies>

/** Makes them with a key of the service. */
export function createEntryCookies(options: { readonly key: Buffer; readonly clock: Pick<Clock, 'now'> }) {
  const { key, clock } = options
  const signature = ({ cid, generation, passphrase }: EntryOf, at: string): Buffer =>
    createHmac('sha256', key).update(`entry ${cid} ${generation} ${passphrase} ${at}`).digest()
  const isEntered = (value: string, entryOf: EntryOf): boolean => {
    const [, at, given] = passShape.exec(value) ?? []
    if (at === undefined || given === undefined) return false
    const bytes = Buffer.from(given, 'base64url')
    const expected = signature(entryOf, at)
    if (bytes.length !== expected.length || bytes.toString('base64url') !== given || !timingSafeEqual(bytes, expected))
      return false
    return clock.now() / 1000 - Number.parseInt(at, 36) < passphraseAge
  }
  return {
    /** Reads a Cookie header. */
    read(header: string = '', entryOf: EntryOf): Entry {
      let passphrase = false
      let link: string | undefined
      for (const part of header.split(';')) {
        const [name, value = ''] = part.trim().split('=', 2)
        if (name === passName(entryOf.cid)) passphrase = isEntered(value, entryOf)
        else if (name === linkName(entryOf.cid)) link = linkShape.exec(value)?.[1]
      }
      return { passphrase, ...(link !== undefined && { link }) }
    },
    /** Set-Cookie header of an entry by passphrase. */
    passphrase(entryOf: EntryOf, isSecure: boolean, isFramed = false): string {
      const at = Math.floor(clock.now() / 1000).toString(36)
      const value = `pass.${at}.${signature(entryOf, at).toString('base64url')}`
      return `${passName(entryOf.cid)}=${value}; ${cookieAttributes(passphraseAge, isSecure, isFramed)}`
    },
    /** Set-Cookie header of a named link. */
    link: (cid: string, token: string, isSecure: boolean, isFramed = false): string =>
      `${linkName(cid)}=link.${token}; ${cookieAttributes(linkAge, isSecure, isFramed)}`,
  }
}
