import type { Clock } from '../../platform/clock.ts'
import type { Bus } from '../bus/bus.ts'

/** Counts are told again so often, of each channel that has viewers; ms. */
const againAfter = 3000
/** What a node told is forgotten then, in ms. */
const forgottenAfter = 10_000
/** Key under which all nodes tell each other. */
const all = 'all'

/** Viewers of channels at other nodes: those of the node that has the push, and of those that read it from there. */
export function createViewersOfNodes(options: {
  readonly bus: Pick<Bus, 'topic'>
  readonly node: string
  readonly clock: Pick<Clock, 'monotonic'>
  readonly count: (cid: string) => number
  /** Channels that may have viewers here. */
  readonly cids: () => Iterable<string>
}) {
  const { bus, node, clock, count, cids } = options
  const topic = bus.topic<{ readonly node: string; readonly counts: Readonly<Record<string, number>> }>('viewers')
  /** By channel and node; `at` in monotonic ms. */
  const there = new Map<string, Map<string, { readonly count: number; readonly at: number }>>()
  let told = new Map<string, number>()
  let toldAt = Number.NEGATIVE_INFINITY
  const forget = (): void => {
    for (const [cid, nodes] of there) {
      for (const [name, { at }] of nodes) if (clock.monotonic() - at > forgottenAfter) nodes.delete(name)
      if (nodes.size === 0) there.delete(cid)
    }
  }
  const leave = topic.subscribe(all, (message) => {
    if (message.node === node) return
    for (const [cid, number] of Object.entries(message.counts)) {
      const nodes = there.get(cid) ?? new Map<string, { readonly count: number; readonly at: number }>()
      if (number === 0) nodes.delete(message.node)
      else there.set(cid, nodes.set(message.node, { count: number, at: clock.monotonic() }))
    }
  })
  return {
    /** Call each second: tells what is other than before, and all of it now and then. */
    tell() {
      forget()
      const now = new Map([...cids()].map((cid) => [cid, count(cid)]))
      const isAgain = clock.monotonic() - toldAt >= againAfter
      if (isAgain) toldAt = clock.monotonic()
      const counts: Record<string, number> = {}
      for (const cid of told.keys()) if (!now.has(cid)) counts[cid] = 0
      for (const [cid, number] of now)
        if (number !== (told.get(cid) ?? 0) || (isAgain && number > 0)) counts[cid] = number
      told = now
      if (Object.keys(counts).length > 0) topic.publish(all, { node, counts })
    },
    elsewhere(cid: string): number {
      let sum = 0
      for (const { count: number } of there.get(cid)?.values() ?? []) sum += number
      return sum
    },
    close: leave,
  }
}
