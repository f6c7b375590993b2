/** On what ground somebody watches. */
export type Ground =
  /** Players on this computer, and the app's own previews. */
  | { readonly kind: 'free' }
  | { readonly kind: 'everybody' }
  | { readonly kind: 'passphrase'; readonly generation: number }
  | { readonly kind: 'link'; readonly linkId: number }
  /** The application's own link, as it is since a time. */
  | { readonly kind: 'own'; readonly since: number }
  /** A visit that proves that the reach works; it ends with any change of who may watch. */
  | { readonly kind: 'visit' }

/** The longest that a visit runs, and that its player and its guest stay, in ms. */
export const visitFor = 3 * 60_000

/** Whether a player takes a place and its bytes count. */
export const isCounted = ({ kind }: Ground): boolean => kind !== 'free' && kind !== 'visit'

/** Somebody who watches now. */
export interface Player {
  readonly cid: string
  readonly ground: Ground
  /** Ends it, within a turn. */
  readonly end: () => void
  /** Bytes sent so far, for the figure of the upload. */
  readonly sent?: () => number
  /** Tells browsers apart, as for HLS. */
  readonly key?: string
}

/** Who watches now, over all doors; HLS players are those that asked within some seconds. */
export type Players = ReturnType<typeof createPlayers>

/** HLS players remembered for a channel, and how long after their last request; ms. */
const maxPolling = 10_000
/** After this time without a request an HLS player has left; ms. */
const pollingFor = 15_000

interface Polling {
  readonly ground: Ground
  at: number
}

/** Makes it. */
export function createPlayers(clock: { monotonic(): number }) {
  const connected = new Map<string, Set<Player>>()
  const polling = new Map<string, Map<string, Polling>>()
  /** Bytes of players that have left, and of single answers. */
  let past = 0

  const forgetIdle = (cid: string): Map<string, Polling> | undefined => {
    const those = polling.get(cid)
    if (!those) return undefined
    const since = clock.monotonic() - pollingFor
    // In order of their last request.
    for (const [key, { at }] of those) {
      if (at >= since) break
      those.delete(key)
    }
    if (those.size === 0) polling.delete(cid)
    return those
  }
  const count = (cid: string, matches: (ground: Ground) => boolean): number => {
    let found = 0
    for (const { ground } of connected.get(cid) ?? []) if (matches(ground)) found += 1
    for (const { ground } of forgetIdle(cid)?.values() ?? []) if (matches(ground)) found += 1
    return found
  }

  return {
    /** Adds a connected player; the returned function removes it. */
    add(player: Player): () => void {
      const { cid, sent } = player
      let those = connected.get(cid)
      if (!those) connected.set(cid, (those = new Set()))
      those.add(player)
      return () => {
        if (!connected.get(cid)?.delete(player)) return
        if (connected.get(cid)?.size === 0) connected.delete(cid)
        if (isCounted(player.ground)) past += sent?.() ?? 0
      }
    },
    /** Notes a request of an HLS player; `key` tells players apart. Whether it is a new one. */
    polled(cid: string, key: string, ground: Ground): boolean {
      let those = polling.get(cid)
      if (!those) polling.set(cid, (those = new Map()))
      const isNew = !those.delete(key)
      if (isNew && those.size >= maxPolling) forgetIdle(cid)
      if (those.size < maxPolling) those.set(key, { ground, at: clock.monotonic() })
      if (!polling.has(cid)) polling.set(cid, those)
      return isNew
    },
    /** Whether somebody with this key watches now, over any door. */
    isThere: (cid: string, key: string): boolean =>
      [...(connected.get(cid) ?? [])].some((player) => player.key === key) || (forgetIdle(cid)?.has(key) ?? false),
    /** Whether such a player asked within the last seconds. */
    isPolling: (cid: string, key: string): boolean => forgetIdle(cid)?.has(key) ?? false,
    /** An HLS player changed to a connection. */
    stopped: (cid: string, key: string): boolean => polling.get(cid)?.delete(key) ?? false,
    /** Bytes of a single answer to a viewer. */
    sent(bytes: number) {
      past += bytes
    },
    /** Players of a channel, without those that are free. */
    of: (cid: string): number => count(cid, isCounted),
    ofLink: (cid: string, linkId: number): number =>
      count(cid, (ground) => ground.kind === 'link' && ground.linkId === linkId),
    /** Players of the channels for which `isMine` holds, without those that are free. */
    all(isMine: (cid: string) => boolean): number {
      let found = 0
      for (const cid of new Set([...connected.keys(), ...polling.keys()]))
        if (isMine(cid)) found += count(cid, isCounted)
      return found
    },
    /** Bytes sent to viewers since the start, those of running connections included. */
    bytes(): number {
      let bytes = past
      for (const those of connected.values())
        for (const { ground, sent } of those) if (isCounted(ground)) bytes += sent?.() ?? 0
      return bytes
    },
    /** Ends the players of a channel that may not watch any more; how many. */
    review(cid: string, mayWatch: (ground: Ground) => boolean): number {
      let ended = 0
      for (const player of connected.get(cid) ?? [])
        if (!mayWatch(player.ground)) {
          ended += 1
          player.end()
        }
      for (const [key, { ground }] of forgetIdle(cid) ?? [])
        if (!mayWatch(ground) && polling.get(cid)?.delete(key)) ended += 1
      return ended
    },
  }
}
