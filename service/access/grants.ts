import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { groundPattern, readGround, writeGround } from './ground-text.ts'
import type { Ground } from './players.ts'

/** For so long somebody may begin with a grant, in ms; who watches goes on with it. */
const grantFor = 120_000
const shape = new RegExp(`^([0-9a-z]{1,9})\\.(${groundPattern})\\.([A-Za-z0-9_-]{22})$`)
/** Bytes of a signature: 128 bits. */
const signatureBytes = 16

/**
 * Makes grants, with the key that all services of a database have: what one node let somebody in for, for another one,
 * where cookies and passwords do not get.
 */
export function createGrants({ key, clock }: { readonly key: Buffer; readonly clock: Pick<Clock, 'now'> }) {
  const signature = (cid: string, until: string, ground: string): Buffer =>
    createHmac('sha256', key).update(`grant ${cid} ${until} ${ground}`).digest().subarray(0, signatureBytes)
  return {
    write(cid: string, ground: Ground): string {
      const until = Math.ceil((clock.now() + grantFor) / 1000).toString(36)
      const text = writeGround(ground)
      return `${until}.${text}.${signature(cid, until, text).toString('base64url')}`
    },
    /** The ground of a grant; `isLate` when nobody may begin with it any more. Undefined when it is none. */
    read(cid: string, grant: string): { readonly ground: Ground; readonly isLate: boolean } | undefined {
      const [, until, text, given] = shape.exec(grant) ?? []
      if (until === undefined || text === undefined || given === undefined) return undefined
      const bytes = Buffer.from(given, 'base64url')
      if (bytes.length !== signatureBytes || !timingSafeEqual(bytes, signature(cid, until, text))) return undefined
      const ground = readGround(text)
      return ground && { ground, isLate: Number.parseInt(until, 36) * 1000 < clock.now() }
    },
  }
}

/** Writes and reads them. */
export type Grants = ReturnType<typeof createGrants>
