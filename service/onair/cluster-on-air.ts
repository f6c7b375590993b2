import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../platform/clock.ts'
import { repeated } from '../../platform/repeated.ts'
import type { Bus } from '../bus/bus.ts'
import type { NodeCommands } from '../bus/node-commands.ts'
import type { Channels } from '../channels/channels.ts'
import type { Hub, Unusable } from '../hub/hub.ts'
import type { Log } from '../log.ts'
import { RedisAway, type RedisScripts } from '../redis/redis-scripts.ts'
import type { OnAir, PushElsewhere } from './on-air.ts'
import { createViewersOfNodes } from './viewers-of-nodes.ts'
import { createPushLeases, leaseFor, type PushLease } from './push-leases.ts'

/** How often leases are renewed, and those of others looked at, in ms. */
const renewEvery = 1000
/** Key under which all nodes tell each other of their pushes. */
const all = 'all'

/**
 * Makes it for a node of a cluster: a push begins with the lease of its channel, which this node keeps while the push
 * is on air, and ends with it.
 */
export function createClusterOnAir(options: {
  readonly redis: RedisScripts
  readonly bus: Pick<Bus, 'topic'>
  readonly commands: NodeCommands
  readonly hub: Pick<Hub, 'on' | 'stream' | 'held' | 'cut' | 'endHold' | 'giveUp' | 'viewers'>
  readonly channels: Pick<Channels, 'get' | 'on' | 'onAir' | 'recording'>
  /** Root of the media side of this node, as players reach it. */
  readonly media: () => string
  /** A push is over whose node is gone: called at one node. `at`: when that was there last, in ms. */
  readonly lost: (cid: string, at: number) => void
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
}): OnAir {
  const { redis, bus, commands, hub, channels, media, lost, clock, log } = options
  const node = commands.self
  const startedAt = clock.now()
  const leases = createPushLeases(redis)
  /** Pushes of this node, and those that begin. */
  const mine = new Map<string, Pick<PushLease, 'id' | 'began' | 'isUnasked'>>()
  /** Pushes of other nodes. */
  const others = new Map<string, PushElsewhere>()
  let pulled = (): Iterable<string> => []
  const giving = new Set<Promise<unknown>>()
  let roots: readonly string[] = []
  let edition = ''
  /** When Redis answered last; monotonic ms. */
  let answered = clock.monotonic()
  let isClosed = false

  const failed = (what: string) => (error: unknown) => {
    if (!(error instanceof RedisAway)) log.error({ err: error }, what)
  }
  /** Of one push after another: others look at what Redis has then. */
  const changed = bus.topic<string>('on-air')
  const viewers = createViewersOfNodes({
    bus,
    node,
    clock,
    count: hub.viewers,
    cids: () => [...mine.keys(), ...pulled()],
  })

  const leaseOf = (cid: string): PushLease => {
    const { since, recording } = (hub.stream(cid) && channels.get(cid)) ?? { since: undefined, recording: false }
    const held = hub.held(cid)?.since
    return {
      cid,
      node,
      ...mine.get(cid)!,
      ...(since !== undefined && { since }),
      recording,
      ...(held !== undefined && { held }),
      media: media(),
    }
  }
  /** How long the encoder of a push keeps others out, in ms; a held push waits for any. */
  const busyFor = (cid: string): number => {
    const stream = hub.stream(cid)
    if (!stream || hub.held(cid)) return 0
    return Math.max(0, leaseFor - (clock.monotonic() - stream.heard))
  }
  const lose = ({ cid, node: owner }: PushLease): void => {
    if (!mine.delete(cid)) return
    if (hub.giveUp(cid)) log.warn({ cid, node: owner }, 'a push ended here: another node has this channel on air')
  }
  const renew = async (cids: readonly string[]): Promise<void> => {
    const given = cids.filter((cid) => mine.has(cid)).map((cid) => ({ lease: leaseOf(cid), busyFor: busyFor(cid) }))
    const lost = await leases.renew(media(), given)
    answered = clock.monotonic()
    const asked = new Map(given.map(({ lease }) => [lease.cid, lease.id]))
    for (const lease of lost) if (mine.get(lease.cid)?.id === asked.get(lease.cid)) lose(lease)
  }
  /** What this node knows of a push was changed. */
  const mark = (cid: string): void => {
    if (!redis.up()) return
    renew([cid]).then(() => changed.publish(all, cid), failed('a push could not be told to other nodes'))
  }
  const give = (lease: PushLease): void => {
    if (!redis.up()) return
    const given = leases
      .release(lease)
      .then(() => changed.publish(all, lease.cid), failed('the lease of a push could not be given back'))
      .then(() => void giving.delete(given))
    giving.add(given)
  }

  /** The registry of channels follows: what is on air here counts before what is elsewhere. */
  const show = (cid: string): void => {
    if (hub.stream(cid)) return
    const there = others.get(cid)
    channels.onAir(cid, there?.since)
    if (there) channels.recording(cid, there.recording)
  }
  const know = (known: readonly PushLease[]): void => {
    const before = [...others.keys()]
    const present = new Set<string>()
    for (const lease of known) {
      const { cid, since, recording, held } = lease
      if (lease.node === node || since === undefined) continue
      present.add(cid)
      const there = others.get(cid)
      const now = { node: lease.node, since, recording, media: lease.media, ...(held !== undefined && { held }) }
      if (there && isDeepStrictEqual(there, now)) continue
      others.set(cid, now)
      show(cid)
    }
    for (const cid of before)
      if (!present.has(cid)) {
        others.delete(cid)
        show(cid)
      }
    // A push that is on air here, and that the leases give to another node: its renewal decides.
    if (known.some(({ cid, node: owner }) => owner !== node && mine.has(cid) && hub.stream(cid))) beat()
  }
  /** Of a node that is gone, or of the process that had the name of this one before. */
  const tellLost = ({ cid, node: owner, since, began }: PushLease): void => {
    // This process tells the ends of its pushes itself.
    if (since === undefined || (owner === node && began >= startedAt)) return
    log.warn({ cid, node: owner }, 'a push is over: the node that had it is gone')
    lost(cid, Math.max(since, clock.now() - leaseFor))
  }
  let looking: Promise<void> | undefined
  let isAsked = false
  const look = (): void => {
    isAsked = true
    looking ??= (async () => {
      while (isAsked && redis.up() && !isClosed) {
        isAsked = false
        const silence = clock.monotonic() - answered
        const now = await leases.look(edition)
        answered = clock.monotonic()
        // While Redis was away nobody could renew: then it says nothing of nodes.
        if (silence < leaseFor) now.left.forEach(tellLost)
        roots = now.nodes.filter((root) => root !== media())
        edition = now.edition
        if (now.leases) know(now.leases)
      }
    })()
      .catch(failed('the pushes of other nodes could not be looked at'))
      .finally(() => (looking = undefined))
  }
  let beating: Promise<void> | undefined
  function beat(): void {
    if (!redis.up() || isClosed) return
    beating ??= renew([...mine.keys()])
      .catch(failed('the leases of pushes could not be renewed'))
      .finally(() => (beating = undefined))
  }
  const leaves = [
    repeated(clock, renewEvery, () => {
      beat()
      look()
      viewers.tell()
    }),
    viewers.close,
    redis.onBack(() => {
      edition = ''
      beat()
      look()
    }),
    changed.subscribe(all, look),
    channels.on(({ row }, change) => {
      const { cid } = row
      // Also where the command to this node was lost.
      if (hub.stream(cid) && (change === 'deleted' || row.disabled === 1))
        hub.cut(cid, change === 'deleted' ? 'deleted' : 'disabled')
      else if (change === 'tally' && mine.has(cid) && hub.stream(cid)) mark(cid)
    }),
  ]
  const leaveHub = hub.on(({ type, cid }) => {
    if (type === 'started') {
      // A push that began while nobody could be asked.
      if (!mine.has(cid)) mine.set(cid, { id: randomUUID(), began: clock.now(), isUnasked: true })
      mark(cid)
    } else if (type === 'held' || type === 'returned') mark(cid)
    else if (type === 'ended') {
      const was = mine.has(cid) ? leaseOf(cid) : undefined
      mine.delete(cid)
      show(cid)
      if (was) give(was)
    }
  })
  const cutHere = commands.kind<{ readonly cid: string; readonly why: Unusable }>(
    'cut',
    ({ cid, why }) => void hub.cut(cid, why),
  )
  const endHoldHere = commands.kind<{ readonly cid: string }>('end-hold', ({ cid }) => void hub.endHold(cid))
  const ownerOf = (cid: string): string => others.get(cid)?.node ?? node
  look()

  const alone = <T>(cid: string, work: () => T): T | 'busy' => {
    // What was known last holds for as long as a lease would.
    if (others.has(cid) && clock.monotonic() - answered < leaseFor) return 'busy'
    log.warn({ cid }, 'Redis is away: a push begins without being asked for at other nodes')
    return work()
  }
  return {
    begin(cid, work) {
      // On air here: the hub decides.
      if (mine.has(cid) && hub.stream(cid)) return work()
      if (!redis.up()) return alone(cid, work)
      const lease = { id: randomUUID(), began: clock.now(), isUnasked: false }
      return leases
        .take({ cid, node, ...lease, recording: false, media: media() })
        .then(
          ({ there, left }) => {
            if (left) tellLost(left)
            if (there === undefined) return 'taken' as const
            if (there.node !== node) return 'busy' as const
            tellLost(there)
            return 'taken' as const
          },
          (error: unknown) => {
            failed('the lease of a push could not be asked for')(error)
            return 'unknown' as const
          },
        )
        .then((verdict) => {
          if (verdict === 'busy') return 'busy'
          if (verdict === 'unknown') return alone(cid, work)
          if (!mine.has(cid)) mine.set(cid, lease)
          const begun = work()
          if (!hub.stream(cid)) {
            give(leaseOf(cid))
            mine.delete(cid)
          }
          return begun
        })
    },
    elsewhere: (cid) => (hub.stream(cid) ? undefined : others.get(cid)),
    before: (cid) => others.get(cid),
    cut(cid, why) {
      cutHere(node, { cid, why })
      if (ownerOf(cid) !== node) cutHere(ownerOf(cid), { cid, why })
    },
    endHold(cid) {
      endHoldHere(ownerOf(cid), { cid })
    },
    viewers: (cid) => hub.viewers(cid) + viewers.elsewhere(cid),
    countPulls(cids) {
      pulled = cids
    },
    mediaRoots: () => roots,
    async close() {
      leaveHub()
      for (const leave of leaves) leave()
      await Promise.all(giving)
      isClosed = true
    },
  }
}
