import type { Channel, Tally } from '../../contract/rpc/state.ts'

/** What a lamp shows. */
export type LampState = 'idle' | 'armed' | 'live' | 'recording' | 'disabled' | 'fault'

/** `needRecord`: the next push is recorded. */
export function lampOf(status: number, needRecord: boolean): LampState {
  if (status === 1) return 'live'
  if (status === 3) return 'recording'
  if (status === 2) return 'disabled'
  return needRecord ? 'armed' : 'idle'
}

/** People may be watching. */
export const onAir = (state: LampState): boolean => state === 'live' || state === 'recording'

/** From the last event, otherwise from the list. */
export function tallyOf(channel: Channel, tallies: ReadonlyMap<string, Tally> | undefined): Tally {
  return (
    tallies?.get(channel.cid) ?? {
      cid: channel.cid,
      status: channel.status,
      since: null,
      viewers: null,
      keyExpires: null,
    }
  )
}

/** Last opened in Studio, otherwise the longest on air. */
export function firstChannel(
  channels: readonly Channel[],
  tallies: ReadonlyMap<string, Tally> | undefined,
  opened: string | null,
): Channel | undefined {
  const chosen = channels.find((channel) => channel.cid === opened)
  if (chosen) return chosen
  const since = (channel: Channel): number => tallyOf(channel, tallies).since ?? Number.MAX_SAFE_INTEGER
  return channels
    .filter((channel) => onAir(lampOf(tallyOf(channel, tallies).status, channel.needRecord)))
    .sort((a, b) => since(a) - since(b))[0]
}
