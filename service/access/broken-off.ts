import { householdOf, isLoopbackGroup } from '../../platform/address-group.ts'
import type { RateRule } from '../../contract/operation.ts'
import type { Clock } from '../../platform/clock.ts'
import { createLru } from '../../platform/lru.ts'
import { createRateLimiter } from '../http/rate-limiter.ts'
import type { Ground } from './players.ts'

/**
 * Answers and short connections of a household that were broken off, where limits hold: each counts with a piece that
 * may not have gone out, so that too many of them would use up what others may have.
 */
const brokenRules: readonly RateRule[] = [{ per: 'address', calls: 30, seconds: 10, code: 416, block: 0 }]
/** New answers and connections of a household that broke off more, not fewer than keep it so; the others wait. */
const turnRules: readonly RateRule[] = [{ per: 'address', calls: 4, seconds: 1, code: 416, block: 0 }]
/** A connection that its player ends earlier counts as broken off, in ms. */
const shortConnection = 3_000
/** More than is sent to who reads nothing: who was sent so much for each answer that it broke off does not wait. */
const creditBytes = 1024 * 1024
/** Whether a connection that its player ended counts as broken off: it was short, or not read as a viewer does. */
export const isBrokenOff = (age: number, sent: number): boolean => age < shortConnection || sent < creditBytes
/** Connections and answers of a household that were not yet sent as much; beyond them new ones wait their turn too. */
const maxUnproven = 100
/** Players whose bytes are remembered; the one that was looked at longest ago is forgotten. */
const maxPlayers = 20_000
/** The longest wait for a turn, and how often it is looked for; ms. */
const maxWait = 20_000
const lookEvery = 100
/** What players are told who waited too long. */
export const tooMuchBrokenOff = {
  ok: false,
  status: 503,
  sentence: 'too many connections and answers of this address were broken off',
  retryAfter: 10,
} as const

/** A player of a channel that asks; `name` tells it from others of its household, if that is known. */
export interface BrokenOffOf {
  readonly cid: string
  readonly ground: Ground
  readonly from: string
  readonly name?: string | undefined
}

/** What is known of a player: bytes that it was sent, answers that it broke off, and those that may still be. */
interface Player {
  sent: number
  broken: number
  open: number
}

/** Counts what was broken off, for each channel: one whose viewers are not limited says nothing of another. */
export function createBrokenOff(options: {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>
  readonly isLimited: (cid: string, ground: Ground) => boolean
}) {
  const { clock, isLimited } = options
  // Apart: names that players choose push no address out of its limiter.
  const limiter = createRateLimiter(clock)
  const players = createLru<Player>(maxPlayers)
  const playerOf = (cid: string, name: string) => players.of(`${cid} ${name}`, () => ({ sent: 0, broken: 0, open: 0 }))
  /** Those that began without a wait and have not ended: each may still be broken off. */
  const began = new WeakMap<BrokenOffOf, Player>()
  const takesCredit = (player: BrokenOffOf): boolean => {
    const { cid, name } = player
    const known = name === undefined ? undefined : players.get(`${cid} ${name}`)
    if (!known || known.sent < (known.broken + known.open + 1) * creditBytes) return false
    known.open += 1
    began.set(player, known)
    return true
  }
  /** Connections of each household of a channel: what each was sent. */
  const connected = new Map<string, Set<() => number>>()
  const nameOf = ({ cid, from }: BrokenOffOf): string => `${cid} ${householdOf(from)}`
  /** Looks at no more of them than it takes to know: each that waits asks often. */
  const isUnproven = (player: BrokenOffOf): boolean => {
    let left = maxUnproven
    for (const sent of connected.get(nameOf(player)) ?? []) if (sent() < creditBytes && --left === 0) return true
    return false
  }
  const isOverRate = ({ cid, from }: BrokenOffOf): boolean =>
    limiter.exceeded(`broken off ${cid}`, brokenRules, { application: 0, address: from }) !== undefined
  const isTooMuch = (player: BrokenOffOf): boolean => isOverRate(player) || isUnproven(player)
  const takesTurn = ({ cid, from }: BrokenOffOf): boolean =>
    limiter.take(`turn ${cid}`, turnRules, { application: 0, address: from }) === undefined
  return {
    /** A player was sent so many bytes. */
    sent({ cid, ground, name }: BrokenOffOf, bytes: number): void {
      if (name !== undefined && isLimited(cid, ground)) playerOf(cid, name).sent += bytes
    },
    /** A player broke off what it was sent. */
    count({ cid, ground, from, name }: BrokenOffOf): void {
      // A proxy that names nobody seems to be here.
      if (isLoopbackGroup(from) || !isLimited(cid, ground)) return
      limiter.count(`broken off ${cid}`, brokenRules, { application: 0, address: from })
      if (name !== undefined) playerOf(cid, name).broken += 1
    },
    /** Resolves to true when a player may begin, to false when it is gone meanwhile or would wait too long. */
    async turn(player: BrokenOffOf, isGone: () => boolean): Promise<boolean> {
      const until = clock.monotonic() + maxWait
      while (isLimited(player.cid, player.ground) && isTooMuch(player) && !takesCredit(player) && !takesTurn(player)) {
        await new Promise<void>((resolve) => clock.after(lookEvery, resolve))
        if (isGone() || clock.monotonic() >= until) return false
      }
      return true
    },
    /** A player is connected, and was sent so much; the returned function removes it. */
    connected(player: BrokenOffOf, sent: () => number): () => void {
      const name = nameOf(player)
      // A proxy that names nobody seems to be here.
      if (isLoopbackGroup(player.from)) return () => undefined
      const those = connected.get(name) ?? new Set()
      connected.set(name, those.add(sent))
      return () => {
        those.delete(sent)
        if (those.size === 0 && connected.get(name) === those) connected.delete(name)
      }
    },
    /** What `turn` let begin has ended; the same player as was given there. */
    ended(player: BrokenOffOf): void {
      const known = began.get(player)
      began.delete(player)
      if (known) known.open -= 1
    },
  }
}
