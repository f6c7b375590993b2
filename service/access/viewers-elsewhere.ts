import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../platform/clock.ts'
import { repeated } from '../../platform/repeated.ts'
import type { Presence } from '../presence/presence.ts'

/** What viewers of an application take at one service. */
export interface ViewersTaken {
  readonly viewers: number
  /** Upload to viewers, over all applications, and to targets of this one. */
  readonly kbps: number
  readonly targetsKbps: number
  /** Pages that wait for a place; absent in what a service of an earlier release tells. */
  readonly waiting?: number
}

/** Players of a channel at one service, without those that are free. */
export interface ChannelViewers {
  readonly all: number
  /** Those of named links, by the number of the link. */
  readonly links: Readonly<Record<number, number>>
}

/** What they take at other services. */
export interface ViewersElsewhere {
  of(uid: number): Required<ViewersTaken>
  /** Other services with viewers of an application. */
  nodes(uid: number): string[]
  ofChannel(cid: string): ChannelViewers
  /** Begins to tell what they take here, and at which channels; the returned function ends it. */
  tell(taken: (uid: number) => Required<ViewersTaken>, channels: () => Iterable<[string, ChannelViewers]>): () => void
}

/** How often it is looked whether others are to be told, in ms. */
const tellEvery = 250
const none: Required<ViewersTaken> = { viewers: 0, kbps: 0, targetsKbps: 0, waiting: 0 }

/** Values of all other services, by service and key; `name` is the kind of their presence. */
export function createEntries<Value>(presence: Presence, name: string) {
  const services = new Map<string, Map<string, Value>>()
  const kind = presence.kind<Value>(name, {
    came({ node, key }, value) {
      const known = services.get(node)
      if (known) known.set(key, value)
      else services.set(node, new Map([[key, value]]))
    },
    gone({ node, key }) {
      const known = services.get(node)
      known?.delete(key)
      if (known?.size === 0) services.delete(node)
    },
  })
  const told = new Map<string, Value>()
  return {
    of: (key: string): Value[] =>
      [...services.values()].flatMap((known) => (known.has(key) ? [known.get(key) as Value] : [])),
    byNode: (key: string): [node: string, value: Value][] =>
      [...services].flatMap(([node, known]) => (known.has(key) ? [[node, known.get(key) as Value]] : [])),
    /** Tells all that there is here; what is not among it any more is gone. */
    tell(values: ReadonlyMap<string, Value>) {
      for (const [key, value] of values) {
        if (isDeepStrictEqual(told.get(key), value)) continue
        told.set(key, value)
        kind.put(key, value)
      }
      for (const key of told.keys())
        if (!values.has(key)) {
          told.delete(key)
          kind.remove(key)
        }
    },
  }
}

/**
 * Limits of viewers hold for an application, and those of links for a channel, over all services: each tells the others
 * what is taken there, so that a place is given from memory. What is given within a round trip by two services may go
 * beyond a limit; a surplus of viewers of an application is ended (viewers-surplus.ts).
 */
export function createViewersElsewhere(options: {
  readonly presence: Presence
  readonly uids: readonly number[]
  readonly clock: Pick<Clock, 'after'>
}): ViewersElsewhere {
  const { presence, uids, clock } = options
  const applications = createEntries<ViewersTaken>(presence, 'viewers')
  const channels = createEntries<ChannelViewers>(presence, 'channelViewers')
  return {
    of: (uid) =>
      applications.of(String(uid)).reduce<Required<ViewersTaken>>(
        (sum, taken) => ({
          viewers: sum.viewers + taken.viewers,
          kbps: sum.kbps + taken.kbps,
          targetsKbps: sum.targetsKbps + taken.targetsKbps,
          waiting: sum.waiting + (taken.waiting ?? 0),
        }),
        none,
      ),
    nodes: (uid) => applications.byNode(String(uid)).flatMap(([node, { viewers }]) => (viewers > 0 ? [node] : [])),
    ofChannel(cid) {
      const links: Record<number, number> = {}
      let all = 0
      for (const there of channels.of(cid)) {
        all += there.all
        for (const [link, count] of Object.entries(there.links))
          links[Number(link)] = (links[Number(link)] ?? 0) + count
      }
      return { all, links }
    },
    tell: (takenOf, channelsHere) =>
      repeated(clock, tellEvery, () => {
        const taken = uids.map((uid) => [String(uid), takenOf(uid)] as const)
        applications.tell(new Map(taken.filter(([, value]) => !isDeepStrictEqual(value, none))))
        channels.tell(new Map(channelsHere()))
      }),
  }
}
