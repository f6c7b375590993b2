import type { Unusable } from '../hub/hub.ts'

/** A push that another node has. */
export interface PushElsewhere {
  readonly node: string
  /** Start of the push, in ms. */
  readonly since: number
  readonly recording: boolean
  /** Since when its picture is held, as its encoder is lost, in ms. */
  readonly held?: number
  /** Root of the media side of that node, as players reach it. */
  readonly media: string
}

/** Which node has the push of a channel: one at most (decisions/027-pushes-of-many-nodes.md). */
export interface OnAir {
  /**
   * Has `work` begin a push, once the channel is this node's; `busy` while an encoder sends to another one
   * (behaviour.md#publishing). Undefined for a service that is alone: the hub decides at once. `work` may leave it.
   */
  readonly begin: (<T>(cid: string, work: () => T) => T | 'busy' | Promise<T | 'busy'>) | undefined
  /** The push of a channel, where another node has it. */
  elsewhere(cid: string): PushElsewhere | undefined
  /** The push that another node had as one began here. */
  before(cid: string): PushElsewhere | undefined
  /** Ends a push that is not wanted any more, on the node that has it. */
  cut(cid: string, why: Unusable): void
  /** Ends a held push whose encoder is lost, on the node that has it. */
  endHold(cid: string): void
  /** Viewers over all protocols. */
  viewers(cid: string): number
  /** Channels of other nodes that have viewers here. */
  countPulls(cids: () => Iterable<string>): void
  /** Roots of the media sides of all other nodes. */
  mediaRoots(): readonly string[]
  /** After the hub's close: gives back what this node had. */
  close(): Promise<void>
}

/** What a service needs that is alone. */
export const onAirAlone = (hub: {
  cut(cid: string, why: Unusable): boolean
  endHold(cid: string): boolean
  viewers(cid: string): number
}): OnAir => ({
  begin: undefined,
  elsewhere: () => undefined,
  before: () => undefined,
  cut: (cid, why) => void hub.cut(cid, why),
  endHold: (cid) => void hub.endHold(cid),
  viewers: (cid) => hub.viewers(cid),
  countPulls: () => undefined,
  mediaRoots: () => [],
  close: () => Promise.resolve(),
})

/** Origins whose pages may read media, with those of other nodes, whose pages are led here. */
export const originsOfNodes = (
  origins: readonly string[],
  { mediaRoots }: Pick<OnAir, 'mediaRoots'>,
): Pick<readonly string[], 'includes'> => ({
  includes: (origin) => origins.includes(origin) || mediaRoots().some((root) => new URL(root).origin === origin),
})
