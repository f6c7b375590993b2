import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../platform/clock.ts'
import { repeated } from '../../platform/repeated.ts'
import type { Bus } from '../bus/bus.ts'
import type { Hub } from '../hub/hub.ts'
import type { OnAir } from '../onair/on-air.ts'
import type { ShownHold } from './holds.ts'

/** How often it is looked what other nodes are to be told, in ms. */
const lookEvery = 500
/** What is shown is told again so often, where it is more than a moving picture; ms. */
const againAfter = 3000
/** What was told is forgotten then, in ms. */
const forgottenAfter = 10_000
/** Key under which all nodes tell each other. */
const all = 'all'

/** What pages say of the picture of a push. */
interface Shown {
  readonly hold: ShownHold
  readonly isSilent: boolean
}
const moving: Shown = { hold: {}, isSilent: false }

/**
 * What watch pages say of the pictures of pushes, at every node alike: the node that has the push tells the others. A
 * service that is alone asks its own parts.
 */
export function createShown(options: {
  readonly bus: Pick<Bus, 'topic'>
  /** In a cluster. */
  readonly redis: object | undefined
  readonly hub: Pick<Hub, 'on' | 'isSilent'>
  readonly onAir: Pick<OnAir, 'elsewhere'>
  readonly shownHold: (cid: string) => ShownHold
  readonly clock: Clock
}) {
  const { bus, redis, hub, onAir, shownHold, clock } = options
  if (!redis) return { hold: shownHold, isSilent: hub.isSilent, close: () => undefined }
  const topic = bus.topic<Readonly<Record<string, Shown>>>('shown')
  /** Of other nodes; `at` in monotonic ms. */
  const there = new Map<string, Shown & { readonly at: number }>()
  const here = new Set<string>()
  const told = new Map<string, Shown & { readonly at: number }>()
  const look = (): void => {
    const at = clock.monotonic()
    const news: Record<string, Shown> = {}
    for (const cid of here) {
      const now: Shown = { hold: shownHold(cid), isSilent: hub.isSilent(cid) }
      const { at: before, ...known } = told.get(cid) ?? { ...moving, at: 0 }
      const isMoving = isDeepStrictEqual(now, moving)
      if (isDeepStrictEqual(now, known) && (isMoving || at - before < againAfter)) continue
      told.set(cid, { ...now, at })
      news[cid] = now
    }
    if (Object.keys(news).length > 0) topic.publish(all, news)
    for (const [cid, known] of there) if (at - known.at > forgottenAfter) there.delete(cid)
  }
  const leaves = [
    repeated(clock, lookEvery, look),
    hub.on(({ type, cid }) => {
      if (type === 'started') here.add(cid)
      else if (type === 'ended') {
        here.delete(cid)
        told.delete(cid)
      }
    }),
    topic.subscribe(all, (news) => {
      for (const [cid, shown] of Object.entries(news)) there.set(cid, { ...shown, at: clock.monotonic() })
    }),
  ]
  const of = (cid: string): Shown => there.get(cid) ?? moving
  return {
    hold: (cid: string): ShownHold => (onAir.elsewhere(cid) ? of(cid).hold : shownHold(cid)),
    isSilent: (cid: string): boolean => (onAir.elsewhere(cid) ? of(cid).isSilent : hub.isSilent(cid)),
    close() {
      for (const leave of leaves) leave()
    },
  }
}
