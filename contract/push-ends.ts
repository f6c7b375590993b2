/** Why a push ended, by name, as the events of the embedded service say it (`detail` of `ended` and `replaced`). */
export const pushEnds = {
  lost: 'the connection was lost',
  silent: 'no data for 10 s',
  stopped: 'the encoder stopped',
  disabled: 'the channel was disabled',
  deleted: 'the channel was deleted',
  codec: 'the codec cannot be broadcast',
  replaced: 'another encoder took over',
  closing: 'the service is closing',
} as const
/** Name of why a push ended. */
export type PushEnd = keyof typeof pushEnds

const names = new Map<string, PushEnd>((Object.keys(pushEnds) as PushEnd[]).map((name) => [pushEnds[name], name]))
/** The name of what an event says; undefined for anything else. */
export const readPushEnd = (detail: string): PushEnd | undefined => names.get(detail)
