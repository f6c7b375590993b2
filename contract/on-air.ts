import type { Tally } from './rpc/state.ts'

/** Window of the rates of a push (IngestFigures), in ms. */
export const rateWindow = 2_000

/** The profile of the embedded service. */
const embedded = 'local'

/** Silence of a hosted service after which its last answer counts as unknown: four polls, in ms. */
const silentFor = 20_000

/** Last channel status of a profile. */
export interface ToldTallies {
  /** A hosted service without the extension operations is polled, and others while their events are lost. */
  readonly source: 'event' | 'poll'
  /** Why there was no update since; null if up to date. */
  readonly fault: string | null
  /** Last successful update by the caller's clock, in ms; minus infinity before the first. */
  readonly heard: number
  readonly tallies: Iterable<Tally>
}

/** A channel on air, or last known as such on a profile whose status is stale. */
export interface OnAirChannel {
  readonly profileId: string
  readonly cid: string
  readonly since: number | null
  readonly recording: boolean
  readonly stale: boolean
}

/** On-air state of all profiles, for a window, the tray and a pop-out. */
export interface OnAir {
  readonly lamp: 'idle' | 'live' | 'recording' | 'fault'
  /** The channel of the lamp; undefined while nothing is on air. */
  readonly channel: OnAirChannel | undefined
  /** All of them: fresh ones first, by time on air. */
  readonly channels: readonly OnAirChannel[]
}

const statusLive = 1
const statusRecorded = 3

/** Whether a profile's status is stale. A hosted service is asked at once when its events are lost. */
export const isStale = (profileId: string, { source, fault, heard }: ToldTallies, now: number): boolean =>
  fault !== null && ((source === 'event' && (profileId === embedded || fault !== 'lost')) || now - heard > silentFor)

/**
 * What is on air on any profile. The lamp shows the channel opened last, else that longest on air. A fault of the
 * embedded service has precedence unless only hosted channels are on air; a silent hosted profile's channel has the
 * lamp only if no other is on air.
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
  const staleOnes: OnAirChannel[] = []
  /** Last known channels of the embedded service while its status is stale. */
  let lost: OnAirChannel[] | undefined = isServiceDown ? [] : undefined
  for (const [profileId, told] of profiles) {
    const isEmbedded = profileId === embedded
    const stale = isStale(profileId, told, now) || (isEmbedded && isServiceDown)
    const found: OnAirChannel[] = []
    for (const { cid, status, since } of told.tallies)
      if (status === statusLive || status === statusRecorded)
        found.push({ profileId, cid, since, recording: status === statusRecorded, stale })
    ;(stale ? staleOnes : sure).push(...found)
    if (stale && isEmbedded) lost = found
  }
  const longestFirst = (a: OnAirChannel, b: OnAirChannel): number =>
    (a.since ?? Number.MAX_SAFE_INTEGER) - (b.since ?? Number.MAX_SAFE_INTEGER)
  sure.sort(longestFirst)
  staleOnes.sort(longestFirst)
  const channels = [...sure, ...staleOnes]
  const choose = (among: readonly OnAirChannel[]): OnAirChannel | undefined =>
    among.find(({ cid }) => cid === opened) ?? among[0]
  if (lost && (lost.length > 0 || sure.length === 0))
    return { lamp: 'fault', channel: choose(lost.sort(longestFirst)) ?? choose(staleOnes), channels }
  const channel = choose(sure)
  if (channel) return { lamp: channel.recording ? 'recording' : 'live', channel, channels }
  return { lamp: channels.length > 0 ? 'fault' : 'idle', channel: choose(staleOnes), channels }
}
