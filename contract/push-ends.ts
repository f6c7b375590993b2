/**
 * Why a push ended, as `detail` of the events `ended` and `replaced`: `lost`: connection lost; `silent`: no data for 10
 * s; `stopped`: by the encoder; `disabled`, `deleted`: the channel; `codec`: not served; `replaced`: by another
 * encoder; `closing`: the service shuts down; `node`: the node that had it is gone.
 */
export const pushEnds = [
  'lost',
  'silent',
  'stopped',
  'disabled',
  'deleted',
  'codec',
  'replaced',
  'closing',
  'node',
] as const
/** Reason of an end. */
export type PushEnd = (typeof pushEnds)[number]

const known: ReadonlySet<string> = new Set(pushEnds)
/** Whether it is a known end of a push. */
export const isPushEnd = (detail: string): detail is PushEnd => known.has(detail)
