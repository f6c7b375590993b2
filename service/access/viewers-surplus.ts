import type { Clock } from '../../platform/clock.ts'
import { repeated } from '../../platform/repeated.ts'
import type { Presence } from '../presence/presence.ts'
import type { Players } from './players.ts'
import { createEntries, type ViewersElsewhere } from './viewers-elsewhere.ts'

/** Viewers of an application at a service that sees more of them than its limit. */
interface Counted {
  readonly viewers: number
  /** When the newest of them came, in ms, descending; only those that came under the limit of now. */
  readonly newest: readonly number[]
}

/** How often it is looked for a surplus, in ms, and in how many looks it has to be there before somebody is ended. */
const lookEvery = 250
const looks = 3
/** Of each service so many are told, and so many are ended at a look. */
const mostTold = 500

/**
 * Services that give their last places in the same moment give too many. Each then tells which of its players are the
 * newest, and ends those of its own that are among the surplus over all: by time, then by the name of the service.
 * Who watched before a limit was lowered stays, as at a service that is alone.
 */
export function endSurplus(options: {
  readonly presence: Presence
  readonly node: string
  readonly uids: readonly number[]
  readonly uidOf: (cid: string) => number | undefined
  readonly players: Pick<Players, 'all' | 'since'>
  readonly elsewhere: Pick<ViewersElsewhere, 'of' | 'nodes'>
  readonly maxViewers: (uid: number) => number
  readonly clock: Pick<Clock, 'after' | 'now' | 'monotonic'>
}): () => void {
  const { presence, node, uids, uidOf, players, elsewhere, maxViewers, clock } = options
  const entries = createEntries<Counted>(presence, 'viewersSurplus')
  const toWall = clock.now() - clock.monotonic()
  let lookedAt = clock.monotonic()
  const states = new Map(uids.map((uid) => [uid, { limit: 0, since: 0, surplus: [] as number[] }]))
  return repeated(clock, lookEvery, () => {
    const told = new Map<string, Counted>()
    for (const [uid, state] of states) {
      const limit = maxViewers(uid)
      if (limit > 0 && (state.limit === 0 || limit < state.limit)) state.since = lookedAt
      state.limit = limit
      const isMine = (cid: string): boolean => uidOf(cid) === uid
      const viewers = players.all(isMine)
      if (limit === 0 || viewers + elsewhere.of(uid).viewers <= limit) {
        state.surplus = []
        continue
      }
      const mine = players
        .since(isMine, state.since)
        .map(({ since, end }) => ({ at: Math.round(since + toWall), node, end }))
        .toReversed()
        .slice(0, mostTold)
      told.set(String(uid), { viewers, newest: mine.map(({ at }) => at) })
      const others = entries.byNode(String(uid))
      const known = new Set(others.map(([name]) => name))
      // Who has not told yet, or is of an earlier release, may have the newest.
      if (!elsewhere.nodes(uid).every((name) => known.has(name))) continue
      state.surplus.push(others.reduce((sum, [, there]) => sum + there.viewers, viewers) - limit)
      if (state.surplus.length < looks) continue
      state.surplus = state.surplus.slice(-looks)
      const surplus = Math.max(0, Math.min(mostTold, ...state.surplus))
      const all = others.flatMap(([name, { newest }]) => newest.map((at) => ({ at, node: name, end: undefined })))
      const order = [...mine, ...all].toSorted(
        (one, two) => two.at - one.at || (one.node < two.node ? 1 : one.node > two.node ? -1 : 0),
      )
      for (const { end } of order.slice(0, surplus)) end?.()
    }
    lookedAt = clock.monotonic()
    entries.tell(told)
  })
}
