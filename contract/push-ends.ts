/**
 * Why a push ended, as `detail` of the events `ended` and `replaced` says it: `lost` the connection was, `silent` for want of data in 10 s,
 * `stopped` by its encoder, `disabled` or `deleted` its channel, `codec` it cannot be broadcast, `replaced` by another encoder, `closing` with
 * the service.
 */
export const pushEnds = ['lost', 'silent', 'stopped', 'disabled', 'deleted', 'codec', 'replaced', 'closing'] as const
/** Why a push ended. */
export type PushEnd = (typeof pushEnds)[number]

const known: ReadonlySet<string> = new Set(pushEnds)
/** Whether it is a known end of a push. */
export const isPushEnd = (detail: string): detail is PushEnd => known.has(detail)
