import type { Tally } from './rpc/state.ts'

/** What the rates of a push are over (IngestFigures), in ms. */
export const rateWindow = 2_000

/** How long a hosted service may stay silent before what it said last counts as unknown; four polls, in ms. */
const silentFor = 20_000

/** What a profile said last of its channels. */
export interface ToldTallies {
  /** The embedded service tells by itself, a hosted one is asked. */
  readonly source: 'event' | 'poll'
  /** Why nothing was told since; null when what is told stands. */
  readonly fault: string | null
  /** When they were told without a fault, by the clock of whoever asks, in ms; minus infinity before the first time. */
  readonly heard: number
  readonly tallies: Iterable<Tally>
}

/** A channel that is on air, or was so by the last word of a profile that nobody vouches for. */
export interface OnAirChannel {
  readonly profileId: string
  readonly cid: string
  readonly since: number | null
  readonly recording: boolean
  /** Nobody vouches for it now. */
  readonly doubted: boolean
}

/** What a window, the tray and a pop-out show of all profiles together. */
export interface OnAir {
  readonly lamp: 'idle' | 'live' | 'recording' | 'fault'
  /** Whose lamp it is; undefined while nothing is on air. */
  readonly channel: OnAirChannel | undefined
  /** All of them: those that are vouched for first, of these the longest on air first. */
  readonly channels: readonly OnAirChannel[]
}

const statusLive = 1
const statusRecorded = 3

/** Whether nobody vouches for what a profile said last. */
export const isDoubted = ({ source, fault, heard }: ToldTallies, now: number): boolean =>
  fault !== null && (source === 'event' || now - heard > silentFor)

/**
 * What is on air, of any profile: whatever is on air has the lamp, the channel that was opened last before the one that is longest on air. A
 * fault of the embedded service wins, unless only hosted channels are on air; a hosted profile that is silent has the lamp when its channel
 * was on air by its last word and no other is.
 */
export function onAirOf(
  profiles: Iterable<readonly [profileId: string, told: ToldTallies]>,
  {
    isServiceDown,
    opened,
    now,
  }: { readonly isServiceDown: boolean; readonly opened: string | null; readonly now: number },
): OnAir {
  const sure: OnAirChannel[] = []
  const doubtful: OnAirChannel[] = []
  /** Of the embedded service, by its last word, while nobody vouches for it; undefined while somebody does. */
  let lost: OnAirChannel[] | undefined = isServiceDown ? [] : undefined
  for (const [profileId, told] of profiles) {
    const isEmbedded = told.source === 'event'
    const doubted = isDoubted(told, now) || (isEmbedded && isServiceDown)
    const found: OnAirChannel[] = []
    for (const { cid, status, since } of told.tallies)
      if (status === statusLive || status === statusRecorded)
        found.push({ profileId, cid, since, recording: status === statusRecorded, doubted })
    ;(doubted ? doubtful : sure).push(...found)
    if (doubted && isEmbedded) lost = found
  }
  const longestFirst = (a: OnAirChannel, b: OnAirChannel): number =>
    (a.since ?? Number.MAX_SAFE_INTEGER) - (b.since ?? Number.MAX_SAFE_INTEGER)
  sure.sort(longestFirst)
  doubtful.sort(longestFirst)
  const channels = [...sure, ...doubtful]
  const choose = (among: readonly OnAirChannel[]): OnAirChannel | undefined =>
    among.find(({ cid }) => cid === opened) ?? among[0]
  if (lost && (lost.length > 0 || sure.length === 0))
    return { lamp: 'fault', channel: choose(lost.sort(longestFirst)) ?? choose(doubtful), channels }
  const channel = choose(sure)
  if (channel) return { lamp: channel.recording ? 'recording' : 'live', channel, channels }
  return { lamp: channels.length > 0 ? 'fault' : 'idle', channel: choose(doubtful), channels }
}
