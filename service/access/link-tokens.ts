import { createHmac, timingSafeEqual } from 'node:crypto'
import type { NamedLinkTable } from '../storage/access-tables.ts'

/** Bytes of a token's signature: 128 bits. */
const signatureBytes = 16
const shape = /^([0-9a-z]{1,11})\.([A-Za-z0-9_-]{22})$/
/** Number of the application's own link, which pull addresses of the API carry. */
export const ownLink = 0
/** It has no row; `ownSince` of the channel's is when it was renewed. */
export const ownLinkOf = ({ cid, ownSince }: { readonly cid: string; readonly ownSince: number }): TokenOf => ({
  cid,
  linkId: ownLink,
  created: ownSince,
})

/** What a token is of. The time tells links of one number apart, as after a copy of the database was put back. */
export type TokenOf = Pick<NamedLinkTable, 'cid' | 'created'> & { readonly linkId: number }

/** Makes and reads the tokens of named links, which are derived: nothing secret is stored. */
export type LinkTokens = ReturnType<typeof createLinkTokens>

/** Makes it with a key of the service. */
export function createLinkTokens(key: Buffer) {
  const signature = ({ cid, linkId, created }: TokenOf): Buffer =>
    createHmac('sha256', key).update(`link ${cid} ${linkId} ${created}`).digest().subarray(0, signatureBytes)
  return {
    /** The token of a link, for addresses. */
    write: (link: TokenOf): string => `${link.linkId.toString(36)}.${signature(link).toString('base64url')}`,
    /**
     * The link of a token; undefined when it is not one of this channel (compared in constant time). `createdAt` is
     * asked for the time of a link.
     */
    read(cid: string, token: string, createdAt: (linkId: number) => number | undefined): number | undefined {
      const [, id, given] = shape.exec(token) ?? []
      if (id === undefined || given === undefined) return undefined
      const linkId = Number.parseInt(id, 36)
      // One spelling: without zeros before it.
      if (!Number.isSafeInteger(linkId) || linkId.toString(36) !== id) return undefined
      const created = createdAt(linkId)
      if (created === undefined) return undefined
      const bytes = Buffer.from(given, 'base64url')
      // Bits that are left over in the last character must be 0, so that a token has one spelling.
      const isPlain = bytes.length === signatureBytes && bytes.toString('base64url') === given
      return isPlain && timingSafeEqual(bytes, signature({ cid, linkId, created })) ? linkId : undefined
    },
  }
}
