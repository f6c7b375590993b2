import { isLoopbackGroup } from '../../platform/address-group.ts'
import type { RateRule } from '../../contract/operation.ts'
import type { Clock } from '../../platform/clock.ts'
import { createRateLimiter } from '../http/rate-limiter.ts'
import type { PagePlayers } from './page-players.ts'
import type { Ground } from './players.ts'

/**
 * Answers and short connections of a household that were broken off, where limits hold: of each at most the last piece
 * is not counted, and what the system still held of those before is, though it did not go out.
 */
const brokenRules: readonly RateRule[] = [{ per: 'address', calls: 30, seconds: 10, code: 416, block: 0 }]
/** One player of such a household that broke off fewer is not turned away for what others did. */
const byOneRules: readonly RateRule[] = [{ per: 'address', calls: 3, seconds: 10, code: 416, block: 0 }]
/** A connection that its player ends earlier counts as broken off, in ms. */
export const shortConnection = 10_000
/** What players of a household are told that broke off too much. */
export const tooMuchBrokenOff = {
  ok: false,
  status: 503,
  sentence: 'too many connections and answers of this address were broken off in the last 10 seconds',
  retryAfter: 10,
} as const

/** Counts what was broken off, for each channel: one whose viewers are not limited says nothing of another. */
export function createBrokenOff(options: {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly pages: Pick<PagePlayers, 'isKnown'>
  readonly isLimited: (cid: string, ground: Ground) => boolean
}) {
  const { clock, pages, isLimited } = options
  // Apart: names that players choose push no address out of a limiter.
  const [households, ones] = [createRateLimiter(clock), createRateLimiter(clock)]
  const ofHousehold = (cid: string, address: string) =>
    [`broken off ${cid}`, brokenRules, { application: 0, address }] as const
  const ofOne = (cid: string, one: string) =>
    ['broken off by one', byOneRules, { application: 0, address: `${cid} ${one}` }] as const
  return {
    /** What tells a page from others of its household, unless a page of another site may have made it up. */
    oneOf: (page: string | undefined): string | undefined =>
      page !== undefined && pages.isKnown(page) ? page : undefined,
    /** Somebody broke off what it was sent; `one` tells it from others of its household, if that is known. */
    count(cid: string, ground: Ground, from: string, one: string | undefined): void {
      // A proxy that names nobody seems to be here.
      if (isLoopbackGroup(from) || !isLimited(cid, ground)) return
      households.take(...ofHousehold(cid, from))
      if (one !== undefined) ones.take(...ofOne(cid, one))
    },
    /** Whether somebody is turned away for it. */
    isTooMuch: (cid: string, ground: Ground, from: string, one: string | undefined): boolean =>
      isLimited(cid, ground) &&
      households.exceeded(...ofHousehold(cid, from)) !== undefined &&
      (one === undefined || ones.exceeded(...ofOne(cid, one)) !== undefined),
  }
}
